package render

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// Skip is the error for a scenario that cannot be mapped to a profile's contract without
// changing what it proves.
type Skip struct {
	// Scenario is its name.
	Scenario string
	// Reason why it cannot be mapped.
	Reason string
}

func (s *Skip) Error() string {
	return fmt.Sprintf("%s cannot be mapped: %s", s.Scenario, s.Reason)
}

// Rendered is a plain Chainsaw test for one implementation.
type Rendered struct {
	// Scenario that the test was made from.
	Scenario *Scenario

	root *yaml.Node
}

// Render translates a scenario for a profile. If the scenario cannot be mapped, the error
// is a *Skip. If the scenario is not valid, the error names file and line. Whether the
// profile claims what the scenario is about is the caller's question: see catalogue.Applies.
func Render(s *Scenario, p *profile.Profile) (*Rendered, error) {
	m := newMapper(s, p)
	if err := m.keepsPods(); err != nil {
		return nil, err
	}
	if err := m.generalize(); err != nil {
		return nil, err
	}
	if err := m.test(); err != nil {
		return nil, err
	}
	instead, err := m.fit()
	if err != nil {
		return nil, err
	}
	if len(instead) > 0 { // numbers have to be replaced: map it once more, with the others
		m = newMapper(s, p)
		m.values.instead = instead
		if err := m.generalize(); err != nil {
			return nil, err
		}
		if err := m.test(); err != nil {
			return nil, err
		}
	}
	return &Rendered{Scenario: s, root: m.scenario.root}, nil
}

func newMapper(s *Scenario, p *profile.Profile) *mapper {
	fields := specOf(p)
	if replicas, mapped := fields["replicas"]; mapped && replicas.GrowOnly && s.whereMapped["replicas"] {
		// The scenario scales up and down, and is not about that: leave the replicas out.
		replicas.GrowOnly, replicas.Immutable = false, true
		fields["replicas"] = replicas
	}
	return &mapper{
		scenario:  s.clone(),
		profile:   p,
		spec:      fields,
		status:    statusOf(p),
		workload:  workloadOf(p),
		moves:     workloadMoves(p.Workload()),
		primaries: map[string]*primary{},
		used:      map[string]map[string]bool{},
		known:     map[string]map[string]string{},
		stays:     map[string]map[string]string{},
		given:     map[string]map[string]*yaml.Node{},
		dropped:   map[string]bool{},
		foreign:   map[namedObject]bool{},
		asserted:  map[string]bool{},
		edited:    map[string]int{},
		verbatim:  map[*yaml.Node]bool{},
		values:    newValues(),
		variables: map[string]bool{},
		scope:     (*scope)(nil).inner(),
	}
}

// workloadOf returns the resource that plays the Deployment. If another field stands in for
// the number of replicas, what counts Pods is left out.
func workloadOf(p *profile.Profile) v1alpha1.Workload {
	workload := p.Workload()
	if p.StandsIn() {
		workload.Lacks = append(slices.Clone(workload.Lacks), countsOfPods()...)
	}
	return workload
}

// countsOfPods returns the fields of a Deployment that count its Pods.
func countsOfPods() []string {
	return []string{"status.availableReplicas", "status.readyReplicas", "status.replicas", "status.unavailableReplicas", "status.updatedReplicas"}
}

// statusOf returns where the fields of the reference's status are in the implementation.
func statusOf(p *profile.Profile) map[string]v1alpha1.Field {
	fields := p.StatusFields()
	if p.StandsIn() {
		delete(fields, "readyReplicas")
	}
	return fields
}

// specOf returns where the fields of the reference's spec are in the implementation. It
// includes the other things that an implementation may have or lack.
func specOf(p *profile.Profile) map[string]v1alpha1.Field {
	fields := p.SpecFields()
	service := p.Spec.Contract.Children.Service
	if port, ok := fields["port"]; ok {
		fields[servicePort] = port
	}
	if service != nil && service.Port != nil {
		fields[servicePort] = *service.Port
	}
	if p.Spec.Claims.Ownership != v1alpha1.OwnershipByLabels {
		fields[ownerReference] = v1alpha1.Field{}
	}
	return fields
}

// clone copies the parts that the mapping changes.
func (s *Scenario) clone() *Scenario {
	c := *s
	c.root, c.origin = clone(s.root), make(map[*yaml.Node]string, len(s.origin))
	var before, after []*yaml.Node
	walk(s.root, func(n *yaml.Node) { before = append(before, n) })
	walk(c.root, func(n *yaml.Node) { after = append(after, n) })
	for i, n := range before {
		if file, ok := s.origin[n]; ok {
			c.origin[after[i]] = file
		}
	}
	return &c
}

// YAML returns the test as a file.
func (r *Rendered) YAML() ([]byte, error) {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := errors.Join(encoder.Encode(r.root), encoder.Close()); err != nil {
		return nil, fmt.Errorf("encoding %s: %w", r.Scenario.Name, err)
	}
	return b.Bytes(), nil
}

