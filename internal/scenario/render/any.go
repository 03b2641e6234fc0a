package render

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/profile"
)

// labelAny marks a scenario that can be judged without a contract.
const labelAny = "reconform.dev/any"

// anyAsWritten is the value of that label if the scenario is about the controller's own objects,
// such as one that an exploration wrote: it is not rewritten.
const anyAsWritten = "as-written"

// NeedsContract is the reason why a scenario cannot be judged for a profile without a
// contract.
const NeedsContract = "it needs a contract: it is about the fields or the children of a web app"

// clusterScoped is the reason why a scenario that needs objects of the same resource in several
// namespaces cannot be judged.
const clusterScoped = "its objects have no namespace, and it needs one in each of two namespaces"

// worksByTheClock is the reason why a scenario that expects no write at rest cannot be judged.
const worksByTheClock = "its sample has the schedule %s, so it may come due when nothing must be written. With a yearly one it is judged"

// generalizer rewrites a scenario for a profile without a contract. What the scenario does
// to a WebApp it does to an object that the controller serves: a change of the spec becomes
// an edit of the profile. What is said of children is not known: where the scenario waits
// for a child, it waits until the controller has made an effective write since the last
// change, and has come to rest. Faults and measurements that are about children are about
// all requests of that kind.
//
// Only scenarios with the label are rewritten, because others would then prove something
// else. What it does not know in them is a Skip.
type generalizer struct {
	m      *mapper
	served profile.Served
	// last is the last change of a primary, or nil.
	last *changed
	all  []*changed
	// observed are the Observations of children that became Traffic. edits are the Loads that
	// became patches.
	observed, edits map[string]bool
	rests           int
	// resting says that the last operation waits until the controller rests.
	resting bool
	// prepares says that the current step does not judge.
	prepares bool
}

// changed is a change of a primary, on which the controller should act.
type changed struct {
	name    string     // of the Traffic that finds out
	marker  *yaml.Node // where that is created
	needed  bool       // an assertion waits for it
	awaited bool
}

// generalize rewrites the scenario if the profile has no contract.
func (m *mapper) generalize() error {
	if m.scenario.Labels[labelAny] == anyAsWritten {
		m.keepAsWritten()
		return nil
	}
	if m.profile.HasContract() {
		return nil
	}
	if m.scenario.Labels[labelAny] != "true" {
		return m.skip("%s", NeedsContract)
	}
	served, err := m.profile.Served()
	if err != nil {
		return m.skip("%v", err)
	}
	if schedule := served[0].DueOften(); schedule != "" && m.asksForNoWrite() {
		return m.skip(worksByTheClock, schedule)
	}
	g := &generalizer{m: m, served: served[0], observed: map[string]bool{}, edits: map[string]bool{}}
	keepNamesApart(m.scenario.root)
	for _, step := range list(at(m.scenario.root, "spec", "steps")) {
		if err := g.step(step); err != nil {
			return err
		}
	}
	for _, operation := range list(at(m.scenario.root, "spec", "catch")) {
		if g.ofChild(operation) {
			return m.skip("%s", NeedsContract)
		}
	}
	g.placeMarkers()
	return nil
}

// keepAsWritten keeps what the scenario creates, apart from the objects of the bench: a Service there
// is no child of a WebApp.
func (m *mapper) keepAsWritten() {
	for _, step := range list(at(m.scenario.root, "spec", "steps")) {
		for _, operation := range list(get(step, "try")) {
			if created := at(operation, "create", "resource"); created != nil && !strings.HasPrefix(text(created, "apiVersion"), "reconform.dev/") {
				m.verbatim[operation] = true
			}
		}
	}
}

// asksForNoWrite tells whether a Traffic of the scenario expects no effective write.
func (m *mapper) asksForNoWrite() bool {
	for _, step := range list(at(m.scenario.root, "spec", "steps")) {
		for _, operation := range list(get(step, "try")) {
			resource := at(operation, "create", "resource")
			if text(resource, "kind") == "Traffic" && text(at(resource, "spec", "expect", "effective"), "max") == "0" {
				return true
			}
		}
	}
	return false
}

// keepNamesApart renames the second primary, demo-2, because its name contains that of the
// first one, demo. Then the name of a child shows to which of the two it belongs.
func keepNamesApart(root *yaml.Node) {
	word := regexp.MustCompile(`\bdemo-2\b`)
	eachScalar(root, func(s *yaml.Node) { s.Value = word.ReplaceAllLiteralString(s.Value, "second") })
}

