package labs_test

import (
	"regexp"
	"strings"
	"testing"
)

// masks replace what differs each time. They go from the special to the general.
var masks = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\S+_UID`), "REPLICA"}, // who holds a Lease: its host, and a UID
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT[\d:.]+Z`), "TIME"},
	{regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}\b`), "ADDRESS"},
	{regexp.MustCompile(`(resourceVersion"?: ?"?)\d+`), "${1}VERSION"},
	// Kubernetes makes names of these letters.
	{regexp.MustCompile(`\bdemo(-[bcdfghjklmnpqrstvwxz2456789]{5,10}){1,2}\b`), "demo-RANDOM"},
	{regexp.MustCompile(`(^|\s)(<invalid>|(\d+[dhms]){1,2})(\s|$)`), "${1}AGE${4}"},
	{regexp.MustCompile(`\s+`), " "}, // Columns are as wide as what is in them.
}

func mask(line string) string {
	for _, m := range masks {
		line = m.pattern.ReplaceAllString(line, m.by)
	}
	return strings.TrimSpace(line)
}

func masked(lines []string) (all []string) {
	for _, line := range lines {
		all = append(all, mask(line))
	}
	return all
}

func TestMask(t *testing.T) {
	for line, want := range map[string]string{
		"demo   2/2     2            2           3m5s":     "demo 2/2 2 2 AGE",
		"demo-6d5f7c9b8d-x2k4z   1/1   Running   0s":       "demo-RANDOM 1/1 Running AGE",
		"demo   ClusterIP   10.0.0.123   <none>  80/TCP":   "demo ClusterIP ADDRESS <none> 80/TCP",
		"holder: box_0f8fad5b-d9cb-469f-a165-70867728950e": "holder: REPLICA",
		`"uid":"0f8fad5b-d9cb-469f-a165-70867728950e"`:     `"uid":"UID"`,
		"a line without any of these: demo-7":              "a line without any of these: demo-7",
	} {
		if got := mask(line); got != want {
			t.Errorf("mask(%q) = %q, want %q", line, got, want)
		}
	}
}
