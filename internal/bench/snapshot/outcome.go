package snapshot

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	glob "path"
	"regexp"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// Outcome is what exists at one moment: the objects by resource and name, without what differs
// between any two runs.
type Outcome map[string]any

// JSON returns the outcome as JSON, with sorted keys.
func (o Outcome) JSON() (string, error) {
	encoded, err := json.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("encoding the outcome: %w", err)
	}
	if len(encoded) > maxContent {
		return "", fmt.Errorf("the objects are %d KiB, and an outcome holds %d", len(encoded)>>10, maxContent>>10)
	}
	return string(encoded), nil
}

// named is the field of an outcome that says whether the status of an object names its
// generation. The generations themselves differ between any two runs.
const named = "generation named by the status"

// Outcome takes the outcome in a namespace, of these resources. [IsInvalid] is true for the
// error if a resource can never be part of an outcome.
func (c *Controller) Outcome(ctx context.Context, namespace string, resources []string) (Outcome, error) {
	camera, err := c.camera(namespace)
	if err != nil {
		return nil, err
	}
	objects, err := camera.read(ctx, namespace, resources)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		nameGeneration(o.content)
	}
	names := c.Shown(namespace).Names
	if err := camera.markGone(ctx, namespace, objects, names); err != nil {
		return nil, err
	}
	own := camera.rules.nameGenerated(objects)
	camera.rules.mask(objects)
	own = append(own, namespaces(namespace, c.Profile(namespace).Home(namespace))...)
	// An outcome is compared with others, in which these names are different.
	quoted := quotesIn(history.Identities{Names: names})
	outcome := Outcome{}
	for _, o := range objects {
		outcome[o.String()] = quoted.hide(camera.rules.maskValues(o.content, own))
	}
	return outcome, nil
}

// namespaces returns the aliases of the namespace of an outcome, and of the home of the
// controller. Two outcomes are in two namespaces, whose names may be in texts such as a URL.
func namespaces(namespace, home string) []alias {
	var all []alias
	for _, one := range []struct{ name, as string }{{home, "<home>"}, {namespace, "<namespace>"}} {
		if one.as == "<home>" && home == namespace {
			continue
		}
		all = append(all, alias{
			value: one.name,
			word:  regexp.MustCompile(`(^|[^0-9A-Za-z-])` + regexp.QuoteMeta(one.name) + `($|[^0-9A-Za-z-])`),
			as:    "${1}" + one.as + "${2}",
		})
	}
	return all
}

// nameGeneration writes into an object whether its status names its generation.
func nameGeneration(object map[string]any) {
	status, _ := object["status"].(map[string]any)
	metadata, _ := object["metadata"].(map[string]any)
	observed, names := status["observedGeneration"]
	if !names {
		return
	}
	object[named] = "the current one"
	if text(observed) != text(metadata["generation"]) {
		object[named] = "another one"
	}
}

// CheckResources says which of the resources can never be part of an outcome.
func (c *Controller) CheckResources(namespace string, resources []string) error {
	camera, err := c.camera(namespace)
	if err != nil {
		return err
	}
	for _, name := range resources {
		if _, _, err := camera.find(name); err != nil {
			return err
		}
	}
	return nil
}

// Compare says in what an outcome differs from another one. It leaves out what the masks
// name, and UIDs and versions that the controller in the namespace has seen.
func (c *Controller) Compare(namespace string, expected, found Outcome, masks []v1alpha1.TrialMask) ([]v1alpha1.Divergence, error) {
	camera, err := c.camera(namespace)
	if err != nil {
		return nil, err
	}
	primary := c.Profile(namespace).Spec.Contract.Resource
	return slices.DeleteFunc(compareOutcomes(expected, found, c.Shown(namespace), camera.defaulted, masks), func(d v1alpha1.Divergence) bool {
		return isEmptyStatus(d) || isOwnNote(d, primary.Plural, primary.Group)
	}), nil
}

