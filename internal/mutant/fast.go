package mutant

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"reconform.dev/reconform/internal/scenario/catalogue"
)

// quickly is the longest time for a scenario of the fast half.
const quickly = 15 * time.Second

// FastHalf divides the mutants, in their order: for each requirement that is judged quickly,
// fast has the first mutant that it must catch. A mutant with its own CRD needs its own
// control plane, so it is one of the others, and so is one whose requirement is not among
// these.
func FastHalf(mutants []Mutant, requirements []catalogue.Requirement) (fast, others []Mutant) {
	quick := map[string]bool{}
	for _, r := range requirements {
		quick[r.ID] = !r.WholeRun && !r.Slow && r.Takes <= quickly
	}
	for _, m := range mutants {
		if !quick[m.CaughtBy] || m.patch.changesCRD() {
			others = append(others, m)
			continue
		}
		quick[m.CaughtBy] = false // it has its mutant
		fast = append(fast, m)
	}
	return fast, others
}

// changesCRD tells whether the patch changes a file in a folder named crd, where every
// controller of this repository has its definitions.
func (p Patch) changesCRD() bool {
	return slices.ContainsFunc(p.files, func(f *gitdiff.File) bool {
		return slices.Contains(strings.Split(cmp.Or(f.NewName, f.OldName), "/"), "crd")
	})
}
