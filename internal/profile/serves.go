package profile

import (
	"fmt"
	"os"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/json" // keeps whole numbers whole
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/manifest"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

// anyContract is the name of the contract of a controller whose profile has none.
const anyContract = "any"

// servesAt is the field that says what the controller serves.
const servesAt = "spec.serves"

// checkServes reads what the controller serves, and says what is wrong with it.
func (c *checker) checkServes() {
	for i := range c.Spec.Serves {
		at := fmt.Sprintf("%s[%d]", servesAt, i)
		given := &c.Spec.Serves[i]
		c.checkServedResource(at+".resource", given.Resource)
		c.checkLabels(at+".namespaceLabels", given.NamespaceLabels)
		c.served = append(c.served, c.readServed(at, given))
	}
	if len(c.problems) == 0 {
		c.standIn()
	}
}

func (c *checker) checkServedResource(at string, resource v1alpha1.ServedResource) {
	c.checkResourceNames(at, resource.Group, resource.Version, resource.Kind, resource.Plural)
	if resource.Scope == clusterScope && c.Converts() {
		c.add("spec.launch.webhook.conversion", "%s has no namespace, and the bench finds the replica that converts an object by its namespace: leave conversion out", resource.Kind)
	}
}

// readServed reads one of the resources that the controller serves.
func (c *checker) readServed(at string, given *v1alpha1.Served) Served {
	s := Served{Resource: given.Resource}
	sampleAt := at + ".sample"
	if given.SampleFile != "" {
		sampleAt = at + ".sampleFile"
		s.object, s.beside = c.sampleFrom(sampleAt, given)
	} else {
		s.object = c.decoded(sampleAt, given.Sample.Raw)
		c.checkTemplates(sampleAt, s.object, s.keys()...)
	}
	c.checkSample(sampleAt, given.Resource, s.object)
	for i := range given.Beside {
		beside := fmt.Sprintf("%s.beside[%d]", at, i)
		object := c.decoded(beside, given.Beside[i].Raw)
		c.checkTemplates(beside, object, ".name")
		c.checkBeside(beside, object)
		s.beside = append(s.beside, object)
	}
	for i := range given.Edits {
		edit := fmt.Sprintf("%s.edits[%d].patch", at, i)
		patch := c.decoded(edit, given.Edits[i].Patch.Raw)
		c.checkTemplates(edit, patch, s.keys()...)
		c.checkEdit(edit, s.object, patch)
		s.edits = append(s.edits, edited{name: given.Edits[i].Name, object: Merged(s.object, patch)})
	}
	for _, key := range []string{"apiVersion", "kind", "status"} {
		delete(s.object, key)
	}
	return s
}

// decoded returns an object of the profile.
func (c *checker) decoded(at string, raw []byte) map[string]any {
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		c.add(at, "must be an object: %v", err)
	}
	return object
}

// checkSample compares a sample with its resource. A name and a namespace in it are
// removed.
func (c *checker) checkSample(at string, resource v1alpha1.ServedResource, object map[string]any) {
	for key, want := range map[string]string{"apiVersion": resource.Group + "/" + resource.Version, "kind": resource.Kind} {
		if value, given := object[key]; given && value != want {
			c.add(at, "its %s is %v; the resource says %s", key, value, want)
		}
	}
	metadata, ok := object["metadata"].(map[string]any)
	if _, given := object["metadata"]; given && !ok {
		c.add(at, "its metadata is not an object")
		return
	}
	kept := map[string]any{}
	for _, key := range []string{"labels", "annotations"} {
		values, ok := metadata[key].(map[string]any)
		if _, given := metadata[key]; given && !ok {
			c.add(at, "its metadata.%s is not an object", key)
			return
		}
		for name, value := range values {
			if _, text := value.(string); !text {
				c.add(at, "its metadata.%s.%s is not a text: put it in quotes", key, name)
			}
		}
		if len(values) > 0 {
			kept[key] = values
		}
	}
	if labels, ok := kept["labels"].(map[string]any); ok {
		texts := map[string]string{}
		for key, value := range labels {
			texts[key] = filledIn(fmt.Sprint(value), "demo")
		}
		for _, problem := range metavalidation.ValidateLabels(texts, field.NewPath("")) {
			c.add(at, "its metadata.labels: %v: %s", problem.BadValue, strings.TrimSpace(problem.Detail))
		}
	}
	delete(object, "metadata")
	if len(kept) > 0 {
		object["metadata"] = kept
	}
	if _, given := object["spec"]; given {
		if _, ok := object["spec"].(map[string]any); !ok {
			c.add(at, "its spec is not an object")
		}
	}
}

