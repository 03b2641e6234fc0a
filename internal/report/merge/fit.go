package merge

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// fit checks that the reports are about the same thing: otherwise a verdict on all of them
// has no meaning. This version must have made all of them, because it must know what their
// requirements are.
func fit(parts []Part, all []catalogue.Requirement, version string) error {
	first := parts[0]
	for _, p := range parts {
		if made := p.Report.Versions.Reconform; made != version {
			return fmt.Errorf("the report in %s was made by Reconform %s, and this is %s: merge with that version", p.Dir, made, version)
		}
		for _, r := range p.Report.Results {
			if _, err := catalogue.Find(all, r.ID); err != nil {
				return fmt.Errorf("the report in %s was made by another Reconform: %w", p.Dir, err)
			}
		}
		for _, must := range []struct {
			what string
			of   func(*v1alpha1.ConformanceReport) any
		}{
			{"profile", func(r *v1alpha1.ConformanceReport) any { return r.Profile }},
			{"implementation", func(r *v1alpha1.ConformanceReport) any { return named(r.Implementation) }},
			{"selection", func(r *v1alpha1.ConformanceReport) any { return cmp.Or(report.Selected(r.Selection), "of everything") }},
			{"number of shards", func(r *v1alpha1.ConformanceReport) any { return Part{Report: r}.shard().Count }},
			{"--timeout-scale", func(r *v1alpha1.ConformanceReport) any { return cmp.Or(r.TimeoutScale, 1) }},
			{"Kubernetes", func(r *v1alpha1.ConformanceReport) any { return r.Versions.Kubernetes }},
			{"Chainsaw", func(r *v1alpha1.ConformanceReport) any { return r.Versions.Chainsaw }},
		} {
			if a, b := must.of(first.Report), must.of(p.Report); a != b {
				return fmt.Errorf("the reports in %s and %s are not from the same run: %s %v, and %v", first.Dir, p.Dir, must.what, a, b)
			}
		}
		if day := ended(first.Report, p.Report); day != "" {
			return fmt.Errorf("the reports in %s and %s are not from the same run: an exemption of profile %s, whose last day is %s, ended between them: run the earlier one again",
				first.Dir, p.Dir, p.Report.Profile, day)
		}
		if !reflect.DeepEqual(first.Report.Claims, p.Report.Claims) || first.Report.Implementation != p.Report.Implementation ||
			first.Report.ProfileDigest != p.Report.ProfileDigest {
			return fmt.Errorf("the reports in %s and %s are not from the same run: profile %s was changed between them", first.Dir, p.Dir, p.Report.Profile)
		}
	}
	return nil
}

// ended returns the last day of an exemption that counted in one of two runs and was over in the
// other, or "".
func ended(a, b *v1alpha1.ConformanceReport) string {
	for _, pair := range [][2][]v1alpha1.Exemption{{a.Expired, b.Expired}, {b.Expired, a.Expired}} {
		for _, expired := range pair[0] {
			if !slices.ContainsFunc(pair[1], func(other v1alpha1.Exemption) bool { return reflect.DeepEqual(expired, other) }) {
				return expired.Expires
			}
		}
	}
	return ""
}

func named(i v1alpha1.Implementation) string { return strings.TrimSpace(i.Name + " " + i.Version) }
