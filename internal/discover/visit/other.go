package visit

import (
	"encoding/json"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// other is an object that came with the sample, and whose CRD was given.
type other struct {
	object *unstructured.Unstructured
	crd    *apiextensionsv1.CustomResourceDefinition
}

func (g *Given) addOther(object *unstructured.Unstructured, crds []*apiextensionsv1.CustomResourceDefinition) {
	kind := object.GroupVersionKind()
	for _, crd := range crds {
		if crd.Spec.Group == kind.Group && crd.Spec.Names.Kind == kind.Kind {
			g.others = append(g.others, other{object, crd})
			return
		}
	}
}

// isCluster says whether an object that came with the sample is known to have no namespace.
func (g *Given) isCluster(object *unstructured.Unstructured) bool {
	return slices.Contains(g.cluster, object) || slices.ContainsFunc(g.others, func(o other) bool {
		return o.object == object && o.crd.Spec.Scope == apiextensionsv1.ClusterScoped
	})
}

// isServed says whether the controller was seen to change the object, which it has not made.
func (o other) isServed(account history.Account) bool {
	made, changed := false, false
	for _, q := range account.Requests {
		if q.Group != o.crd.Spec.Group || q.Resource != o.crd.Spec.Names.Plural || q.Name != o.object.GetName() || q.Effect != history.EffectEffective {
			continue
		}
		made, changed = made || q.Verb == history.VerbCreate, changed || q.Verb == history.VerbUpdate
	}
	return changed && !made
}

// addServed writes into a profile which other resources the controller was seen to serve, the
// first object of each.
func (g *Given) addServed(found *infer.Findings, account history.Account) error {
	for _, o := range g.others {
		names := o.crd.Spec.Names
		known := slices.ContainsFunc(found.Spec.Serves, func(s v1alpha1.Served) bool {
			return s.Resource.Group == o.crd.Spec.Group && s.Resource.Kind == names.Kind
		})
		if known || !o.isServed(account) {
			continue
		}
		at := fmt.Sprintf("serves[%d]", len(found.Spec.Serves))
		if g.isCluster(o.object) {
			found.Asked["serves"] = append(found.Asked["serves"], infer.Question{Text: fmt.Sprintf(
				"it changed %s %s, which came with the sample and has no namespace: is it to be explored, too? Then serve it, with scope: Cluster (%s)",
				names.Kind, o.object.GetName(), at)})
			continue
		}
		sample := aroundSpec(o.object)
		if spec, given := o.object.Object["spec"]; given {
			sample["spec"] = spec
		}
		raw, err := json.Marshal(profile.EscapeAll(sample))
		if err != nil {
			return fmt.Errorf("writing %s %s: %w", names.Kind, o.object.GetName(), err)
		}
		found.Spec.Serves = append(found.Spec.Serves, v1alpha1.Served{
			Resource: v1alpha1.ServedResource{
				Group: o.crd.Spec.Group, Version: o.object.GroupVersionKind().Version, Kind: names.Kind, Plural: names.Plural, Scope: string(o.crd.Spec.Scope),
			},
			Sample: &apiextensionsv1.JSON{Raw: raw},
		})
		found.Asked["serves"] = append(found.Asked["serves"], infer.Question{Text: fmt.Sprintf(
			"it changed %s %s, which came with the sample, so it serves that kind, too. No change of it was tried: which does it act on (%s.edits)?",
			names.Kind, o.object.GetName(), at)})
	}
	return nil
}
