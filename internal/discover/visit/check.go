package visit

import (
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
)

// PlanFor returns the plan of a visit to the controller of a profile. The objects are like
// those of scenarios.
func PlanFor(p *profile.Profile, console *report.Console) (Plan, error) {
	plan := Plan{Profile: p, Version: p.Version(), Command: p.Spec.Launch.Command, Console: console, Election: p.Spec.Launch.LeaderElection != nil}
	crds, err := p.CRDs()
	if err != nil {
		return plan, fmt.Errorf("reading the CRDs: %w", err)
	}
	resource := p.Spec.Contract.Resource
	n := slices.IndexFunc(crds, p.Defines)
	if n < 0 || plan.Version == nil {
		return plan, fmt.Errorf("the CRDs do not define %s.%s", resource.Plural, resource.Group)
	}
	plan.CRD = crds[n]
	plan.Spec = func(name string, _ infer.Known) map[string]any { return specFor(p, name) }
	plan.Name = p.FixedName()
	plan.Around = func(name string) map[string]any {
		around, err := p.Root(name)
		if err != nil {
			return map[string]any{}
		}
		return around
	}
	return plan, nil
}

// specFor returns the spec of an object with this name: the base, and what a scenario would
// give.
func specFor(p *profile.Profile, name string) map[string]any {
	base, err := p.Base(name)
	if err != nil {
		base = map[string]any{}
	}
	object := map[string]any{"spec": base}
	bounds := p.Spec.Contract.Bounds
	image, err := p.FormattedImage("registry.example/look:v1")
	if err != nil {
		image = "registry.example/look:v1"
	}
	for field, value := range map[string]any{
		"image":    image,
		"replicas": among(inside(2, bounds.Replicas), p.SpecFields()["replicas"].Values),
		"port":     inside(8080, bounds.Port),
	} {
		if mapped := p.SpecFields()[field]; mapped.Path != "" {
			object = infer.With(object, mapped.Path, value)
		}
	}
	if mapped := p.SpecFields()["replicas"]; mapped.Format != "" {
		if written, err := p.Formatted(fmt.Sprint(inside(2, bounds.Replicas))); err == nil {
			object = infer.With(object, mapped.Path, written)
		}
	}
	if mapped := p.SpecFields()["deploymentName"]; mapped.Path != "" && infer.At(object, mapped.Path) == nil {
		object = infer.With(object, mapped.Path, name+"-app")
	}
	spec, _ := object["spec"].(map[string]any)
	return spec
}

// among returns a number if it is allowed, or else the next allowed one.
func among(number int64, allowed []int32) int64 {
	for _, n := range allowed {
		if int64(n) >= number {
			return int64(n)
		}
	}
	if len(allowed) > 0 {
		return int64(allowed[len(allowed)-1])
	}
	return number
}

// inside returns a number, or the nearest one that the bounds allow.
func inside(number int64, bounds *v1alpha1.Range) int64 {
	if bounds == nil {
		return number
	}
	return min(max(number, int64(bounds.Minimum)), int64(bounds.Maximum))
}
