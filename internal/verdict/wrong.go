package verdict

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// wrongs returns what a failed operation found wrong. Each kind of object reports it in
// its own way. What is not understood is left out.
func (c *Case) wrongs(failure chainsaw.Failure) []wrong {
	of := failure.Of
	switch of.Kind {
	case "Observation":
		if of.Resource == faultResource {
			return c.unfired(of.Name)
		}
		return c.namespaced(failure.Object, inObservation(of, failure.Message))
	case "Snapshot":
		return inSnapshot(of.Details)
	case "Drift":
		return c.namespaced(failure.Object, inDrift(of))
	case "Traffic":
		return c.inTraffic(failure.Message)
	case "":
	default:
		return nil
	}
	object, known := c.objectOf(failure.Object)
	switch {
	case !known:
		return nil
	case ofBench(failure):
		return c.unfired(object.name)
	case failure.Operation == "error":
		object.what = present
		if m := itIsThere.FindStringSubmatch(failure.Message); m != nil && object.name == "" {
			object.name = m[1]
		}
		return []wrong{object}
	case strings.Contains(failure.Message, "actual resource not found"):
		object.what = missing
		return []wrong{object}
	}
	return inDifference(object, failure.Message)
}

// namespaced returns what is wrong with objects in the namespace of an object of the bench.
func (c *Case) namespaced(ofBench string, found []wrong) []wrong {
	if bench, known := c.objectOf(ofBench); known {
		for n := range found {
			found[n].namespace = bench.namespace
		}
	}
	return found
}

// objectOf returns the object that Chainsaw's log names.
func (c *Case) objectOf(text string) (wrong, bool) {
	named, ok := chainsaw.ParseObject(text)
	if !ok {
		return wrong{}, false
	}
	object := wrong{resource: c.Contract.ResourceOf(named.Kind, named.Resource).String(), namespace: named.Namespace, name: named.Name}
	if object.name == "*" {
		object.name = ""
	}
	return object, true
}

// finding matches an item in Chainsaw's list of differences: a field, and what is wrong
// with it.
var finding = regexp.MustCompile(`(?m)^\s*\* (\S.*?): (?:Invalid value|Required value|Forbidden|Unsupported value)`)

// itIsThere matches the name of an object that must not be there: apps/v1/Deployment/ns/demo.
var itIsThere = regexp.MustCompile(`/([^/\s]+) - resource matches expectation`)

// inDifference returns the fields that Chainsaw names. If Chainsaw names an expression
// that is not a field, there are none.
func inDifference(object wrong, message string) []wrong {
	var found []wrong
	for _, m := range finding.FindAllStringSubmatch(message, -1) {
		path := plain(m[1])
		if path == "" {
			return nil
		}
		if slices.Contains(ofServer, path) {
			continue // the controller does not write it
		}
		object.what, object.path = differs, path
		found = append(found, object)
	}
	return found
}

// ofServer are fields that the API server itself maintains.
var ofServer = []string{"metadata.generation", "metadata.resourceVersion", "metadata.uid", "metadata.deletionTimestamp", "metadata.creationTimestamp"}

var (
	atTheEnd = regexp.MustCompile(`(?s), seen at the end: (.*)$`)
	// none matches a rule in a message that wants no object.
	none = regexp.MustCompile(`expected "(?:all\.size\(\) == 0|new == null)(?:"| \|\| )`)
	// several matches a rule about the number of objects.
	several   = regexp.MustCompile(`expected "all\.size\(\) [><=]`)
	following = regexp.MustCompile(`; ([a-z0-9][-a-z0-9.]*) \{`)
	everSeen  = regexp.MustCompile(`(?s), seen: (\S+) at resourceVersion (\d+) `)
	reads     = regexp.MustCompile(`\bnew((?:\.\??[A-Za-z]\w*)+)`)
)

// inObservation returns the fields that an Observation's rule reads: of the object as it
// was at the end, or of a version that must never have existed. If the rule wants no
// object, it returns the objects that are there.
func inObservation(of chainsaw.Measured, message string) []wrong {
	if of.Resource == "" {
		return nil
	}
	object := wrong{resource: of.Resource, name: of.Name, what: differs}
	if m := atTheEnd.FindStringSubmatch(message); m != nil {
		if m[1] == "nothing" {
			object.what = missing
			return []wrong{object}
		}
		name, excerpt, _ := strings.Cut(m[1], " ")
		object.name = name
		if none.MatchString(message) {
			return still(object, excerpt)
		}
		if several.MatchString(message) {
			return nil // no field is wrong
		}
		var content map[string]any
		if json.Unmarshal([]byte(excerpt), &content) != nil {
			return nil
		}
		rule, _, _ := strings.Cut(message, ", seen at the end: ")
		return fieldsIn(object, content, "", read(object, rule))
	}
	m := everSeen.FindStringSubmatch(message)
	if m == nil {
		return nil
	}
	object.name, object.at = m[1], m[2]
	rule, _, _ := strings.Cut(message, ", seen: ")
	if _, part, found := strings.Cut(message, "; what came true of it: "); found {
		rule = part
	}
	if found := read(object, rule); len(found) > 0 {
		return found
	}
	return []wrong{object} // it must not be there at all
}

