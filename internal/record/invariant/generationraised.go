package invariant

import (
	"net/http"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// generationRaised: no write of the controller raises metadata.generation of the primary
// object.
//
// A write of the status subresource cannot raise it, and neither can a patch that contains
// only metadata. A put names the version that it replaces, so it made the change itself.
// With any other patch this is not certain, and neither is it with a write of the Scale: the
// user may edit the object after the proxy has read it and before the write takes effect. One
// such write proves nothing; a second one does.
type generationRaised struct{}

func (generationRaised) Name() string { return v1alpha1.RuleGenerationRaised }

func (generationRaised) Must() string {
	return "The controller does not change the spec of its own objects, which is their user's."
}

func (generationRaised) Hint() string {
	return "Write the status by its subresource, and let defaults be set by the schema or in memory: " +
		"the spec is its user's."
}

func (rule generationRaised) Broken(r *View) []v1alpha1.Violation {
	proofs := r.proofs()
	uncertain := map[types.UID][]*history.Request{}
	accuse := func(write *history.Request) {
		proofs.add(alike(write), write.Seq, "%s raised the generation of %s %s from %d to %d, with an %s%s",
			write.Replica, write.GroupResource(), write.Name, write.GenerationBefore, write.Generation, write.Verb, write.SpecInWords())
	}
	for _, write := range r.Requests {
		if write.GroupResource() != r.Contract.Primary || write.Effect != history.EffectEffective ||
			write.Verb != history.VerbUpdate || write.Subresource == "status" || write.OnlyMetadata ||
			write.GenerationBefore == 0 || write.Generation <= write.GenerationBefore {
			continue
		}
		if write.Method != http.MethodPatch && write.Subresource == "" {
			accuse(write)
			continue
		}
		uncertain[write.UID] = append(uncertain[write.UID], write)
		switch found := uncertain[write.UID]; len(found) {
		case 1:
		case 2:
			accuse(found[0])
			accuse(found[1])
		default:
			accuse(write)
		}
	}
	return proofs.violations(rule)
}
