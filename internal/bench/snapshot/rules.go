package snapshot

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"

	"sigs.k8s.io/yaml"
)

//go:embed rules.yaml
var rulesFile []byte

// rules say what differs between any two runs. See rules.yaml.
type rules struct {
	Rules  []rule      `json:"rules"`
	Values []valueRule `json:"values"`
	// kept are the paths whose values are never hidden, by the resource.
	kept map[string]path
}

// keep has the value at a path of a resource compared, even if it stands in a map whose
// values say nothing otherwise.
func (r *rules) keep(resource, written string) error {
	var p path
	if err := p.UnmarshalText([]byte(written)); err != nil {
		return fmt.Errorf("reading what snapshots compare of %s: %w", resource, err)
	}
	r.kept = map[string]path{resource: p}
	return nil
}

// keptIn returns the key in a map of a resource whose value is not hidden, or "".
func (r *rules) keptIn(resource string, in path) string {
	kept := r.kept[resource]
	if len(kept) != len(in)+1 || !slices.Equal(kept[:len(in)], in) {
		return ""
	}
	return kept[len(in)].key
}

type rule struct {
	Resources []string   `json:"resources"` // empty: every resource
	Drop      []path     `json:"drop"`
	Omit      []omitRule `json:"omit"`
	Alias     []valueOf  `json:"alias"`
	Opaque    []valueOf  `json:"opaque"`
	Sort      []sortRule `json:"sort"`
}

// valueOf selects the value at a path, if it matches.
type valueOf struct {
	Path     path   `json:"path"`
	Matching *regex `json:"matching"` // nil: every value
}

func (v valueOf) matches(value string) bool {
	return v.Matching == nil || v.Matching.MatchString(value)
}

// omitRule selects the entries of a list whose field has one of these values.
type omitRule struct {
	Path  path     `json:"path"`
	Field string   `json:"field"`
	In    []string `json:"in"`
}

// omit leaves the selected entries out of the list.
func (o omitRule) omit(parent map[string]any, key string) {
	list, ok := parent[key].([]any)
	if !ok {
		return
	}
	parent[key] = slices.DeleteFunc(list, func(entry any) bool {
		fields, _ := entry.(map[string]any)
		value, text := fields[o.Field].(string)
		return text && slices.Contains(o.In, value)
	})
}

type sortRule struct {
	Path path     `json:"path"`
	By   []string `json:"by"` // empty: the entries themselves
}

type valueRule struct {
	Matching *regex `json:"matching"`
	As       string `json:"as"`
}

// regex is a regular expression that is read from text.
type regex struct{ regexp.Regexp }

// loadRules reads the rules. It adds a rule that drops the fields at these paths.
func loadRules(data []byte, dropped ...string) (*rules, error) {
	r := &rules{}
	if err := yaml.UnmarshalStrict(data, r); err != nil {
		return nil, fmt.Errorf("reading the rules of snapshots: %w", err)
	}
	more := rule{}
	for _, written := range dropped {
		var p path
		if err := p.UnmarshalText([]byte(written)); err != nil {
			return nil, fmt.Errorf("reading the rules of snapshots: %w", err)
		}
		more.Drop = append(more.Drop, p)
	}
	r.Rules = append(r.Rules, more)
	return r, nil
}

func (r rule) appliesTo(resource string) bool {
	return len(r.Resources) == 0 || slices.Contains(r.Resources, resource)
}
