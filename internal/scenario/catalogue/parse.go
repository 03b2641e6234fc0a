package catalogue

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/nearest"
	"reconform.dev/reconform/internal/record/invariant"
)

// scenario is one file while it is being read.
type scenario struct {
	file     string
	document func(raw []byte) (*yaml.Node, error) // its root
	features []string
	areas    []area
	idNode   *yaml.Node
	relied   *yaml.Node // the annotation that says what it relies on
	problems []error
}

// problem notes a problem, with the line of a node. It is the first line if there is no node.
func (s *scenario) problem(at *yaml.Node, format string, args ...any) {
	line := 1
	if at != nil {
		line = at.Line
	}
	s.problems = append(s.problems, fmt.Errorf("%s:%d: %s", s.file, line, fmt.Sprintf(format, args...)))
}

// parse reads the part of a Chainsaw test that says what it proves. Chainsaw itself checks
// the rest.
func (s *scenario) parse(raw []byte) Requirement {
	root, err := s.document(raw)
	if err != nil {
		s.problems = append(s.problems, fmt.Errorf("%s: %w", s.file, err))
		return Requirement{}
	}
	if api, kind := value(root, "apiVersion"), value(root, "kind"); api != "chainsaw.kyverno.io/v1alpha1" || kind != "Test" {
		s.problem(root, "not a Test of chainsaw.kyverno.io/v1alpha1")
		return Requirement{}
	}
	metadata := child(root, "metadata")
	labels, annotations := child(metadata, "labels"), child(metadata, "annotations")
	spec := child(root, "spec")

	r := Requirement{
		Name:    value(metadata, "name"),
		Labels:  map[string]string{},
		Must:    s.sentence(spec, "description", "spec.description (the MUST)"),
		Catches: s.sentence(annotations, AnnotationCatches, "annotation "+AnnotationCatches),
		Hint:    s.sentence(annotations, AnnotationHint, "annotation "+AnnotationHint),
	}
	for key, v := range pairs(labels) {
		r.Labels[key.Value] = v.Value
	}
	s.identity(&r, metadata, labels)
	s.level(&r, labels)
	s.contract(&r, labels)
	r.Provokes = s.invariants(annotations, AnnotationProvokes)
	r.Judges = s.invariants(annotations, AnnotationJudges)
	s.reliesOn(&r, annotations)
	r.HomeOf = s.homes(annotations)
	s.whereMapped(annotations)
	s.takes(&r, annotations)
	s.own(labels, "label", labelNames()...)
	s.own(annotations, "annotation", AnnotationCatches, AnnotationHint, AnnotationProvokes,
		AnnotationJudges, AnnotationReliesOn, AnnotationHomeOf, AnnotationWhereMapped, AnnotationTakes)
	return r
}

// whole returns the root of a Chainsaw test.
func whole(raw []byte) (*yaml.Node, error) {
	var document yaml.Node
	switch err := yaml.NewDecoder(bytes.NewReader(raw)).Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the file is empty, and must hold one Test of chainsaw.kyverno.io/v1alpha1")
	case err != nil:
		return nil, err
	}
	return document.Content[0], nil
}

// checked is like whole, and finds keys that are given twice.
func checked(raw []byte) (*yaml.Node, error) {
	root, err := whole(raw)
	if err != nil {
		return nil, err
	}
	var discard any
	var twice *yaml.TypeError
	if err := root.Decode(&discard); errors.As(err, &twice) {
		return nil, errors.New(strings.Join(twice.Errors, "; "))
	} else if err != nil {
		return nil, err
	}
	return root, nil
}

// head is like whole, and leaves out the steps if they are the end of a test that is known
// to be valid. They are most of it, and to read them would take most of the time of many
// commands.
func head(raw []byte) (*yaml.Node, error) {
	before, _, _ := bytes.Cut(raw, []byte("\n  steps:"))
	root, err := whole(before)
	if err != nil || child(child(root, "spec"), "description") == nil {
		return whole(raw)
	}
	return root, nil
}

