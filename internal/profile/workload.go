package profile

import (
	"fmt"
	"slices"
	"strings"

	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json" // keeps whole numbers whole

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// deployments returns the workload that nearly all implementations make.
func deployments() v1alpha1.Workload {
	return v1alpha1.Workload{
		Group: "apps", Version: "v1", Kind: "Deployment", Plural: "deployments",
		PodTemplate: "spec.template", Replicas: "spec.replicas",
	}
}

// Workload returns the resource with a Pod template that the controller makes. If the
// profile does not name one, it is the Deployment.
func (p *Profile) Workload() v1alpha1.Workload {
	given := p.Spec.Contract.Children.Deployment.Workload
	if given == nil {
		return deployments()
	}
	return *given
}

// WorkloadResource returns the group and the plural of the workload. It is empty if the
// profile has no contract.
func (p *Profile) WorkloadResource() apischema.GroupResource {
	if !p.HasContract() {
		return apischema.GroupResource{}
	}
	workload := p.Workload()
	return apischema.GroupResource{Group: workload.Group, Resource: workload.Plural}
}

// StandsIn says whether another field stands in for the number of replicas: the number that
// scenarios change shows in another field of the workload than the one that has the number
// of its Pods. What counts Pods then says nothing of that number.
func (p *Profile) StandsIn() bool {
	given := p.Spec.Contract.Children.Deployment.Workload
	if given == nil || given.Replicas == deployments().Replicas {
		return false
	}
	return slices.ContainsFunc(KnownWorkloads(), func(w v1alpha1.Workload) bool {
		return w.Kind == given.Kind && w.Group == given.Group && !slices.Contains(w.Lacks, "status")
	})
}

// Formatted returns a number of replicas as it is written in an object of the
// implementation.
func (p *Profile) Formatted(replicas string) (string, error) {
	field := p.Spec.Contract.Spec.Replicas
	if field == nil || field.Format == "" {
		return replicas, nil
	}
	written, err := expand(field.Format, map[string]any{"value": replicas})
	if err != nil {
		return "", fmt.Errorf("writing %s replicas: %w", replicas, err)
	}
	return written, nil
}

// FormattedImage returns an image as it is written in an object of the implementation.
func (p *Profile) FormattedImage(image string) (string, error) {
	field := p.Spec.Contract.Spec.Image
	if field == nil || field.Format == "" || image == "" {
		return image, nil
	}
	written, err := expand(field.Format, map[string]any{"value": image})
	if err != nil {
		return "", fmt.Errorf("writing the image %s: %w", image, err)
	}
	return written, nil
}

// WorkloadBase returns what the spec of a workload has besides the mapped fields, for a
// workload that a scenario makes. It is a new object each time, or nil.
func (p *Profile) WorkloadBase() (map[string]any, error) {
	raw := p.Workload().Base
	if raw == nil {
		return nil, nil
	}
	var base map[string]any
	if err := json.Unmarshal(raw.Raw, &base); err != nil {
		return nil, fmt.Errorf("decoding the base of the workload of %s: %w", p.File, err)
	}
	return base, nil
}

// checkWorkload checks the resource that takes the place of the Deployment.
func (c *checker) checkWorkload() {
	const at = "spec.contract.children.deployment.workload"
	workload := c.Spec.Contract.Children.Deployment.Workload
	if workload == nil {
		return
	}
	for i, path := range workload.Lacks {
		if !strings.HasPrefix(path+".", "spec.") && !strings.HasPrefix(path+".", "status.") {
			c.add(fmt.Sprintf("%s.lacks[%d]", at, i), "%s: a path of a Deployment begins with spec or status", path)
		}
	}
	if _, err := c.WorkloadBase(); err != nil {
		c.add(at+".base", "must be an object")
	}
	if workload.Kind == "Deployment" && !c.StandsIn() {
		c.add(at, "this is the default, a Deployment: leave the workload out, unless its replicas name another field")
	}
}

// checkFormat checks the formats of a number of replicas and of an image.
func (c *checker) checkFormat() {
	for name, field := range c.SpecFields() {
		at := "spec.contract.spec." + name + ".format"
		switch {
		case field.Format == "":
		case name != "replicas" && name != "image":
			c.add(at, "only replicas and the image can be written in another way")
		case field.Path == "":
			c.add(at, "there is no path of a field that could be written so")
		default:
			c.checkDifferent(at, field.Format)
		}
	}
}

// checkDifferent checks that different values are written differently.
func (c *checker) checkDifferent(at, format string) {
	if problem := templateProblem(format, ".value"); problem != "" {
		c.add(at, "%s", problem)
		return
	}
	one, err := expand(format, map[string]any{"value": "1"})
	if err != nil {
		c.add(at, "%v", err)
		return
	}
	if two, err := expand(format, map[string]any{"value": "2"}); err != nil || one == two {
		c.add(at, "%q is the same for every value: use {{ .value }}", format)
	}
}
