package main

import (
	"encoding/json"
	"fmt"

	"reconform.dev/reconform/internal/profile"
)

// session is a group of mutants that run at the same time on one control plane.
type session struct {
	name       string
	candidates []candidate
	serial     bool
	whole      bool              // one mutant, against everything
	parallel   int               // scenarios at the same time; 0: as many as in a run of one controller
	manifests  map[string]string // what its mutants install, by name
}

// largest is the largest number of mutants in a session.
const largest = 150

// sessions groups the mutants. Mutants run together if they do not install different
// objects under the same name. So a mutant of the CRD has its own control plane, and so
// does one that needs a whole run.
func sessions(candidates []candidate) ([]*session, error) {
	var all []*session
	for _, c := range candidates {
		manifests, err := manifestsOf(c.profile)
		if err != nil {
			return nil, fmt.Errorf("reading the manifests of mutant %s: %w", c.Name, err)
		}
		own := &session{serial: c.profile.Spec.Launch.Serial, whole: c.whole(), manifests: map[string]string{}}
		joined := own
		for _, s := range all {
			if s.takes(own, manifests) {
				joined = s
				break
			}
		}
		if joined == own {
			own.name = fmt.Sprintf("session-%d", len(all)+1)
			all = append(all, own)
		}
		joined.candidates = append(joined.candidates, c)
		for name, content := range manifests {
			joined.manifests[name] = content
		}
	}
	return all, nil
}

// takes tells whether a mutant can join the session.
func (s *session) takes(other *session, manifests map[string]string) bool {
	if len(s.candidates) == largest || s.whole || other.whole || s.serial != other.serial {
		return false
	}
	for name, content := range manifests {
		if present, ok := s.manifests[name]; ok && present != content {
			return false
		}
	}
	return true
}

// manifestsOf returns the objects that an implementation shares with the others of its
// session. Roles are not among them, because the bench keeps them separate.
func manifestsOf(p *profile.Profile) (map[string]string, error) {
	found := map[string]string{}
	add := func(name string, object any) error {
		content, err := json.Marshal(object)
		if err != nil {
			return fmt.Errorf("encoding %s: %w", name, err)
		}
		found[name] = string(content)
		return nil
	}
	crds, err := p.CRDs()
	if err != nil {
		return nil, err
	}
	for _, crd := range crds {
		if err := add("CustomResourceDefinition "+crd.Name, crd); err != nil {
			return nil, err
		}
	}
	setup, err := p.SetupObjects()
	if err != nil {
		return nil, err
	}
	for _, object := range setup {
		name := fmt.Sprintf("%s %s/%s", object.GroupVersionKind(), object.GetNamespace(), object.GetName())
		if err := add(name, object); err != nil {
			return nil, err
		}
	}
	return found, nil
}