// still returns the first object, and the objects that the excerpt names after it. They
// still exist.
func still(first wrong, excerpt string) []wrong {
	first.what = present
	found := []wrong{first}
	for _, m := range following.FindAllStringSubmatch(excerpt, -1) {
		first.name = m[1]
		found = append(found, first)
	}
	return found
}

// read returns the fields of the present object that an expression reads.
func read(object wrong, expression string) []wrong {
	var found []wrong
	for _, m := range reads.FindAllStringSubmatch(expression, -1) {
		path := plain(strings.ReplaceAll(strings.TrimPrefix(m[1], "."), "?", ""))
		path = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(path, ".orValue"), ".exists"), ".hasValue")
		object.path = path
		if !slices.Contains(found, object) {
			found = append(found, object)
		}
	}
	return found
}

// fieldsIn returns the leaves of an excerpt. A map that the rule reads as a whole, such as a
// selector, is a leaf: it is not known which of its keys is wrong.
func fieldsIn(object wrong, value any, path string, whole []wrong) []wrong {
	object.path = plain(path)
	fields, is := value.(map[string]any)
	if !is || len(fields) == 0 || depth(path) == mostDeep || slices.Contains(whole, object) {
		return []wrong{object}
	}
	var found []wrong
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		below := name
		if path != "" {
			below = path + "." + name
		}
		found = append(found, fieldsIn(object, fields[name], below, whole)...)
	}
	return found
}

// mostDeep is the largest number of steps in a path.
const mostDeep = 8

func depth(path string) int { return strings.Count(path, ".") + 1 }

// differenceOf matches a difference of a Snapshot: deployments.apps demo: spec.replicas:
// 3, was 2. Of objects with names that are made up, such as demo-?????, the second has a (2).
var differenceOf = regexp.MustCompile(`(?s)^(\S+) (\S+)(?: \(\d+\))?: (is missing$|was not there$|(\S+): )`)

func inSnapshot(details []string) []wrong {
	var found []wrong
	for _, detail := range details {
		m := differenceOf.FindStringSubmatch(detail)
		if m == nil {
			continue
		}
		object := wrong{resource: m[1], name: m[2]}
		if strings.ContainsAny(object.name, "?<") {
			object.name = "" // no object is called so
		}
		switch m[3] {
		case "is missing":
			object.what = missing
		case "was not there":
			object.what = present
		default:
			object.what, object.path, object.compared = differs, plain(m[4]), true
		}
		found = append(found, object)
	}
	return found
}

// inDrift returns the fields that were not restored, the added fields that the controller took
// away, or the deleted objects that it did not make again.
func inDrift(of chainsaw.Measured) []wrong {
	var found []wrong
	for _, detail := range of.Details {
		place, note, _ := strings.Cut(detail, " (")
		object := wrong{resource: of.Resource, name: of.Name, what: differs}
		if of.Mode == v1alpha1.DriftDelete || of.Mode == v1alpha1.DriftChangeOthers {
			object.resource, place, _ = strings.Cut(place, " ")
			object.name, place, _ = strings.Cut(place, " ")
		}
		object.path = plain(place)
		switch {
		case of.Mode == v1alpha1.DriftDelete:
			object.what = missing
		case of.Mode == v1alpha1.DriftAdd && !strings.Contains(note, "the controller did not write the object"):
			object.what = written
		case of.Mode != v1alpha1.DriftAdd && strings.Contains(note, "not back after"):
			object.what = foreign
		}
		found = append(found, object)
	}
	return found
}

var (
	counted = regexp.MustCompile(`expected (no|[^,]*?) ?(?:effective writes|no-op or refused writes|requests)[^;]*, found \d+`)
	listed  = regexp.MustCompile(`#(\d+) `)
)

