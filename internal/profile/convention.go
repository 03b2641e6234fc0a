package profile

import "reconform.dev/reconform/conformance/api/v1alpha1"

// ByConvention is the profile with the conditions mapped, where its author does not map
// them and the CRD has a list of them where it is usual.
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