// mapper translates one scenario.
type mapper struct {
	scenario *Scenario
	profile  *profile.Profile
	spec     map[string]v1alpha1.Field // by reference name
	status   map[string]v1alpha1.Field
	// workload is the resource that plays the Deployment. moves are the paths in it of the
	// fields of a Deployment's spec.
	workload v1alpha1.Workload
	moves    map[string][]string

	// primaries of the scenario, by name, and also by the Deployment name that a spec
	// gives.
	primaries map[string]*primary
	// used are the values that the scenario gives to each field of a primary's spec. The
	// scenario's assertions on children expect them.
	used map[string]map[string]bool
	// known are the values that each primary was last given in fields that cannot be set
	// here, by namespace and name.
	known map[string]map[string]string
	// stays are, by field, the values that a primary has instead of those that a change would
	// have given it, as that change was left out.
	stays map[string]map[string]string
	// given are the values that each primary was last given in its mapped fields, by name.
	given map[string]map[string]*yaml.Node
	// patchedLists are the lists of a primary that the current patch replaces.
	patchedLists map[string]bool
	// kubectl is the call of kubectl that is being mapped, or nil.
	kubectl *kubectl
	// inLoad says that the current object is the template of a Load.
	inLoad bool
	// added is a container that the scenario adds to a Deployment.
	added string
	// omitted are the fields of the reference's spec that the current primary does not
	// have.
	omitted map[string]bool
	// dropped are the Observations and Drifts that were dropped.
	dropped map[string]bool
	// foreign are the Deployments and Services that the scenario makes, and not the controller.
	foreign map[namedObject]bool
	// asserted are the objects that were asserted since the last deletion.
	asserted map[string]bool
	// edited are the numbers of edits that each primary got, by name, if the profile has no
	// contract.
	edited map[string]int
	// verbatim are operations that are written for the profile already.
	verbatim map[*yaml.Node]bool
	// values are the numbers in the scenario.
	values *values
	// variables are those that something in the test names.
	variables map[string]bool
	// scope are the variables that can be named at the current place.
	scope *scope
	// current is the operation that is being mapped, or nil.
	current *yaml.Node

	checks         int // assertions that stay, except those on the Subject or a Load
	emptied        int // assertions that lost everything but the name of an object that existed before
	refusals       int // operations that stay and expect a refusal
	lostRefusals   int // dropped operations that expected a refusal
	lostRefusalFor string
}

// primary is an object of the primary resource.
type primary struct {
	// deployment and service are the names of its children.
	deployment, service string
	// container is the name of the container that runs the image.
	container string
	// unnamed is the reason why they could not be named.
	unnamed error
}

func (m *mapper) skip(format string, args ...any) error {
	return &Skip{Scenario: m.scenario.Name, Reason: fmt.Sprintf(format, args...)}
}

// at adds the place of an error, if the error has none yet.
func (m *mapper) at(n *yaml.Node, err error) error {
	var skip *Skip
	var placed *problem
	if err == nil || errors.As(err, &skip) || errors.As(err, &placed) {
		return err
	}
	return m.scenario.problemIn(m.current, n, "%w", err)
}

// test maps the whole test.
func (m *mapper) test() error {
	remove(at(m.scenario.root, "metadata", "labels"), labelAny) // says nothing of this profile
	spec := get(m.scenario.root, "spec")
	if two := m.scenario.twoInOne(); two != "" && m.profile.Spec.Launch.OnePerNamespace {
		return m.skip("it has %s in one namespace, and the implementation serves one there (launch.onePerNamespace)", two)
	}
	if err := m.rename(); err != nil {
		return err
	}
	if err := m.survey(spec); err != nil {
		return err
	}
	test := m.scope
	if err := m.define(get(spec, "bindings"), nil, test); err != nil {
		return err
	}
	if err := m.operations(spec, "catch"); err != nil {
		return err
	}
	steps := get(spec, "steps")
	kept := steps.Content[:0:0]
	var proofs, emptied int // the checks and emptied assertions of the Then steps
	for _, step := range steps.Content {
		before, emptiedBefore := m.checks, m.emptied
		m.scope, m.current = test.inner(), nil
		if err := m.define(get(step, "bindings"), nil, m.scope); err != nil {
			return err
		}
		for _, key := range operationKeys {
			if err := m.operations(step, key); err != nil {
				return err
			}
		}
		m.scope = test
		if get(step, "try") != nil {
			kept = append(kept, step)
		}
		if strings.HasPrefix(text(step, "name"), "Then") {
			proofs, emptied = proofs+m.checks-before, emptied+m.emptied-emptiedBefore
		}
	}
	steps.Content = kept
	m.speak()
	// Only now is it known which bindings are still used.
	if err := m.bindings(spec); err != nil {
		return err
	}
	if m.lostRefusals > 0 && m.refusals == 0 {
		return m.skip("it expects a refusal of %s", m.lostRefusalFor)
	}
	if m.checks+m.refusals == 0 || proofs+m.refusals == 0 && emptied > 0 {
		return m.skip("nothing that it asserts exists in this implementation")
	}
	return nil
}

// operations maps a list of operations. A list that loses all its operations is removed.
func (m *mapper) operations(in *yaml.Node, key string) error {
	list := get(in, key)
	if list == nil {
		return nil
	}
	kept := list.Content[:0:0]
	for _, operation := range list.Content {
		keep, err := m.operation(operation)
		if err != nil {
			return err
		}
		if keep {
			kept = append(kept, operation)
		}
	}
	list.Content = kept
	if len(kept) == 0 {
		remove(in, key)
	}
	return nil
}
