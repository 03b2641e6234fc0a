package profile

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json" // keeps whole numbers whole

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// ChildNames returns the names of the Deployment and the Service of a primary object with
// this name and spec. The second one is empty if the implementation makes no Service.
func (p *Profile) ChildNames(name string, spec map[string]any) (deployment, service string, err error) {
	data := map[string]any{"name": name, "spec": spec}
	children := p.Spec.Contract.Children
	if deployment, err = expand(children.Deployment.Name, data); err != nil {
		return "", "", fmt.Errorf("naming the Deployment of %s: %w", name, err)
	}
	if children.Service == nil {
		return deployment, "", nil
	}
	if service, err = expand(children.Service.Name, data); err != nil {
		return "", "", fmt.Errorf("naming the Service of %s: %w", name, err)
	}
	return deployment, service, nil
}

// Container returns the name of the container that runs the image, in the Deployment of a
// primary object with this name and spec. It is empty if the profile only says that it is
// the first container.
func (p *Profile) Container(name string, spec map[string]any) (string, error) {
	deployment := p.Spec.Contract.Children.Deployment
	switch {
	case deployment.FirstContainer:
		return "", nil
	case deployment.Container == "":
		return defaultContainer, nil
	}
	container, err := expand(deployment.Container, map[string]any{"name": name, "spec": spec})
	if err != nil {
		return "", fmt.Errorf("naming the container of %s: %w", name, err)
	}
	return container, nil
}

// defaultContainer is the name that the reference uses.
const defaultContainer = "app"

// Base returns the fixed part of the spec of a primary object with this name, with its
// templates filled in. It is a new object each time.
func (p *Profile) Base(name string) (map[string]any, error) {
	base, err := p.rawBase()
	if err != nil {
		return nil, err
	}
	expanded, err := expandAll(base, p.sampleData(name))
	if err != nil {
		return nil, fmt.Errorf("making the base of %s: %w", name, err)
	}
	return expanded.(map[string]any), nil
}

// Root returns what a primary object with this name has besides its spec: the fields of the
// profile, and the labels and annotations. The templates are filled in. It is a new object
// each time.
func (p *Profile) Root(name string) (map[string]any, error) {
	root, err := p.rawRoot()
	if err != nil {
		return nil, err
	}
	expanded, err := expandAll(root, p.sampleData(name))
	if err != nil {
		return nil, fmt.Errorf("making the root of %s: %w", name, err)
	}
	return expanded.(map[string]any), nil
}

// sampleData returns the values that the templates in a primary object with this name may
// use.
func (p *Profile) sampleData(name string) map[string]any {
	if len(p.served) == 0 {
		return map[string]any{"name": name}
	}
	return p.served[0].data(name)
}

// rawBase returns the base of the contract with its templates.
func (p *Profile) rawBase() (map[string]any, error) {
	return rawObject(p.Spec.Contract.Base, "the base of "+p.File)
}

// rawRoot returns what a primary object has besides its spec, with its templates.
func (p *Profile) rawRoot() (map[string]any, error) {
	root, err := rawObject(p.Spec.Contract.Root, "the root of "+p.File)
	if err != nil {
		return nil, err
	}
	if given := p.Spec.Contract.Metadata; given != nil {
		metadata := Metadata(given.Labels, given.Annotations)
		if len(metadata) > 0 {
			root["metadata"] = metadata
		}
	}
	return root, nil
}

// rawObject decodes an object of a profile. It is empty if the profile does not give it.
func rawObject(raw *apiextensionsv1.JSON, what string) (map[string]any, error) {
	object := map[string]any{}
	if raw == nil {
		return object, nil
	}
	if err := json.Unmarshal(raw.Raw, &object); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", what, err)
	}
	return object, nil
}

// Metadata returns the metadata of an object with these labels and annotations. Empty maps
// are left out.
func Metadata(labels, annotations map[string]string) map[string]any {
	metadata := map[string]any{}
	for key, values := range map[string]map[string]string{"labels": labels, "annotations": annotations} {
		if len(values) == 0 {
			continue
		}
		texts := map[string]any{}
		for name, value := range values {
			texts[name] = value
		}
		metadata[key] = texts
	}
	return metadata
}

// FixedName returns the name that every primary object must have, or "" if any name is
// allowed.
func (p *Profile) FixedName() string {
	if metadata := p.Spec.Contract.Metadata; metadata != nil {
		return metadata.Name
	}
	return ""
}

// expandAll fills in the templates in every string of a JSON value.
func expandAll(value any, data map[string]any) (any, error) {
	var err error
	switch v := value.(type) {
	case string:
		return expand(v, data)
	case map[string]any:
		for key := range v {
			if v[key], err = expandAll(v[key], data); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = expandAll(v[i], data); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// SpecFields returns the mapped fields of the reference spec, by reference name, without
// those that the implementation does not have.
func (p *Profile) SpecFields() map[string]v1alpha1.Field {
	s := p.Spec.Contract.Spec
	return present(map[string]*v1alpha1.Field{
		"image": s.Image, "replicas": s.Replicas, "port": s.Port, "env": s.Env, "configMapRef": s.ConfigMapRef,
		"deploymentName": s.DeploymentName,
	})
}

// StatusFields returns the mapped fields of the reference status, by reference name,
// without those that the implementation does not have.
func (p *Profile) StatusFields() map[string]v1alpha1.Field {
	s := p.Spec.Contract.Status
	return present(map[string]*v1alpha1.Field{
		"readyReplicas": s.ReadyReplicas, "phase": s.Phase, "serviceURL": s.ServiceURL,
		"conditions": s.Conditions, "observedGeneration": s.ObservedGeneration,
	})
}

func present(fields map[string]*v1alpha1.Field) map[string]v1alpha1.Field {
	given := make(map[string]v1alpha1.Field, len(fields))
	for name, field := range fields {
		if field != nil {
			given[name] = *field
		}
	}
	return given
}