// step rewrites the operations of a step.
func (g *generalizer) step(step *yaml.Node) error {
	before := g.rests
	g.prepares = !strings.HasPrefix(text(step, "name"), "Then")
	for _, key := range operationKeys {
		operations := get(step, key)
		if operations == nil {
			continue
		}
		var kept []*yaml.Node
		for _, operation := range operations.Content {
			rests := g.rests
			instead, err := g.operation(operation)
			if err != nil {
				return err
			}
			if len(instead) > 0 {
				g.resting = g.rests > rests
			}
			kept = append(kept, instead...)
		}
		operations.Content = kept
		if len(kept) == 0 {
			remove(step, key)
		}
	}
	if name := get(step, "name"); name != nil {
		name.Value = g.stepName(name.Value, g.rests > before)
	}
	return nil
}

// stepName names a step by what it does now.
func (g *generalizer) stepName(name string, rests bool) string {
	role, rest, _ := strings.Cut(name, " ")
	if about := regexp.MustCompile(`Deployment|Service|Pods|children|served`).MatchString(rest); about && rests {
		if strings.Contains(rest, "WebApp demo") {
			name = role + " the " + referenceKind + " demo, with which the controller is done"
		} else {
			name = role + " the controller acts on it, and comes to rest"
		}
	}
	return strings.NewReplacer("the Deployment follows", "the controller acts on it", "the Deployment of", "a child of").Replace(name)
}

// operation returns what takes the place of an operation.
func (g *generalizer) operation(operation *yaml.Node) ([]*yaml.Node, error) {
	kind, body := split(operation)
	resource := get(body, "resource")
	switch object := kindOf(resource); {
	case object == kindPrimary && g.served.IsCluster() && at(resource, "metadata", "namespace") != nil:
		return nil, g.m.skip("%s", clusterScoped)
	case kind == "assert":
		return g.assertion(operation, resource)
	case object == kindPrimary && (kind == "create" || kind == "apply" || kind == "patch"):
		return g.change(kind, operation, resource)
	case object == kindLoad:
		return g.load(operation, resource)
	case object == kindObservation:
		return g.observation(operation, resource)
	case object == kindTraffic || object == kindFault:
		some, err := g.matching(at(resource, "spec", "match"))
		if err == nil && some {
			err = forEachChild(at(resource, "spec", "expect", "requests"))
		}
		return []*yaml.Node{operation}, err
	case object == kindDisruption:
		_, err := g.matching(at(resource, "spec", "while"))
		return []*yaml.Node{operation}, err
	case text(resource, "metadata", "name") == "unrelated":
		return nil, nil // what is not related to the sample is not known
	case g.ofChild(operation) && kind == "error":
		if !g.prepares {
			return nil, g.m.skip("%s", NeedsContract)
		}
		return g.rest(), nil
	case g.ofChild(operation):
		return nil, nil // what it does to a child is left out
	}
	return []*yaml.Node{operation}, nil
}

// ofChild tells whether an operation is about a child of a primary, or about an object that
// is not related to one.
func (g *generalizer) ofChild(operation *yaml.Node) bool {
	kind, body := split(operation)
	if kind == "command" {
		for _, arg := range list(get(body, "args")) {
			if resource, _, named := strings.Cut(arg.Value, "/"); named && isChild(kindOfResource(resource)) {
				return true
			}
		}
		return false
	}
	for _, object := range []*yaml.Node{get(body, "resource"), get(body, "ref"), body} {
		if isChild(kindOf(object)) {
			return true
		}
	}
	return false
}

func isChild(kind objectKind) bool {
	switch kind {
	case kindDeployment, kindService, kindEndpointSlice, kindReplicaSet, kindPod:
		return true
	}
	return false
}

// change rewrites an operation that creates a primary, or changes it.
func (g *generalizer) change(kind string, operation, resource *yaml.Node) ([]*yaml.Node, error) {
	if kind == "patch" && get(resource, "spec") == nil {
		if at(resource, "metadata", "annotations") != nil || at(resource, "metadata", "labels") != nil {
			return nil, nil // the controller may act on them
		}
		return []*yaml.Node{operation}, nil
	}
	if kind == "patch" && g.last != nil && !g.last.awaited {
		return nil, g.m.skip("%s", NeedsContract) // this edit may undo the one before, and leave nothing to do
	}
	marker := g.mark()
	if kind == "patch" {
		return []*yaml.Node{marker, operation}, nil
	}
	beside, err := g.beside(text(resource, "metadata", "name"), at(resource, "metadata", "namespace"))
	return append(append(beside, marker), operation), err
}

// mark returns a marker: a place for the Traffic that shows whether the controller acts on a
// change. See placeMarkers.
func (g *generalizer) mark() *yaml.Node {
	marker := &yaml.Node{}
	g.last = &changed{name: fmt.Sprintf("acts-%d", len(g.all)+1), marker: marker}
	g.all = append(g.all, g.last)
	return marker
}

