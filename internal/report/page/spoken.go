package page

import (
	"regexp"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// spokenFor returns the requirements in the words of a report: with the kind that its controller
// serves in the place of WebApp. The report does not name that kind, but what its results say
// must hold does.
func spokenFor(r *v1alpha1.ConformanceReport, all []catalogue.Requirement) []catalogue.Requirement {
	of := &profile.Profile{}
	resource := &of.Spec.Contract.Resource
	for n := range r.Results {
		known, err := catalogue.Find(all, r.Results[n].ID)
		if err != nil {
			continue
		}
		kind, plural := kindIn(known.Must, r.Results[n].Must)
		if resource.Kind == "" {
			resource.Kind = kind
		}
		if resource.Plural == "" {
			resource.Plural = strings.ToLower(plural)
		}
	}
	if resource.Kind == "" || resource.Kind == webApp {
		return all
	}
	all = slices.Clone(all)
	for n := range all {
		all[n] = all[n].Spoken(of.InItsWords)
	}
	return all
}

// webApp is the kind that the scenarios speak of.
const webApp = "WebApp"

// mentioned matches that kind, with an article before it, and as a plural.
var mentioned = regexp.MustCompile(`\b(?:([Aa]) )?WebApp(s?)\b`)

// kindIn returns the kind that stands in a text in the place of WebApp, and its plural, as
// far as it has them. They are empty if the texts differ in something else.
func kindIn(ofSuite, ofReport string) (kind, plural string) {
	var pattern strings.Builder
	var plurals []bool
	at := 0
	for _, m := range mentioned.FindAllStringSubmatchIndex(ofSuite, -1) {
		pattern.WriteString(regexp.QuoteMeta(ofSuite[at:m[0]]))
		if m[2] >= 0 {
			pattern.WriteString("[Aa]n? ")
		}
		pattern.WriteString(`(\w+)`)
		plurals = append(plurals, m[5] > m[4])
		at = m[1]
	}
	if len(plurals) == 0 {
		return "", ""
	}
	pattern.WriteString(regexp.QuoteMeta(ofSuite[at:]))
	found := regexp.MustCompile("^" + pattern.String() + "$").FindStringSubmatch(ofReport)
	for n, isPlural := range plurals {
		switch {
		case found == nil:
		case isPlural:
			plural = found[n+1]
		default:
			kind = found[n+1]
		}
	}
	return kind, plural
}
