package profile

import (
	"regexp"
	"strings"
)

// webApp is the kind that the scenarios speak of, alone or after an article.
var webApp = regexp.MustCompile(`\b(?:([Aa]) )?WebApp(s?)\b`)

// InItsWords returns a text of a scenario with the kind that the controller serves in the
// place of WebApp.
func (p *Profile) InItsWords(text string) string {
	of := p.Spec.Contract.Resource
	if of.Kind == "" || of.Kind == "WebApp" {
		return text
	}
	return webApp.ReplaceAllStringFunc(text, func(found string) string {
		parts := webApp.FindStringSubmatch(found)
		kind := of.Kind
		if parts[2] != "" {
			kind = pluralOf(of.Kind, of.Plural)
		}
		switch article := parts[1]; {
		case article == "":
			return kind
		case strings.Contains("AEIO", kind[:1]):
			return article + "n " + kind
		default:
			return article + " " + kind
		}
	})
}

// pluralOf returns the kind as the plural of its resource ends: Policy and policies make
// Policies. A plural that does not begin like the kind is of no use here.
func pluralOf(kind, plural string) string {
	same := 0
	for same < len(kind) && same < len(plural) && strings.EqualFold(kind[same:same+1], plural[same:same+1]) {
		same++
	}
	if same == 0 {
		return kind + "s"
	}
	return kind[:same] + plural[same:]
}

// KindIn undoes InItsWords: it returns the kind that stands in a report's text in the place
// of the suite's WebApp, and its plural, as far as the text has them. They are empty if the
// texts differ in something else.
func KindIn(ofSuite, ofReport string) (kind, plural string) {
	var pattern strings.Builder
	var plurals []bool
	at := 0
	for _, m := range webApp.FindAllStringSubmatchIndex(ofSuite, -1) {
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