// inTraffic returns the writes that must not have been made, by the fields that they
// changed, or the objects that were requested too often. If no write may change anything,
// a no-op is not one of them.
func (c *Case) inTraffic(message string) []wrong {
	m := counted.FindStringSubmatch(message)
	if m == nil || strings.HasPrefix(m[1], "at least") {
		return nil // too few are not something that it did
	}
	futileOnly := strings.Contains(message, "no-op or refused writes")
	effectiveOnly := strings.Contains(message, " effective writes")
	changingOnly := strings.Contains(message, "of more than managed fields")
	var found []wrong
	for _, r := range c.countedIn(message) {
		object := wrong{resource: r.GroupResource().String(), name: r.Name, what: repeated}
		if futileOnly && done(r) {
			continue // it is listed, and not counted
		}
		if effectiveOnly && !done(r) || changingOnly && (r.OnlyManaged() || r.OnlyStarts()) {
			continue // it is listed, and not counted
		}
		if m[1] != "no" {
			object.wrote = effectiveOnly
			found = append(found, object)
			continue
		}
		object.what, object.asked = written, !r.IsWrite()
		switch {
		case r.Bystander:
			object.what = trespassed
		case r.OnlyTimes && done(r):
			object.what = echoed
		}
		if object.what != written {
			found = append(found, object)
			continue
		}
		paths := r.Changed
		if len(paths) == 0 || r.Verb != history.VerbUpdate || !done(r) {
			paths = []string{""}
		}
		for _, path := range paths {
			object.path = plain(path)
			found = append(found, object)
		}
	}
	return oftenFirst(unnamed(found))
}

// unnamed leaves out the names of objects of a kind that were requested too often, if several
// of them were: then it is their number that is wrong.
func unnamed(found []wrong) []wrong {
	all := slices.Clone(found)
	for n, w := range found {
		other := func(o wrong) bool { return o.what == repeated && o.resource == w.resource && o.name != w.name }
		if w.what == repeated && slices.ContainsFunc(found, other) {
			all[n].name = ""
		}
	}
	return all
}

// oftenFirst puts what was requested too often in the order of how often it is listed. What
// is listed once, such as the creation of a child, seldom shows what is wrong, and is said not
// to be too often if something else is listed more often.
func oftenFirst(found []wrong) []wrong {
	times := map[wrong]int{}
	most := 0
	for _, w := range found {
		if w.what == repeated {
			times[w]++
			most = max(most, times[w])
		}
	}
	slices.SortStableFunc(found, func(a, b wrong) int { return times[b] - times[a] })
	for n, w := range found {
		found[n].once = times[w] == 1 && most > 1
	}
	return found
}

// countedIn returns the requests that the message of a Traffic lists.
func (c *Case) countedIn(message string) []history.Request {
	var found []history.Request
	for _, number := range listed.FindAllStringSubmatch(message, -1) {
		seq, err := strconv.ParseInt(number[1], 10, 64)
		n := slices.IndexFunc(c.Account.Requests, func(r history.Request) bool { return err == nil && r.Seq == seq })
		if n >= 0 {
			found = append(found, c.Account.Requests[n])
		}
	}
	return found
}

// unfired returns the write that a Fault waited for without success: the creation of a missing
// child, or an update of its fields.
func (c *Case) unfired(fault string) []wrong {
	fired := false
	var armed *history.Event
	for n := range c.Account.Events {
		e := &c.Account.Events[n]
		if e.Object != "Fault/"+fault {
			continue
		}
		switch e.Reason {
		case history.FaultArmed:
			armed, fired = e, false
		case history.FaultFired:
			fired = true
		}
	}
	if armed == nil || fired || len(armed.Resources) != 1 || c.role(armed.Resources[0]) != v1alpha1.RoleChild {
		return nil
	}
	object := wrong{resource: armed.Resources[0]}
	switch {
	case slices.Contains(armed.Verbs, history.VerbCreate):
		object.what = missing
	case slices.Contains(armed.Verbs, history.VerbUpdate):
		object.what = differs
	default:
		return nil
	}
	return []wrong{object}
}

var (
	ofMetadata = regexp.MustCompile(`^(.*?\bmetadata\.)\(?(labels|annotations|ownerReferences|finalizers)\b.*$`)
	bracketed  = regexp.MustCompile(`\(([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)\)`)
	// orElse matches a field with what stands for it if it is left out: (readyReplicas || `0`).
	orElse   = regexp.MustCompile(`\(([A-Za-z]\w*(?:\.[A-Za-z]\w*)*) \|\| [^()|]*\)`)
	ordinary = regexp.MustCompile(`^[A-Za-z]\w*(\.[A-Za-z]\w*)*$`)
)

// plain returns a path without the keys of list entries, so that the paths of Chainsaw,
// CEL, Drifts and requests can be compared. In the metadata the path ends at the field,
// because the keys of labels contain dots. It returns "" if the text is not a path.
func plain(path string) string {
	path = ofMetadata.ReplaceAllString(path, "$1$2")
	path = orElse.ReplaceAllString(path, "$1")
	path = bracketed.ReplaceAllString(withoutEntries(path), "$1")
	path = strings.Trim(path, ".")
	if !ordinary.MatchString(path) {
		return ""
	}
	return path
}

// withoutEntries removes what stands in square brackets. A filter may have brackets of its
// own.
func withoutEntries(path string) string {
	var rest strings.Builder
	deep := 0
	for _, r := range path {
		switch {
		case r == '[':
			deep++
		case r == ']':
			deep--
		case deep == 0:
			rest.WriteRune(r)
		}
	}
	return rest.String()
}
