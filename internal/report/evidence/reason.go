package evidence

import (
	"fmt"
	"regexp"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report/paragraph"
)

var (
	// atStep matches a reason that names a step, the operation of it, and what that found.
	atStep = regexp.MustCompile(`(?s)^(.*?)at "([^"]+)" \(([^)]*)\): (.*)$`)
	// ofField matches a field that is not as expected, in Chainsaw's words.
	ofField = regexp.MustCompile(`[^\s*][^\n;]*?: Invalid value: [^\n;]*?: (?:Expected value: [^\n;]*|value is null|lengths of slices don't match)`)
	// itIsThere matches an object that must not be, or the words for one that must be.
	itIsThere = regexp.MustCompile(`\S+ - resource matches expectation|(?:\S+ - )?actual resource not found`)
)

// Reason says why a result did not pass. What a step expected, and what it found instead,
// stand on lines of their own. It ends with a newline.
func Reason(r *v1alpha1.Result) string {
	m := atStep.FindStringSubmatch(r.Reason)
	if m == nil {
		return fmt.Sprintf("reason: %s\n", paragraph.Indent(r.Reason))
	}
	before, step, operation, found := before(m[1]), m[2], m[3], m[4]
	pairs := Pairs(found)
	if len(pairs) == 0 {
		return fmt.Sprintf("reason: %s\n", paragraph.Indent(r.Reason))
	}
	var b strings.Builder
	if before != "" {
		fmt.Fprintf(&b, "reason: %s\n", paragraph.Indent(before))
	}
	fmt.Fprintf(&b, "failed at: %s\n", step)
	of := Object(operation)
	for _, p := range pairs {
		expected, seen := p.inWords(of)
		fmt.Fprintf(&b, "  expected: %s\n  found:    %s\n", expected, seen)
	}
	if rest := strings.Trim(itIsThere.ReplaceAllString(ofField.ReplaceAllString(found, ""), ""), "; \n"); rest != "" {
		fmt.Fprintf(&b, "reason: %s\n", paragraph.Indent(rest))
	}
	return b.String()
}

// before returns what a reason says before it names the step.
func before(text string) string {
	text = strings.TrimSpace(text)
	for _, end := range []string{"itself it failed", "it failed", "the scenario failed"} {
		text = strings.TrimSuffix(text, end)
	}
	return strings.TrimRight(text, ";: ")
}

// Brief says in one line what was expected and what was found, or the reason, if that does
// not say it.
func Brief(r *v1alpha1.Result) string {
	reason, _, _ := strings.Cut(r.Reason, "\n")
	m := atStep.FindStringSubmatch(r.Reason)
	if m == nil {
		return reason
	}
	pairs := Pairs(m[4])
	if len(pairs) == 0 {
		return reason
	}
	expected, found := pairs[0].inWords(Object(m[3]))
	text := fmt.Sprintf("%s: expected %s; found %s", m[2], expected, found)
	if more := len(pairs) - 1; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// inWords returns what was expected and what was found, of a field of an object, or of an
// object.
func (p Pair) inWords(object string) (expected, found string) {
	switch {
	case p.Found == "it is there" && p.About != "":
		return "no such " + kindOf(p.About), Object(p.About)
	case p.Found == "there is none" && object != "":
		return "such a " + kindOf(object), "none"
	case p.About == "":
		return p.Expected, p.Found
	}
	field := Field(p.About)
	if strings.ContainsAny(field, "<>=") && (p.Expected == "true" || p.Expected == "false") {
		return fmt.Sprintf("%s, which is %s", field, p.Expected), p.Found + at(object)
	}
	return fmt.Sprintf("%s = %s", field, p.Expected), fmt.Sprintf("%s%s", p.Found, at(object))
}

func at(object string) string {
	if object == "" {
		return ""
	}
	return ", in " + object
}

var (
	operation = regexp.MustCompile(`^(?:[a-z]+ )?(?:[\w.-]+/)*([A-Z]\w*)(?: @ |/)[\w.*-]+/([\w.*-]+)$`)
	inList    = regexp.MustCompile(`\(?([A-Za-z]\w*)\[\?(\w+) == '([^']*)'\]\)?(?:\[0\])?`)
)

// Object returns the kind and the name of the object of an operation, such as assert
// apps/v1/Deployment @ ns/demo, or "" if it names none.
func Object(text string) string {
	m := operation.FindStringSubmatch(text)
	switch {
	case m == nil:
		return ""
	case m[2] == "*":
		return m[1]
	}
	return m[1] + " " + m[2]
}

func kindOf(text string) string {
	kind, _, _ := strings.Cut(Object(text), " ")
	if kind == "" {
		kind, _, _ = strings.Cut(text, " ")
	}
	return kind
}

// Field returns the path of a field as people write it, without the signs of Chainsaw's
// expressions.
func Field(path string) string {
	path = inList.ReplaceAllString(path, "$1[$2=$3]")
	path = strings.NewReplacer("`", "").Replace(path)
	if strings.HasPrefix(path, "(") && strings.HasSuffix(path, ")") {
		path = path[1 : len(path)-1]
	}
	return path
}
