package explore

import (
	"encoding/base64"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// edit is a change that a user makes: of the object, or of one that is beside it.
type edit struct {
	profile.Edit
	of v1alpha1.TrialTarget
}

// besideKinds are the kinds of objects beside a sample that are edited: others read them, and
// one entry more does not make them invalid. By kind, this is the resource, and the value of
// the entry.
func besideKinds() map[string][2]string {
	const value = "edited"
	return map[string][2]string{"ConfigMap": {"configmaps", value}, "Secret": {"secrets", base64.StdEncoding.EncodeToString([]byte(value))}}
}

// edits returns the edits of the profile, and after them one of each ConfigMap and Secret
// beside the sample: it gets one more entry.
func (t *Target) edits() []edit {
	var all []edit
	for _, one := range t.Edits {
		all = append(all, edit{one, t.own()})
	}
	for _, object := range t.Beside {
		kind, known := besideKinds()[object.GetKind()]
		immutable, _ := object.Object["immutable"].(bool)
		if !known || immutable || object.GroupVersionKind().Group != "" {
			continue
		}
		entry := func(value any) map[string]any { return map[string]any{"data": map[string]any{"reconform": value}} }
		all = append(all, edit{
			profile.Edit{Name: strings.TrimSuffix(kind[0], "s") + "-" + object.GetName(), Patch: entry(kind[1]), Undo: entry(nil)},
			v1alpha1.TrialTarget{Resource: kind[0], Name: object.GetName()},
		})
	}
	return all
}

// operation is the name of the operation that makes the edit.
func (e edit) operation() string { return "edit-" + e.Name }

// step makes the edit with a patch, or takes it back with another one.
func (e edit) step(fields map[string]any) (v1alpha1.TrialOperation, error) {
	patch, err := encode(fields)
	return v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{TrialTarget: e.of, Patch: patch}}, err
}

// growsOnly says whether the controller never takes the edit back: the contract says of the
// number of replicas that it only grows.
func (t *Target) growsOnly(e edit) bool {
	return e.Name == "replicas" && t.Profile.HasContract() && t.Profile.Spec.Contract.Spec.Replicas.GrowOnly
}

// follows says whether the controller claims that its children follow the edit. Without a
// contract the profile gives no edit that they do not follow.
func (t *Target) follows(e edit) bool {
	feature := map[string]v1alpha1.Feature{
		"port": v1alpha1.FeaturePort, "env": v1alpha1.FeatureEnv, "configMapRef": v1alpha1.FeatureDependency,
	}[e.Name]
	if e.of != t.own() {
		feature = v1alpha1.FeatureDependency
	}
	return feature == "" || !t.Profile.HasContract() || t.Profile.Has(feature)
}
