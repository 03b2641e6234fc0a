package profile

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/manifest"
	"reconform.dev/reconform/internal/profile/nearest"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

// CRDs returns the CustomResourceDefinitions of the implementation. Other objects in the
// manifests are ignored, because bundles have other objects, too. It is an error if the manifests
// contain no CustomResourceDefinition.
func (p *Profile) CRDs() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	const field = "spec.install.crds"
	objects, err := p.shipped(field, p.Spec.Install.CRDs)
	if err != nil {
		return nil, err
	}
	var crds []*apiextensionsv1.CustomResourceDefinition
	var problems strictyaml.Problems
	places := map[string]string{} // name → file and line
	for _, object := range objects {
		kind := object.GroupVersionKind()
		switch {
		case kind.Group != apiextensionsv1.GroupName || kind.Kind != "CustomResourceDefinition":
			continue
		case kind.Version != "v1":
			problems = append(problems, p.document.Problem(object.field, "CustomResourceDefinition %s is of %s, which Kubernetes has not served since 1.22: give it as %s",
				object.GetName(), kind.GroupVersion(), apiextensionsv1.SchemeGroupVersion))
			continue
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		problems = append(problems, p.problemsOf(object.field, p.into(object, crd))...)
		same := func(other *apiextensionsv1.CustomResourceDefinition) bool { return other.Name == crd.Name }
		if n := slices.IndexFunc(crds, same); n >= 0 && !equality.Semantic.DeepEqual(crds[n].Spec, crd.Spec) {
			problems = append(problems, p.document.Problem(object.field, "CustomResourceDefinition %s is there twice (%s and %s), and they differ: give the one that the controller is built for",
				crd.Name, places[crd.Name], object.Place()))
		}
		places[crd.Name] = object.Place()
		crds = append(crds, crd)
	}
	if len(crds)+len(problems) == 0 {
		return nil, strictyaml.Problems{p.document.Problem(field, "no CustomResourceDefinition in them; they have: %s", orNone(kindsOf(objects)))}
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return crds, nil
}

// SetupObjects returns the other objects that the implementation needs, in the order of the
// files.
func (p *Profile) SetupObjects() ([]*unstructured.Unstructured, error) {
	objects, err := p.shipped("spec.install.setup", p.Spec.Install.Setup)
	if err != nil {
		return nil, err
	}
	var setup []*unstructured.Unstructured
	var problems strictyaml.Problems
	for _, object := range objects {
		problems = append(problems, p.problemsIn(object.field, object.Check())...)
		setup = append(setup, object.DeepCopy())
	}
	return setup, problems.Err()
}

// SetupPlace returns the file and the line of a setup object, or "" if it is not one.
func (p *Profile) SetupPlace(of *unstructured.Unstructured) string {
	objects, err := p.shipped("spec.install.setup", p.Spec.Install.Setup)
	if err != nil {
		return ""
	}
	for _, object := range objects {
		anywhere := object.GetNamespace() == "" || object.GetNamespace() == of.GetNamespace()
		if anywhere && object.GroupVersionKind() == of.GroupVersionKind() && object.GetName() == of.GetName() {
			return object.Place()
		}
	}
	return ""
}

// CheckFiles reports what is wrong with the files that a run needs besides the profile:
// manifests that are missing or invalid, a program that does not exist, paths of the
// contract that the CRD does not have.
func (p *Profile) CheckFiles() error {
	problems := p.checkInstall()
	if problem := p.checkProgram(); problem != "" {
		problems = append(problems, p.document.Problem("spec.launch.command[0]", "%s", problem))
	}
	if dir := p.Directory(); dir != "" {
		problems = append(problems, p.checkFolder("spec.launch.directory", dir)...)
	}
	for i, dir := range p.Readable() {
		problems = append(problems, p.checkFolder(fmt.Sprintf("spec.launch.readable[%d]", i), dir)...)
	}
	return problems.Err()
}

// checkInstall reports what is wrong with the files of install.
func (p *Profile) checkInstall() (problems strictyaml.Problems) {
	report := func(field string, err error) { problems = append(problems, p.problemsOf(field, err)...) }
	crds, err := p.CRDs()
	report("spec.install.crds", err)
	if err == nil && p.HasContract() {
		problems = append(problems, p.checkResource(crds)...)
	} else if err == nil {
		problems = append(problems, p.checkServedResources(crds)...)
	}
	if len(problems) == 0 {
		problems = p.refusedDefinitions()
	}
	_, err = p.Grants()
	report("spec.install.rbac", err)
	setup, err := p.SetupObjects()
	report("spec.install.setup", err)
	for _, object := range setup {
		if isWebhookConfiguration(object) {
			report("spec.install.setup", fmt.Errorf("%s %s names a Service, which nothing serves here: it belongs in install.webhooks", object.GetKind(), object.GetName()))
		}
	}
	report("spec.install.values", p.checkChartValues())
	webhooks, err := p.Webhooks()
	report("spec.install.webhooks", err)
	if err == nil && p.Has(v1alpha1.FeatureWebhook) {
		if lack := p.lacksWebhook(webhooks); lack != "" {
			problems = append(problems, p.document.Problem("spec.install.webhooks", "%s", lack))
		}
	}
	return problems
}

// problemsOf returns the problems in an error, or the error itself as a problem of a field.
func (p *Profile) problemsOf(field string, err error) strictyaml.Problems {
	var found strictyaml.Problems
	switch {
	case err == nil:
		return nil
	case errors.As(err, &found):
		return found
	default:
		return strictyaml.Problems{p.document.Problem(field, "%v", err)}
	}
}

// checkChartValues returns an error if there are values for charts, but no chart.
func (p *Profile) checkChartValues() error {
	install, shipped := p.Spec.Install, p.Spec.Launch.InCluster
	paths := slices.Concat(install.CRDs, install.RBAC, install.Webhooks, install.Setup)
	if shipped != nil {
		paths = append(paths, shipped.Manifests...)
	}
	if len(install.Values) == 0 || slices.ContainsFunc(paths, func(path string) bool { return manifest.IsChart(p.path(path)) }) {
		return nil
	}
	return errors.New("values are for a Helm chart, and none is named in crds, rbac, webhooks or setup")
}

func (p *Profile) checkFolder(field, dir string) strictyaml.Problems {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return strictyaml.Problems{p.document.Problem(field, "no such folder: %s (relative to %s)", dir, p.Dir)}
	case !info.IsDir():
		return strictyaml.Problems{p.document.Problem(field, "%s is a file: name the folder that it is in", dir)}
	}
	return nil
}