// compareOutcomes says in what an outcome differs from another one, except where the masks name
// it. UIDs and versions that are known do not count. For the kind whose spec a webhook fills in
// ([defaulted]; empty if there is none), only the fields count that both specs have.
func compareOutcomes(expected, found Outcome, known history.Identities, defaulted string, masks []v1alpha1.TrialMask) []v1alpha1.Divergence {
	quoted := quotesIn(known, expected, found)
	was, is := unmarkBefore(quoted.hideIn(expected), quoted.hideIn(found))
	var all []v1alpha1.Divergence
	for _, object := range keysOf(was, is) {
		before, there := was[object]
		after, here := is[object]
		switch {
		case Masked(masks, object, ""):
		case !here:
			all = append(all, v1alpha1.Divergence{Kind: v1alpha1.DivergenceMissing, Object: object})
		case !there:
			all = append(all, v1alpha1.Divergence{Kind: v1alpha1.DivergenceExtra, Object: object})
		default:
			if defaulted != "" && strings.HasPrefix(object, defaulted) {
				before, after = withCommonSpec(before, after)
			}
			tellFields("", before, after, func(path, expected, found string) {
				if !Masked(masks, object, path) {
					all = append(all, v1alpha1.Divergence{Kind: v1alpha1.DivergenceField, Object: object, Path: path, Expected: expected, Found: found})
				}
			})
		}
	}
	return append(all, miscounted(is, masks)...)
}

// miscounted returns a divergence for each mask that says how many objects it is about, if
// there are more or fewer. It returns none for objects that another mask is about, too, if
// that mask gives another number or none.
func miscounted(found Outcome, masks []v1alpha1.TrialMask) []v1alpha1.Divergence {
	expected := map[string]int32{} // by pattern; 0: not known
	var whole []v1alpha1.TrialMask // masks of whole objects that do not say how many
	for _, mask := range masks {
		count, known := expected[mask.Object]
		switch {
		case mask.Path != "":
		case mask.Count == 0:
			whole = append(whole, mask)
		case known && count != mask.Count:
			expected[mask.Object] = 0
		default:
			expected[mask.Object] = mask.Count
		}
	}
	var all []v1alpha1.Divergence
	for _, pattern := range slices.Sorted(maps.Keys(expected)) {
		count, unknown := int32(0), expected[pattern] == 0 || Masked(whole, pattern, "")
		for object := range found {
			if matches, err := glob.Match(pattern, object); err == nil && matches {
				count++
				unknown = unknown || Masked(whole, object, "")
			}
		}
		if unknown || count == expected[pattern] {
			continue
		}
		kind := v1alpha1.DivergenceExtra
		if count < expected[pattern] {
			kind = v1alpha1.DivergenceMissing
		}
		all = append(all, v1alpha1.Divergence{Kind: kind, Object: pattern, Expected: fmt.Sprintf("%d of them", expected[pattern]), Found: fmt.Sprintf("%d of them", count)})
	}
	return all
}

// Masked says whether a mask names a path of an object, or a path above it. The path is
// empty for the whole object.
func Masked(masks []v1alpha1.TrialMask, object, at string) bool {
	return slices.ContainsFunc(masks, func(mask v1alpha1.TrialMask) bool {
		if matches, err := glob.Match(mask.Object, object); err != nil || !matches {
			return false
		}
		rest, below := strings.CutPrefix(at, mask.Path)
		return mask.Path == "" || below && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

const (
	// Absent is shown in place of a missing value.
	Absent = "nothing"
	// inOrder is how the order of a list is shown.
	inOrder = "in the order "
)

// IsOrder says whether a divergence is the order of a list.
func IsOrder(d v1alpha1.Divergence) bool {
	return d.Kind == v1alpha1.DivergenceField && strings.HasPrefix(d.Expected, inOrder)
}

// tellFields calls tell for every path at which two values differ, with both values.
func tellFields(at string, was, is any, tell func(path, expected, found string)) {
	entries := func(before, after map[string]any, pathOf func(key string) string) {
		for _, key := range keysOf(before, after) {
			first, there := before[key]
			second, here := after[key]
			switch {
			case !here:
				tell(pathOf(key), shown(first), Absent)
			case !there:
				tell(pathOf(key), Absent, shown(second))
			default:
				tellFields(pathOf(key), first, second, tell)
			}
		}
	}
	switch before := was.(type) {
	case map[string]any:
		if after, ok := is.(map[string]any); ok {
			entries(before, after, func(key string) string { return join(at, key) })
			return
		}
	case []any:
		if after, ok := is.([]any); ok {
			first, orderBefore := byKey(before)
			second, orderAfter := byKey(after)
			if maps.EqualFunc(first, second, func(any, any) bool { return true }) && !slices.Equal(orderBefore, orderAfter) {
				tell(at, inOrder+fmt.Sprint(orderBefore), inOrder+fmt.Sprint(orderAfter))
			}
			entries(first, second, func(key string) string { return at + "[" + key + "]" })
			return
		}
	}
	if text(was) != text(is) {
		tell(at, shown(was), shown(is))
	}
}

// Between says in what an outcome differs from another one.
func Between(expected, found Outcome) []v1alpha1.Divergence {
	return compareOutcomes(expected, found, history.Identities{}, "", nil)
}
