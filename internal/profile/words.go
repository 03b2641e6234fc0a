package profile

import (
	"regexp"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// spokenOf matches the two kinds that the scenarios speak of, alone or after an article: the one
// that is served, and its child with the Pods. In code the package stands before the child.
// The Deployment that runs the controller itself is no child, and is matched with its
// beginning or its end.
var spokenOf = regexp.MustCompile(`\b(?:([Aa]) )?(appsv1\.|shipped |controller's )?(WebApp|Deployment)(s?)\b( that (?:is shipped|you ship))?`)

// InItsWords returns a text of a scenario with the kind that the controller serves in the
// place of WebApp, and the kind of its workload in the place of Deployment.
func (p *Profile) InItsWords(text string) string {
	of, workload := p.Spec.Contract.Resource, p.Spec.Contract.Children.Deployment.Workload
	return spokenOf.ReplaceAllStringFunc(text, func(found string) string {
		parts := spokenOf.FindStringSubmatch(found)
		article, before, plural := parts[1], parts[2], parts[4] != ""
		var kind, kinds string
		switch {
		case before == "shipped ", before == "controller's " && parts[3] == "Deployment", parts[5] != "":
			return found
		case parts[3] == "WebApp":
			kind, kinds = of.Kind, of.Plural
		case workload != nil:
			kind, kinds = workload.Kind, workload.Plural
			if before != "" {
				before = packageOf(workload)
			}
		}
		if kind == "" || kind == parts[3] {
			return found
		}
		word := kind
		if plural {
			word = pluralOf(kind, kinds)
		}
		if article != "" && before == "" {
			article += articleOf(kind)[1:]
		}
		if article != "" {
			article += " "
		}
		return article + before + word
	})
}

// WithArticle returns a kind as a sentence has it, such as "an Echo" or "a Site".
func WithArticle(kind string) string { return articleOf(kind) + " " + kind }

// articleOf returns the article of a kind. U is rather spoken as in User.
func articleOf(kind string) string {
	if kind != "" && strings.Contains("AEIO", kind[:1]) {
		return "an"
	}
	return "a"
}

// packageOf returns what stands before a kind in Go code, such as "batchv1.".
func packageOf(of *v1alpha1.Workload) string {
	group, _, _ := strings.Cut(of.Group, ".")
	if group == "" {
		group = "core"
	}
	return group + of.Version + "."
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

// KindsIn undoes InItsWords: it returns the kinds that stand in a report's
// text in the place of the suite's WebApp and Deployment, and their plurals, as far as the
// text has them. They are empty if the texts differ in something else.
func KindsIn(ofSuite, ofReport string) (served v1alpha1.PrimaryResource, workload v1alpha1.Workload) {
	var pattern strings.Builder
	var into []*string
	at := 0
	for _, m := range spokenOf.FindAllStringSubmatchIndex(ofSuite, -1) {
		if m[4] >= 0 || m[10] >= 0 {
			continue // code, or the Deployment of the controller itself
		}
		pattern.WriteString(regexp.QuoteMeta(ofSuite[at:m[0]]))
		if m[2] >= 0 {
			pattern.WriteString("[Aa]n? ")
		}
		pattern.WriteString(`(\w+)`)
		isServed, isPlural := ofSuite[m[6]:m[7]] == "WebApp", m[9] > m[8]
		switch {
		case isServed && isPlural:
			into = append(into, &served.Plural)
		case isServed:
			into = append(into, &served.Kind)
		case isPlural:
			into = append(into, &workload.Plural)
		default:
			into = append(into, &workload.Kind)
		}
		at = m[1]
	}
	pattern.WriteString(regexp.QuoteMeta(ofSuite[at:]))
	found := regexp.MustCompile("^" + pattern.String() + "$").FindStringSubmatch(ofReport)
	for n, field := range into {
		if found != nil {
			*field = found[n+1]
		}
	}
	return served, workload
}
