package profile

import "reconform.dev/reconform/conformance/api/v1alpha1"

// ByConvention returns the profile with the conditions mapped to their usual path, if the
// author did not map them and the CRD has a list there.
func (p *Profile) ByConvention() *Profile {
	if p.Spec.Contract.Status.Conditions != nil {
		return p
	}
	if schema := SchemaAt(p.Version(), ConditionsPath); schema == nil || schema.Type != "array" {
		return p
	}
	mapped := *p
	mapped.Profile = *p.Profile.DeepCopy()
	mapped.Spec.Contract.Status.Conditions = &v1alpha1.Field{Path: ConditionsPath}
	return &mapped
}
