package evidence

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report/paragraph"
)

const (
	// quoted matches an object as it is quoted, up to what the reason says next. A text in it
	// may have any sign, and the last one may be cut off.
	quoted = `(?:"(?:[^"\\\n]|\\.)*"|"[^";\n]*|[^";\n])*`
	// allSeen matches the objects that an Observation names.
	allSeen = quoted + `(?:; (?:\S+ at resourceVersion \d+|[a-z0-9][-a-z0-9.]* \{)` + quoted + `)*(?:; and \d+ more)?(?:; what came true of it: [^;\n]*)?`
)

var (
	// atStep matches a reason that names a step: see [failedStep].
	atStep = regexp.MustCompile(`(?s)^(.*?)at "([^"]+)" \(([^)]*)\): (.*)$`)
	// ofField matches a field that is not as expected, in Chainsaw's words.
	ofField = regexp.MustCompile(`[^\s*][^\n;]*?: (?:Invalid value: [^\n;]*?: (?:Expected value: [^\n;]*(?:; where [^\n;]*)?|value is null|lengths of slices don't match)|Required value: field not found[^\n;]*)`)
	// invariant matches a reason that begins with what must never happen.
	invariant = regexp.MustCompile(`^[A-Z]\w+: \S`)
	// oneMore matches the beginning of one more of these.
	oneMore = regexp.MustCompile(`; [A-Z]\w+: `)
	// ofRule matches what an Observation says of the rule that was broken.
	ofRule = regexp.MustCompile(`(?:never )?expected "[^\n]*?"(?: within [\d.a-z]+(?: \([^)]*\))?)?, seen(?: at the end)?: ` + allSeen)
	// ofOrder matches what an Observation says of two rules that came true in the wrong order.
	ofOrder = regexp.MustCompile(`expected "[^\n]*?" after "[^\n]*?", was true at resourceVersion \d+, and the other not (?:before|within) [\d.a-z]+`)
	// ofAll matches what a Drift or a Snapshot says of all that it looks at.
	ofAll = regexp.MustCompile(`(?:the [^:;\n]*: )?expected: [^;\n]*; found: (?:\((?:[^()\n]|\([^()\n]*\))*\)|[^;(\n])*`)
	// ofCount matches what a Traffic says of numbers and of rest, without the requests.
	ofCount = regexp.MustCompile(`expected [^;"\n]*?, found \d+|expected the subject to fall quiet within [\d.a-z]+`)
	// mustHold matches what the scenario says of values that it compares.
	mustHold = regexp.MustCompile(`; what must hold: ([^\n]+?)(?:$|; |\n)`)
	// waited matches how long an Observation waited for what did not come.
	waited = regexp.MustCompile(`expected "[^\n]*?" within ([\d.a-z]+)(?: \([^)]*\))?, seen at the end: `)
	// inPicture matches a difference of a Snapshot to the one that it must be equal to.
	inPicture = regexp.MustCompile(`: ("[^"]*"|[^\s,;]+), was ("[^"]*"|[^\s,;]+)`)
	// goesOn comes before a write that was refused each time.
	goesOn = regexp.MustCompile(`; the controller (?:goes on trying|tried \d+ times) to `)
	// itIsThere matches an object that must not be, or the words for one that must be.
	itIsThere = regexp.MustCompile(`\S+ - resource matches expectation|(?:\S+ - )?actual resource not found`)
)

// failedStep is a reason that names the step that failed.
type failedStep struct {
	before    string // what the reason says before that
	name      string // of the step
	operation string // of the step that failed
	found     string // by the operation
}

// failedStepOf returns the step that a reason names, or nil.
func failedStepOf(reason string) *failedStep {
	m := atStep.FindStringSubmatch(reason)
	if m == nil {
		return nil
	}
	return &failedStep{before: before(m[1]), name: m[2], operation: m[3], found: m[4]}
}

// Reason says why a result did not pass. What a step expected, and what it found instead,
// stand on lines of their own. It ends with a newline.
func Reason(r *v1alpha1.Result) string {
	step := failedStepOf(r.Reason)
	if step == nil {
		return fmt.Sprintf("reason: %s\n", paragraph.Indent(r.Reason))
	}
	pairs, rest := Expectations(step.operation, step.found)
	if len(pairs) == 0 {
		return fmt.Sprintf("reason: %s\n", paragraph.Indent(r.Reason))
	}
	pairs = Happened(r.Evidence, pairs)
	var b strings.Builder
	if step.before != "" {
		fmt.Fprintf(&b, "reason: %s\n", paragraph.Indent(step.before))
	}
	fmt.Fprintf(&b, "failed at: %s\n", step.name)
	for _, p := range pairs {
		fmt.Fprintf(&b, "  expected: %s\n  found:    %s\n", p.Expected, p.Found)
	}
	if rest != "" {
		fmt.Fprintf(&b, "reason: %s\n", paragraph.Indent(rest))
	}
	return b.String()
}