var idPattern = regexp.MustCompile(`^([A-Z]{2})-\d{3}$`)

// identity reads ID and area, which must match the name and the folder.
func (s *scenario) identity(r *Requirement, metadata, labels *yaml.Node) {
	r.ID, r.Area = s.label(labels, LabelID), s.label(labels, LabelArea)
	s.idNode = child(labels, LabelID)
	i := areaIndex(s.areas, r.Area)
	if r.Area != "" && i < 0 {
		var names []string
		for _, a := range s.areas {
			names = append(names, a.name)
		}
		s.problem(child(labels, LabelArea), "there is no area %s: give one of %s", r.Area, strings.Join(names, ", "))
	}
	if r.ID == "" {
		return
	}
	match := idPattern.FindStringSubmatch(r.ID)
	switch {
	case match == nil:
		s.problem(s.idNode, "%s is not an ID: want two capital letters and three digits, such as SH-001", r.ID)
	case i >= 0 && match[1] != s.areas[i].prefix:
		s.problem(s.idNode, "%s: IDs of the area %s begin with %s", r.ID, r.Area, s.areas[i].prefix)
	}
	if want := strings.ToLower(r.ID); r.Name != want {
		s.problem(child(metadata, "name"), "metadata.name is %q, and must be %s, the ID in lower case", r.Name, want)
	}
	if folder := path.Base(path.Dir(path.Dir(s.file))); i >= 0 && folder != r.Area {
		s.problem(child(labels, LabelArea), "the scenario is of the area %s, and lies in the folder %s", r.Area, folder)
	}
}

// level reads to which implementations the requirement applies.
func (s *scenario) level(r *Requirement, labels *yaml.Node) {
	r.Level = s.label(labels, LabelLevel)
	r.Features, r.Unless = s.featuresIn(labels, LabelFeature), s.featuresIn(labels, LabelUnless)
	r.Ownership = v1alpha1.Ownership(s.oneOf(labels, LabelOwnership, string(v1alpha1.OwnershipByReference)))
	r.Unowned = v1alpha1.OwnershipPolicy(s.oneOf(labels, LabelUnowned, string(v1alpha1.OwnershipRefuse), string(v1alpha1.OwnershipAdopt)))
	r.Cleanup = s.oneOf(labels, LabelCleanup, "gc", "controller")
	r.NeedsPods = s.oneOf(labels, LabelPods, "true", "running") != ""
	requires := s.oneOf(labels, LabelRequires, "nodes", "node-objects", "own-nodes")
	r.Nodes, r.OwnNodes = requires == "nodes", requires == "own-nodes"
	r.NodeObjects = requires == "node-objects" || r.OwnNodes
	r.InCluster = s.oneOf(labels, LabelInCluster, "true") == "true"
	r.Slow = s.oneOf(labels, LabelSlow, "true") == "true"
	r.Serial = s.oneOf(labels, LabelSerial, "true") == "true"
	r.WholeRun = s.oneOf(labels, LabelWhole, "true") == "true"
	r.WhereverSeen = s.oneOf(labels, LabelWhereverSeen, "true") == "true"
	r.Any = s.oneOf(labels, LabelAny, "true", "as-written") != ""

	claimed := len(r.Features) > 0 || r.Unowned != "" || r.Cleanup != ""
	switch {
	case r.Level == "":
	case r.Level != Core && r.Level != Extended && r.Level != Advice:
		s.problem(child(labels, LabelLevel), "there is no level %q: give %s, %s or %s", r.Level, Core, Extended, Advice)
	case r.InCluster && !r.Nodes:
		s.problem(child(labels, LabelInCluster), "a controller runs in a cluster on nodes: add the label %s: nodes", LabelRequires)
	case r.Level != Extended && (r.Nodes || r.NodeObjects):
		s.problem(child(labels, LabelLevel), "a requirement that needs nodes cannot be asked everywhere: make it "+Extended)
	case r.Level != Extended && claimed:
		s.problem(child(labels, LabelLevel), "a requirement of level "+r.Level+" applies to all: remove what it depends on (%s), or make it extended", r.Claim())
	case r.Level == Extended && !claimed && !r.Nodes && !r.NodeObjects:
		s.problem(child(labels, LabelLevel), "an extended requirement needs a label that says whom it applies to, or where: %s, %s, %s or %s",
			LabelFeature, LabelUnowned, LabelCleanup, LabelRequires)
	}
}