// checkBeside checks that an object can be created.
func (c *checker) checkBeside(at string, object map[string]any) {
	for _, key := range []string{"apiVersion", "kind"} {
		if text, _ := object[key].(string); text == "" {
			c.add(at, "has no %s", key)
		}
	}
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	if name == "" {
		c.add(at, "has no metadata.name")
	} else if broken := validation.IsDNS1123Subdomain(filledIn(name, "demo")); len(broken) > 0 {
		c.add(at, "%q names no object: %s", name, noName(broken))
	}
	if _, given := metadata["namespace"]; given {
		c.add(at, "has a namespace: it is created in that of the sample. What lives elsewhere belongs into install.setup")
	}
}

// checkEdit checks that an edit changes the sample, and nothing that cannot be changed.
func (c *checker) checkEdit(at string, object, patch map[string]any) {
	for _, key := range []string{"apiVersion", "kind", "status"} {
		if _, given := patch[key]; given {
			c.add(at, "changes %s: an edit changes the spec, labels, annotations or other fields that users write", key)
		}
	}
	metadata, _ := patch["metadata"].(map[string]any)
	for key := range metadata {
		if key != "labels" && key != "annotations" {
			c.add(at, "changes metadata.%s: of the metadata, an edit changes only labels and annotations", key)
		}
	}
	if len(Difference(object, Merged(object, patch))) == 0 {
		c.add(at, "changes nothing: the sample has these values already")
	}
}

// sampleFrom reads the sample from a file, and the other objects in that file.
func (c *checker) sampleFrom(at string, given *v1alpha1.Served) (sample map[string]any, beside []map[string]any) {
	path := c.path(given.SampleFile)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		c.add(at, "%s is not a file", given.SampleFile)
		return nil, nil
	}
	objects, err := manifest.Read(path, nil)
	if err != nil {
		c.problems = append(c.problems, c.problemsIn(at, err)...)
		return nil, nil
	}
	var names, kinds []string
	for _, object := range objects {
		copied := EscapeAll(object.Object).(map[string]any)
		if kind := object.GroupVersionKind(); kind.Kind == given.Resource.Kind && kind.Group == given.Resource.Group {
			sample, names = copied, append(names, object.GetName())
			continue
		}
		switch {
		case object.GroupVersionKind().GroupKind() == apiextensionsv1.Kind("CustomResourceDefinition"):
			c.add(at, "has CustomResourceDefinition %s, so it installs the controller: put the sample, and what it needs, into a file of its own", object.GetName())
		case object.GetName() == "":
			c.add(at, "has a %s without metadata.name: give it one, as it is created before the sample", object.GetKind())
		}
		if metadata, ok := copied["metadata"].(map[string]any); ok {
			delete(metadata, "namespace")
		}
		if !slices.Contains(kinds, object.GetKind()) {
			kinds = append(kinds, object.GetKind())
		}
		beside = append(beside, copied)
	}
	switch len(names) {
	case 0:
		c.add(at, "has no %s of the group %s; it has: %s", given.Resource.Kind, given.Resource.Group, orNone(kinds))
	case 1:
	default:
		c.add(at, "has %d objects of the kind %s (%s): put one of them into a file of its own, or into sample",
			len(names), given.Resource.Kind, strings.Join(names, ", "))
	}
	return sample, beside
}

// standIn fills in the parts of the contract that say what every primary object is like,
// from the first resource that the controller serves.
func (c *checker) standIn() {
	first := c.served[0]
	contract := v1alpha1.Contract{Name: anyContract, Resource: v1alpha1.PrimaryResource(first.Resource), NamespaceLabels: c.Spec.Serves[0].NamespaceLabels}
	root := map[string]any{}
	for key, value := range first.object {
		switch key {
		case "metadata":
			metadata := value.(map[string]any)
			contract.Metadata = &v1alpha1.PrimaryMetadata{Labels: labelsOf(metadata["labels"]), Annotations: labelsOf(metadata["annotations"])}
		case "spec":
			contract.Base = c.encoded(value)
		default:
			root[key] = value
		}
	}
	if len(root) > 0 {
		contract.Root = c.encoded(root)
	}
	c.Spec.Contract = contract
}

func (c *checker) encoded(value any) *apiextensionsv1.JSON {
	raw, err := json.Marshal(value)
	if err != nil {
		c.add(servesAt, "cannot be written as JSON: %v", err)
	}
	return &apiextensionsv1.JSON{Raw: raw}
}

// labelsOf returns the labels or annotations of a sample.
func labelsOf(values any) map[string]string {
	written := map[string]string{}
	given, _ := values.(map[string]any)
	for key, value := range given {
		written[key] = fmt.Sprint(value)
	}
	return written
}

// checkContractClaims says which claims a profile with a contract lacks.
func checkContractClaims(d *strictyaml.Document) (problems strictyaml.Problems) {
	if _, given := lookup(d.Object, "spec.contract"); !given {
		return nil
	}
	for _, at := range []string{"spec.claims.cleanup", "spec.claims.unowned"} {
		if _, given := lookup(d.Object, at); !given {
			problems = append(problems, d.Problem(at, "is required: %s", whatToWrite[at]))
		}
	}
	return problems
}