// withoutPairs leaves out what an object of the bench says of a rule, because the pairs say
// it.
func withoutPairs(text string) string {
	if strings.HasPrefix(text, "Traffic ") {
		text = strings.Trim(ofCount.ReplaceAllString(notAsExpected.ReplaceAllString(text, ""), ""), "; ")
		if strings.HasPrefix(text, "in ") {
			text = "counted " + text
		}
		return text
	}
	if at := notAsExpected.FindStringIndex(text); at != nil && (ofRule.MatchString(text) || ofOrder.MatchString(text) || ofAll.MatchString(text)) {
		text = notAsExpected.ReplaceAllString(withoutObjects(text), "")
	}
	return strings.Trim(ofAll.ReplaceAllString(ofOrder.ReplaceAllString(ofRule.ReplaceAllString(text, ""), ""), ""), "; ")
}

// before returns what a reason says before it names the step.
func before(text string) string {
	text = strings.TrimSpace(text)
	for _, end := range []string{"itself it failed", "it failed", "the scenario failed"} {
		text = strings.TrimSuffix(text, end)
	}
	return strings.TrimRight(text, ";: ")
}

// Expectations returns what the failed operation expected, and what it found instead, in
// words, and the rest of what it says.
func Expectations(operation, found string) (pairs []Pair, rest string) {
	of := Object(operation)
	for _, p := range Pairs(found) {
		expected, seen := p.inWords(of)
		pairs = append(pairs, Pair{Expected: expected, Found: seen})
	}
	if len(pairs) == 0 {
		return nil, found
	}
	if m := mustHold.FindStringSubmatch(found); m != nil {
		// It is there because what was compared is hard to read, and is about all of that.
		said := strings.TrimSuffix(paragraph.Uncapitalized(m[1]), ".")
		pairs = []Pair{{Expected: said, Found: foundOf(pairs)}}
		found = strings.Replace(found, m[0], "; ", 1)
	}
	found = strings.Replace(found, "; it relies on what", "; this requirement relies on what", 1)
	return pairs, strings.Trim(itIsThere.ReplaceAllString(ofField.ReplaceAllString(withoutPairs(found), ""), ""), "; \n")
}

// Happened returns pairs with what happened, if that is known, in the place of objects that do
// not show it at a glance.
func Happened(e *v1alpha1.Evidence, pairs []Pair) []Pair {
	for n := range pairs {
		if e != nil && e.Happened != "" && unsaid.MatchString(pairs[n].Expected) {
			pairs[n].Found = e.Happened
		}
	}
	return pairs
}