// featuresIn reads a label that names features.
func (s *scenario) featuresIn(labels *yaml.Node, key string) []v1alpha1.Feature {
	list := value(labels, key)
	if list == "" {
		return nil
	}
	var features []v1alpha1.Feature
	for name := range strings.SplitSeq(list, ".") {
		if !slices.Contains(s.features, name) {
			s.problem(child(labels, key), "there is no feature %q: give one or more of %s, joined by dots", name, strings.Join(s.features, ", "))
		}
		features = append(features, v1alpha1.Feature(name))
	}
	return features
}

// invariants reads an annotation that names invariants.
func (s *scenario) invariants(annotations *yaml.Node, key string) []string {
	names := list(annotations, key)
	for _, name := range names {
		if !slices.Contains(invariant.Names(), name) {
			s.problem(child(annotations, key), "there is no invariant %q: give one or more of %s, joined by commas",
				name, strings.Join(invariant.Names(), ", "))
		}
	}
	return names
}

// reliesOn reads the IDs of other requirements. Whether they exist is checked after all
// scenarios have been read.
func (s *scenario) reliesOn(r *Requirement, annotations *yaml.Node) {
	s.relied = child(annotations, AnnotationReliesOn)
	r.ReliesOn = list(annotations, AnnotationReliesOn)
}

// whereMapped checks the fields that only some implementations can change. The rendering
// reads them.
func (s *scenario) whereMapped(annotations *yaml.Node) {
	allowed := []string{"image", "replicas", "port"}
	for _, field := range list(annotations, AnnotationWhereMapped) {
		if !slices.Contains(allowed, field) {
			s.problem(child(annotations, AnnotationWhereMapped), "the annotation %s names %q, and may name one or more of %s, joined by commas",
				AnnotationWhereMapped, field, strings.Join(allowed, ", "))
		}
	}
}

// takes reads the duration of a long scenario.
func (s *scenario) takes(r *Requirement, annotations *yaml.Node) {
	given := value(annotations, AnnotationTakes)
	if given == "" {
		return
	}
	var err error
	if r.Takes, err = time.ParseDuration(given); err != nil || r.Takes <= 0 {
		s.problem(child(annotations, AnnotationTakes), "the annotation %s is %q, and must be a duration such as 40s", AnnotationTakes, given)
	}
}

// label returns a label that must exist.
func (s *scenario) label(labels *yaml.Node, key string) string {
	v := value(labels, key)
	if v == "" {
		s.problem(labels, "the label %s is missing", key)
	}
	return v
}

// oneOf returns a label that may be left out.
func (s *scenario) oneOf(labels *yaml.Node, key string, allowed ...string) string {
	v := value(labels, key)
	if v != "" && !slices.Contains(allowed, v) {
		s.problem(child(labels, key), "the label %s is %q, and may be %s", key, v, strings.Join(allowed, " or "))
	}
	return v
}

// sentence returns a text that must exist.
func (s *scenario) sentence(parent *yaml.Node, key, called string) string {
	v := strings.TrimSpace(value(parent, key))
	if v == "" {
		s.problem(parent, "the %s is missing", called)
	}
	return v
}

// own finds keys that have our prefix but are not known.
func (s *scenario) own(parent *yaml.Node, called string, known ...string) {
	for key := range pairs(parent) {
		if strings.HasPrefix(key.Value, prefix) && !slices.Contains(known, key.Value) {
			s.problem(key, "there is no %s %s%s", called, key.Value, nearest.Question(key.Value, known))
		}
	}
}
