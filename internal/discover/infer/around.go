package infer

import (
	"encoding/json"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// findAround keeps what objects have besides their spec, and their name if it must be a
// certain one.
func (f *finder) findAround() {
	contract := &f.Spec.Contract
	metadata := v1alpha1.PrimaryMetadata{Name: f.FixedName}
	root := map[string]any{}
	for key, value := range f.Around {
		if key == "metadata" {
			fields, _ := value.(map[string]any)
			metadata.Labels, metadata.Annotations = texts(fields["labels"]), texts(fields["annotations"])
			continue
		}
		root[key] = profile.EscapeAll(value)
	}
	if f.Bare {
		f.note("contract.resource", Read, "the CRD, in the version of the sample. What the sample has outside its spec (labels, annotations, other fields) is left out: an object without it got its children")
	}
	basis, text := Guessed, "the sample has them: leave out what is not needed"
	if n := slices.IndexFunc(f.Acts, func(a Act) bool { return a.Deed == Create && a.Refused != "" }); n >= 0 && len(f.acts(Create)) > 1 {
		basis, text = Seen, "the sample has them, and an object with nothing but its spec got no children: "+f.Acts[n].Refused
	}
	if len(metadata.Labels)+len(metadata.Annotations) > 0 || metadata.Name != "" {
		contract.Metadata = &metadata
	}
	if len(metadata.Labels) > 0 {
		f.note("contract.metadata.labels", basis, "%s", text)
	}
	if len(metadata.Annotations) > 0 {
		f.note("contract.metadata.annotations", basis, "%s", text)
	}
	if metadata.Name != "" {
		f.note("contract.metadata.name", Seen, "an object of another name got no children")
	}
	if len(root) == 0 {
		return
	}
	raw, err := json.Marshal(root)
	if err != nil {
		return // the value came from JSON, so this cannot fail
	}
	contract.Root = &apiextensionsv1.JSON{Raw: raw}
	f.note("contract.root", basis, "%s", text)
}

// texts returns a map of strings as a profile needs it.
func texts(value any) map[string]string {
	fields, _ := value.(map[string]any)
	found := map[string]string{}
	for key, value := range fields {
		if text, ok := value.(string); ok {
			found[key] = profile.EscapeTemplates(text)
		}
	}
	return found
}

// MostReplicas is the largest number of replicas that a visit tries.
const MostReplicas = 20

// findNumbers keeps the numbers of replicas that the API server accepts, if the bounds
// in the CRD do not give them.
func (f *finder) findNumbers() {
	field := f.Spec.Contract.Spec.Replicas
	if field == nil || field.Path == "" || len(f.Replicas) == 0 {
		return
	}
	least, most := int32(0), int32(MostReplicas)
	if bounds := f.Spec.Contract.Bounds.Replicas; bounds != nil {
		least, most = max(least, bounds.Minimum), min(most, bounds.Maximum)
	}
	if int32(len(f.Replicas)) == most-least+1 && f.Replicas[0] == least {
		return
	}
	field.Values = f.Replicas
	f.note("contract.spec.replicas", Seen, "%s; of the numbers from 0 to %d, the API server accepts only these values", f.fields[RoleReplicas].inWords(), MostReplicas)
}

// OtherValues returns values to try after one was refused: numbers near the present one, and
// images that begin like the present one.
func OtherValues(present, refused any) []any {
	switch refused := refused.(type) {
	case int64:
		now, ok := whole(present)
		if !ok {
			now = refused
		}
		var others []any
		for _, n := range []int64{now + 1, now - 1, now + 2, now * 2, now / 2, now + 5, now + 10} {
			if n > 0 && n != now && n != refused && !slices.Contains(others, any(n)) {
				others = append(others, n)
			}
		}
		return others
	case string:
		image, ok := present.(string)
		if !ok || refused != otherImage {
			return nil
		}
		var others []any
		for i := len(image); i > 0; {
			if i = strings.LastIndex(image[:i], "/"); i < 0 {
				break
			}
			others = append(others, image[:i+1]+otherImage)
		}
		return others
	}
	return nil
}

// ImageLike returns an image in the form in which another one was tried.
func ImageLike(tried any, image string) string {
	if text, ok := tried.(string); ok && strings.HasSuffix(text, otherImage) {
		return strings.TrimSuffix(text, otherImage) + image
	}
	return image
}

// compareNumbers looks for numbers of replicas that a scenario may use, but that the
// API server does not accept.
func (c *comparison) compareNumbers(field v1alpha1.Field, bounds *v1alpha1.Range) {
	allowed := func(n int32) bool {
		return bounds == nil && n > 0 || bounds != nil && n >= bounds.Minimum && n <= bounds.Maximum
	}
	if len(field.Values) > 0 {
		allowed = func(n int32) bool { return slices.Contains(field.Values, n) }
	}
	for n := range int32(MostReplicas + 1) {
		if allowed(n) && !slices.Contains(c.Replicas, n) {
			c.add("spec.contract.spec.replicas.values", "the API server does not accept %d; of 0 to %d it accepts %v", n, MostReplicas, c.Replicas)
			return
		}
	}
}