// checkResource compares the contract with the CRD that defines its resource.
func (p *Profile) checkResource(crds []*apiextensionsv1.CustomResourceDefinition) strictyaml.Problems {
	version, problems := p.checkDefined("spec.contract.resource", v1alpha1.ServedResource(p.Spec.Contract.Resource), crds)
	if len(problems) > 0 {
		return problems
	}
	return append(p.checkCRDPaths(version), p.checkBaseFields(&version)...)
}

// checkDefined compares a resource with the CRD that defines it, and returns its version.
func (p *Profile) checkDefined(at string, want v1alpha1.ServedResource, crds []*apiextensionsv1.CustomResourceDefinition,
) (found apiextensionsv1.CustomResourceDefinitionVersion, problems strictyaml.Problems) {
	i := slices.IndexFunc(crds, func(crd *apiextensionsv1.CustomResourceDefinition) bool {
		return crd.Spec.Group == want.Group && crd.Spec.Names.Plural == want.Plural
	})
	if i < 0 {
		var defined []string
		for _, crd := range crds {
			defined = append(defined, crd.Spec.Names.Plural+"."+crd.Spec.Group)
		}
		return found, strictyaml.Problems{p.document.Problem(at, "install.crds do not define %s.%s; they define: %s", want.Plural, want.Group, orNone(defined))}
	}
	crd := crds[i]
	if crd.Spec.Names.Kind != want.Kind {
		return found, strictyaml.Problems{p.document.Problem(at+".kind", "%s; the CRD says %s", want.Kind, crd.Spec.Names.Kind)}
	}
	if string(crd.Spec.Scope) != want.Scope {
		return found, strictyaml.Problems{p.document.Problem(at+".scope", "%s; the CRD says %s", want.Scope, crd.Spec.Scope)}
	}
	if lack := p.lacksVersions(crd); lack != "" && p.Defines(crd) {
		return found, strictyaml.Problems{p.document.Problem("spec.launch.webhook.conversion", "%s", lack)}
	}
	var served []string
	for _, version := range crd.Spec.Versions {
		if !version.Served {
			continue
		}
		if version.Name == want.Version {
			if !version.Storage && (p.Converts() || convertsByWebhook(crd)) {
				return found, strictyaml.Problems{p.document.Problem(at+".version", "%s is converted by a webhook, and scenarios also write while no controller runs: "+
					"name the version that is stored, or give a CRD whose conversion is None", want.Version)}
			}
			return version, nil
		}
		served = append(served, version.Name)
	}
	return found, strictyaml.Problems{p.document.Problem(at+".version", "%s is not served by the CRD; served: %s", want.Version, orNone(served))}
}

// checkCRDPaths looks for each mapped path in the CRD's schema.
func (p *Profile) checkCRDPaths(version apiextensionsv1.CustomResourceDefinitionVersion) strictyaml.Problems {
	var problems strictyaml.Problems
	if version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
		return nil
	}
	look := func(at string, fields map[string]v1alpha1.Field) {
		for name, field := range fields {
			if field.Path == "" {
				continue
			}
			if problem := schemaLacks(version.Schema.OpenAPIV3Schema, field.Path); problem != "" {
				problems = append(problems, p.document.Problem("spec.contract."+at+"."+name+".path", "%s", problem))
			}
		}
	}
	look("spec", p.SpecFields())
	look("status", p.StatusFields())
	if service := p.Spec.Contract.Children.Service; service != nil && service.Port != nil {
		look("children.service", map[string]v1alpha1.Field{"port": *service.Port})
	}
	return problems
}

// schemaLacks says where a path leaves a schema, and what the schema has there. It returns ""
// if the schema has the path.
func schemaLacks(schema *apiextensionsv1.JSONSchemaProps, path string) string {
	at := ""
	for _, key := range Steps(path) {
		if schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields {
			return ""
		}
		next := below(schema, key)
		switch {
		case next == nil && key == First:
			return fmt.Sprintf("the CRD has no %s: %s is not a list", path, at)
		case next == nil:
			allowed := slices.Sorted(maps.Keys(schema.Properties))
			return fmt.Sprintf("the CRD has no %s%s; it has, in %s: %s", path, nearest.Question(key, allowed), at, orNone(allowed))
		}
		if at != "" && key != First {
			at += "."
		}
		at, schema = at+key, next
	}
	return ""
}
