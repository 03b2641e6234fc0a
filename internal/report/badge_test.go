package report

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestBadge(t *testing.T) {
	for _, tc := range []struct {
		report          v1alpha1.ConformanceReport
		message, colour string
	}{
		{v1alpha1.ConformanceReport{Verdict: v1alpha1.Conformant}, "conformant", "brightgreen"},
		{v1alpha1.ConformanceReport{Verdict: v1alpha1.Partial, Core: v1alpha1.Coverage{Judged: 2, Total: 83}}, "partial, 2 of 83 core", "yellow"},
		{
			v1alpha1.ConformanceReport{Verdict: v1alpha1.NotConformant, Summary: v1alpha1.Summary{Failed: 2, Flaky: 1, Blocked: 4}},
			"not conformant, 3 failed", "red",
		},
		{v1alpha1.ConformanceReport{Verdict: v1alpha1.Inconclusive}, "inconclusive", "lightgrey"},
	} {
		t.Run(string(tc.report.Verdict), func(t *testing.T) {
			data, err := badgeJSON(&tc.report)
			if err != nil {
				t.Fatal(err)
			}
			want := `{
  "schemaVersion": 1,
  "label": "reconform",
  "message": "` + tc.message + `",
  "color": "` + tc.colour + `"
}
`
			if diff := cmp.Diff(want, string(data)); diff != "" {
				t.Errorf("for shields.io (-want +got):\n%s", diff)
			}
			var image struct {
				Width int      `xml:"width,attr"`
				Title string   `xml:"title"`
				Texts []string `xml:"g>text"`
			}
			svg := badgeSVG(&tc.report)
			if err := xml.Unmarshal(svg, &image); err != nil {
				t.Fatalf("%v\n%s", err, svg)
			}
			if image.Width == 0 || image.Title != "reconform: "+tc.message || strings.Join(image.Texts, ": ") != image.Title {
				t.Errorf("the image shows %+v", image)
			}
		})
	}
}