// foundOf returns what was found of several things, each once. A sentence says what was
// expected, so the value of an expression says only that this is not so.
func foundOf(pairs []Pair) string {
	var all []string
	for _, p := range pairs {
		if one := truth.ReplaceAllString(p.Found, notSo); !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return strings.Join(all, "; ")
}

// unsaid matches a rule in CEL that is not said in words, and an expression of Chainsaw that
// nobody reads at a glance. The name of the step says it better.
var unsaid = regexp.MustCompile(`\b(?:new|old|first)\.|x_k8s_|\b(?:length|label_match|regex_match)\(|[<>]=? \$\w`)

// truth matches the value of an expression that nobody reads.
var truth = regexp.MustCompile(`^(?:true|false)\b`)

// notSo says that something is not as the name of the step says.
const notSo = "this is not so"

// mostRule is how long a rule may be that is told in brief.
const mostRule = 120

// Brief says in one line what was expected and what was found, or the reason, if that does
// not say it.
func Brief(r *v1alpha1.Result) string {
	reason, _, _ := strings.Cut(r.Reason, "\n")
	step := failedStepOf(r.Reason)
	if step == nil {
		return reason
	}
	if invariant.MatchString(step.before) {
		return fmt.Sprintf("%s: %s", step.name, firstBroken(step.before, step.operation, step.found))
	}
	told := withoutRefusals(besides.ReplaceAllString(step.found, ""))
	pairs, rest := Expectations(step.operation, told)
	if len(pairs) == 0 && strings.HasPrefix(r.Reason, "at ") && notAsExpected.MatchString(told) {
		found, _, _ := strings.Cut(notAsExpected.ReplaceAllString(told, ""), "\n")
		return fmt.Sprintf("%s: %s", step.name, found)
	}
	if len(pairs) == 0 {
		return reason
	}
	ordered := ofOrder.MatchString(told)
	tooLong := len(pairs[0].Expected) > mostRule && (ordered || ofRule.MatchString(told))
	unsayable := tooLong || unsaid.MatchString(pairs[0].Expected) // the name of the step says what was expected
	if e := r.Evidence; e != nil && e.Happened != "" && unsayable {
		return fmt.Sprintf("%s: %s", step.name, e.Happened)
	} else if e != nil && e.Happened != "" {
		return fmt.Sprintf("%s: expected %s; found: %s", step.name, pairs[0].Expected, e.Happened)
	}
	within := ""
	if at := waited.FindStringSubmatch(told); at != nil {
		within = inTenths(at[1])
	}
	if unsayable {
		return fmt.Sprintf("%s: %s", step.name, foundOnly(pairs[0], ordered, within))
	}
	text := step.name + ": " + step.firstPair(pairs[0], told, within)
	if at := strings.Index(rest, endedItself); at >= 0 && !strings.Contains(text, endedItself) {
		text += "; " + rest[at:]
	}
	if more := len(pairs) - 1; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// firstPair says in one line what the step expected and what it found.
func (s *failedStep) firstPair(p Pair, told, within string) string {
	if p.Expected == thereIsOne && p.Found == "none" {
		return "found none" + prefixed(" after ", within)
	}
	expected, found := p.Expected, p.Found+counted(told)
	if strings.Contains(s.operation, "/Snapshot ") {
		found = inPicture.ReplaceAllString(found, ": $1 (expected: $2)")
	}
	if _, what, of := strings.Cut(expected, ": "); of && strings.Contains(s.operation, "/Drift ") {
		expected = what // the name of the step says of what
	}
	colon := ""
	if mustHold.MatchString(told) {
		colon = ":" // a sentence comes
	}
	return fmt.Sprintf("expected%s %s%s; found%s %s", colon, expected, prefixed(" within ", within), colon, found)
}

// firstBroken returns the first of the invariants that a reason begins with, and how many more
// were broken.
func firstBroken(broken, operation, found string) string {
	if at := oneMore.FindStringIndex(broken); at != nil {
		broken = fmt.Sprintf("%s; and %d more", broken[:at[0]], len(oneMore.FindAllStringIndex(broken, -1)))
	}
	if pairs, _ := Expectations(operation, found); len(pairs) > 0 && strings.HasSuffix(pairs[0].Expected, "open watches") {
		broken += "; expected " + pairs[0].Expected + ", found " + pairs[0].Found // the requests do not show how many stay
	}
	return broken
}

// foundOnly says what was found, after the name of a step that says what was expected. Ordered
// is true if two rules had to come true in an order.
func foundOnly(p Pair, ordered bool, within string) string {
	found := p.Found
	switch {
	case ordered && strings.Contains(found, "not before"):
		found = "the other order"
	case ordered:
		found = "only what had to come after it"
	case found == noObject && strings.HasPrefix(p.Expected, "new != null"):
		return "found none" + prefixed(" after ", within)
	case strings.HasPrefix(p.Expected, "no entry in "):
		found = "what must not be there: " + strings.TrimPrefix(found, "1 entry: ")
	}
	return fmt.Sprintf("found%s %s", prefixed(" after ", within), truth.ReplaceAllString(found, notSo))
}

// prefixed returns a text behind another one, or "" if it is empty.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// inTenths returns a time without what is less than a tenth of a second.
func inTenths(text string) string {
	if d, err := time.ParseDuration(text); err == nil && d > time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return text
}

// withoutRefusals leaves out which write was refused each time. That is a symptom, too.
func withoutRefusals(text string) string {
	at := goesOn.FindStringIndex(text)
	if at == nil {
		return text
	}
	_, end, ended := strings.Cut(text[at[0]:], "; "+endedItself)
	if !ended {
		return text[:at[0]]
	}
	return text[:at[0]] + "; " + endedItself + end
}

// endedItself begins what a reason says of a process that has ended.
const endedItself = "the subject ended by itself"

// inWords returns what was expected and what was found, of a field of an object, or of an
// object.
func (p Pair) inWords(object string) (expected, found string) {
	switch {
	case p.Found == "it is there" && p.About != "":
		return "no such " + kindOf(p.About), Object(p.About)
	case p.Found == "there is none" && strings.Contains(object, " "):
		return object, "none"
	case p.Found == "there is none" && object != "":
		return "such a " + kindOf(object), "none"
	case p.About == "":
		return p.Expected, p.Found
	case strings.HasPrefix(p.About, "the "):
		return p.About + ": " + p.Expected, p.Found
	case strings.HasSuffix(p.Expected, " entry") || strings.HasSuffix(p.Expected, " entries"):
		if list := Field(p.About); len(list) <= mostRule {
			p.Expected += " in " + list // otherwise the name of the step says of what
		}
		return p.Expected, p.Found + at(object)
	}
	field := Field(p.About)
	if m := either.FindStringSubmatch(p.About); m != nil && p.Expected == `"true"` {
		if m[2] == "$error == null" {
			return "no error", p.Found + at(object)
		}
		return strings.NewReplacer("`", "").Replace(m[1] + m[2]), p.Found + at(object)
	}
	if m := twoFields.FindStringSubmatch(field); m != nil && p.Expected == "true" {
		if p.Found == "false" {
			p.Found = "they differ"
		}
		return fmt.Sprintf("%s and %s are the same", m[1], m[2]), p.Found + at(object)
	}
	if m := isNull.FindStringSubmatch(field); m != nil && p.Expected == "true" {
		path := strings.ReplaceAll(strings.TrimPrefix(m[1]+"."+m[2], "."), `"`, "")
		if m[3] == "!" {
			return missing(path, object)
		}
		return "no " + path, strings.TrimPrefix(p.Found, m[2]+" is ") + at(object)
	}
	if strings.ContainsAny(field, "<>=") && p.Expected == "true" && p.Found == "false" {
		return field, notSo + at(object)
	}
	if strings.ContainsAny(field, "<>=") && p.Expected == "true" {
		return field, p.Found + at(object) // the values of what is compared
	}
	if strings.ContainsAny(field, "<>=") && p.Expected == "false" {
		return "that this is not so: " + field, p.Found + at(object)
	}
	if p.Expected == something {
		return missing(field, object)
	}
	return fmt.Sprintf("%s = %s", field, p.Expected), fmt.Sprintf("%s%s", p.Found, at(object))
}

// something is what was expected of a field that is not there: the text names no value.
const something = "something"

// missing says that an object lacks a field, or an entry of its labels or annotations.
func missing(field, object string) (expected, found string) {
	what := "a value in " + field
	if m := ofMetadata.FindStringSubmatch(field); m != nil {
		what = m[2] + "s"
		if m[3] != "" {
			what = fmt.Sprintf("the %s %s", m[2], m[3])
		}
		what += prefixed(" of ", m[1])
	} else if field == "status" || field == "spec" {
		what = "a " + field
	}
	return what, "none" + at(object)
}

// ofMetadata matches the labels or the annotations of an object, or one of them.
var ofMetadata = regexp.MustCompile(`^(?:([\w.]+)\.)?metadata\.(label|annotation)s(?:\.(.+))?$`)

func at(object string) string {
	if object == "" {
		return ""
	}
	return ", in " + object
}

// either is how a scenario compares so that the message shows the value: the comparison,
// or, if it is not true, the value.
var either = regexp.MustCompile(`^((?:[\w.]+\.)?)\(to_string\((.+) \|\| [^|]+\)\)$`)

var (
	operation = regexp.MustCompile(`^(?:[a-z]+ )?(?:[\w.-]+/)*([A-Z]\w*)(?: @ |/)[\w.*-]+/([\w.*-]+)$`)
	isTrue    = regexp.MustCompile(`\(([A-Za-z]\w*)\[\?(\w+)\]\)`)
	orElse    = regexp.MustCompile("\\(([\\w.]+) \\|\\| (?:`?\\w+`?|'')\\)")
	inList    = regexp.MustCompile(`\(?([A-Za-z]\w*)\[\?(\w+) == '([^']*)'\]\)?(?:\[0\])?`)
	// twoFields are compared with each other.
	twoFields = regexp.MustCompile(`^(\w+(?:\.\w+)+) == (\w+(?:\.\w+)+)$`)
	// isNull asks whether a field is there.
	isNull = regexp.MustCompile(`^(?:([\w.]+)\.)?\(?([\w.]+(?:\."[^"]+")?) ([!=])= null\)?$`)
	// ofSome is a field of the entries that an expression with a function chooses. The values
	// say which entries.
	ofSome   = regexp.MustCompile(`\((\w+)\[\?[^\]]*\w\(.*\]((?:\.\w+)+)\)(?:\[0\])?`)
	ofInList = regexp.MustCompile(`(^|\.)\(([A-Za-z]\w*\[\?\w+ == '[^']*'\](?:\.\w+)+)\)(?:\[0\])?`)
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
	path = isTrue.ReplaceAllString(path, "$1[$2=true]")
	path = ofInList.ReplaceAllString(path, "$1$2")
	path = ofSome.ReplaceAllString(path, "$1$2")
	path = orElse.ReplaceAllString(inList.ReplaceAllString(path, "$1[$2=$3]"), "$1")
	path = strings.NewReplacer("`", "").Replace(path)
	if strings.HasPrefix(path, "(") && strings.HasSuffix(path, ")") {
		path = path[1 : len(path)-1]
	}
	return path
}
