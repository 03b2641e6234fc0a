package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"time"

	"reconform.dev/reconform/internal/profile"
)

// quickly is the longest time for a scenario of the fast half.
const quickly = 15 * time.Second

// fastHalf divides the mutants, which are in order. For each requirement that is judged
// quickly, the fast half has the first mutant that it must catch. A mutant with its own
// CRDs needs its own control plane, so it is one of the others.
func fastHalf(root string, candidates []candidate) (fast []candidate, others []string, err error) {
	taken := map[string]bool{}
	shipped := map[string]map[string]string{} // manifests by base
	for _, c := range candidates {
		if shipped[c.Base] == nil {
			base, err := profile.Load(filepath.Join(root, "fixtures", "profiles", c.Base+".yaml"))
			if err != nil {
				return nil, nil, err
			}
			if shipped[c.Base], err = manifestsOf(base); err != nil {
				return nil, nil, fmt.Errorf("reading the manifests of %s: %w", c.Base, err)
			}
		}
		manifests, err := manifestsOf(c.profile)
		if err != nil {
			return nil, nil, fmt.Errorf("reading the manifests of mutant %s: %w", c.Name, err)
		}
		if taken[c.requirement.ID] || !c.quick() || !maps.Equal(manifests, shipped[c.Base]) {
			others = append(others, c.Name)
			continue
		}
		taken[c.requirement.ID] = true
		fast = append(fast, c)
	}
	return fast, others, nil
}

// quick tells whether the mutant's requirement is judged quickly.
func (c *candidate) quick() bool {
	return !c.whole() && !c.requirement.Slow && c.requirement.Takes <= quickly
}
