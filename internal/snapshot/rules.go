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
}

type rule struct {
	Resources []string   `json:"resources"` // empty: every resource
	Drop      []path     `json:"drop"`
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