// beside returns operations that create what must be beside a primary.
func (g *generalizer) beside(name string, namespace *yaml.Node) ([]*yaml.Node, error) {
	objects, err := g.served.Beside(placeholder)
	if err != nil {
		return nil, g.m.skip("%v", err)
	}
	var operations []*yaml.Node
	for _, object := range objects {
		written := g.m.filled(object.Object, name)
		if namespace != nil {
			set(get(written, "metadata"), "namespace", clone(namespace))
		}
		operation := mapping(str("apply"), mapping(str("resource"), written))
		g.m.verbatim[operation] = true
		operations = append(operations, operation)
	}
	return operations, nil
}

// load rewrites a Load of primaries. One that edits a primary becomes as many patches.
func (g *generalizer) load(operation, resource *yaml.Node) ([]*yaml.Node, error) {
	template, does, _ := loadTemplate(resource)
	if kindOf(template) != kindPrimary {
		return []*yaml.Node{operation}, nil
	}
	marker := g.mark()
	if does == "create" {
		if g.served.BesideEach() {
			return nil, g.m.skip("it creates many objects at once, and each needs others of its own beside it (serves[0].beside)")
		}
		beside, err := g.beside(text(template, "metadata", "name"), nil)
		return append(append(beside, marker), operation), err
	}
	var count int
	if _, err := fmt.Sscan(text(resource, "spec", "count"), &count); err != nil || count > maxLoadNames {
		return nil, g.m.skip("%s", NeedsContract)
	}
	g.edits[text(resource, "metadata", "name")] = true
	operations := []*yaml.Node{marker}
	for range count | 1 { // an odd number: in the end it differs from the sample
		operations = append(operations, mapping(str("patch"), mapping(str("resource"), clone(template))))
	}
	return operations, nil
}

// observation rewrites an Observation of a child that waits for something: it waits for an
// effective write.
func (g *generalizer) observation(operation, resource *yaml.Node) ([]*yaml.Node, error) {
	spec := get(resource, "spec")
	if observed := text(spec, "resource"); observed == "" || !isChild(kindOfResource(observed)) {
		return []*yaml.Node{operation}, nil
	}
	if get(spec, "eventually") == nil || get(spec, "never") != nil {
		return nil, g.m.skip("%s", NeedsContract)
	}
	name := text(resource, "metadata", "name")
	g.observed[name] = true
	return []*yaml.Node{effectiveWrite(name, get(spec, "within"))}, nil
}

// assertion rewrites an assertion.
func (g *generalizer) assertion(operation, resource *yaml.Node) ([]*yaml.Node, error) {
	name := text(resource, "metadata", "name")
	switch object := kindOf(resource); {
	case object == kindObservation && g.observed[name]:
		set(resource, "kind", str("Traffic"))
		g.last.awaited = true
		return []*yaml.Node{operation}, nil
	case object == kindLoad && g.edits[name]:
		return nil, nil
	case isChild(object), get(resource, "kind") == nil && strings.Contains(flat(resource), "Deployment"):
		return g.rest(), nil
	}
	return []*yaml.Node{operation}, nil
}

// forEachChild turns a bound on the requests for one child into a bound on those for all
// children. It is not known how many there are.
func forEachChild(bound *yaml.Node) error {
	most := get(bound, "max")
	if most == nil || get(bound, "perObject") != nil {
		return nil
	}
	one, err := strconv.Atoi(most.Value)
	if err != nil {
		return fmt.Errorf("line %d: max: %q is not a number", most.Line, most.Value)
	}
	set(bound, "perObject", clone(most))
	most.Value = strconv.Itoa(2 * one) // perObject counts from the third object on
	return nil
}

// matching rewrites what selects requests, and says whether it was about children. If it was,
// it then selects requests for any resource, because everything that the controller makes is
// a child. If it was about the primary, too, it selects by names that contain the name.
func (g *generalizer) matching(match *yaml.Node) (ofChildren bool, err error) {
	resources := list(get(match, "resources"))
	children, others := 0, 0
	for _, resource := range resources {
		switch kind := kindOfResource(resource.Value); {
		case isChild(kind):
			children++
		case kind != kindPrimary:
			others++
		}
	}
	if children == 0 {
		return false, nil
	}
	for _, verb := range list(get(match, "verbs")) {
		if verb.Value != "create" && verb.Value != "update" && verb.Value != "delete" {
			return false, g.m.skip("%s", NeedsContract)
		}
	}
	if others > 0 {
		return false, g.m.skip("%s", NeedsContract)
	}
	remove(match, "resources")
	if children == len(resources) {
		remove(match, "names")
		return true, nil
	}
	for _, name := range list(get(match, "names")) {
		name.Value = "*" + name.Value + "*"
	}
	return true, nil
}
