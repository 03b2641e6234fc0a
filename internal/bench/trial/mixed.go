package trial

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// HarmMixed is the path of a Divergence that reports an object which for a while had the name of
// another one in it.
const HarmMixed = "name of another object"

// mixedHarm returns the objects in which the controller wrote, for a while, the name of another
// object of the same kind: it took the values of one for those of the other. Only two objects
// that the Trial created, that live, and the children that one of them owns count. What names the
// other one at the end, too, is left out: somebody may have wanted that. So is a text that a user
// wrote into the object itself.
func mixedHarm(versions map[string][]version, created []string) []v1alpha1.Divergence {
	var all []v1alpha1.Divergence
	for _, key := range created {
		one, lives := lastOf(versions[key])
		if !lives {
			continue
		}
		given := askedFor(versions[key])
		for _, otherKey := range created {
			other, lives := lastOf(versions[otherKey])
			if !lives || otherKey == key || other.resource != one.resource {
				continue
			}
			for child, object := range versions {
				last, lives := lastOf(object)
				content := contentOf
				switch {
				case child == key:
					content = statusOf
				case !lives || !owns(one, last):
					continue
				}
				if found, mixed := mixedIn(object, content, one.GetName(), other.GetName(), given); mixed {
					all = append(all, v1alpha1.Divergence{
						Kind: v1alpha1.DivergenceHarm, Object: child, Path: HarmMixed,
						Expected: "it never names " + otherKey, Found: found,
					})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b v1alpha1.Divergence) int { return strings.Compare(a.Object, b.Object) })
	return all
}

// askedFor returns the texts in the specs of all versions of an object.
func askedFor(versions []version) map[string]bool {
	texts := map[string]bool{}
	for _, v := range versions {
		for _, text := range textsIn(v.Object["spec"]) {
			texts[text] = true
		}
	}
	return texts
}

// owns says whether an object owns a child, and no other one does.
func owns(owner, child version) bool {
	owners := child.GetOwnerReferences()
	return len(owners) == 1 && owners[0].UID == owner.GetUID()
}

// mixedIn says where a version of an object names another one, and no longer does at the end.
func mixedIn(object []version, written func(version) map[string]string, one, other string, given map[string]bool) (string, bool) {
	last := written(object[len(object)-1])
	for _, v := range object {
		if v.gone {
			continue
		}
		texts := written(v)
		for _, path := range slices.Sorted(maps.Keys(texts)) {
			if text := texts[path]; names(text, one, other) && !names(last[path], one, other) && !given[text] {
				return fmt.Sprintf("%s was %q for a while", path, text), true
			}
		}
	}
	return "", false
}

// names says whether a text names the other one of two objects. The name of one may be a part of
// that of the other, and of another word: demo-2 is not named by demo-2f9c7, which is demo with a
// hash.
func names(text, one, other string) bool {
	if strings.Contains(one, other) {
		text = strings.ReplaceAll(text, one, "")
	}
	for from := 0; ; {
		at := strings.Index(text[from:], other)
		if at < 0 {
			return false
		}
		begin := from + at
		end := begin + len(other)
		if (begin == 0 || !inWord(text[begin-1])) && (end == len(text) || !inWord(text[end])) {
			return true
		}
		from = begin + 1
	}
}

// inWord says whether a character next to a name makes it a part of a longer word. Names of
// children often have one more word, after a hyphen or a dot.
func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// statusOf returns the texts in the status of an object, by their paths.
func statusOf(v version) map[string]string {
	all := map[string]string{}
	collect("status", v.Object["status"], all)
	return all
}

// contentOf returns the texts in a child, by their paths, without its status, which somebody else
// writes, and without what the API server adds.
func contentOf(v version) map[string]string {
	all := map[string]string{}
	for field, value := range v.Object {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, field) {
			collect(field, value, all)
		}
	}
	for _, part := range []string{"labels", "annotations", "ownerReferences"} {
		below, _, _ := unstructured.NestedFieldNoCopy(v.Object, "metadata", part)
		collect("metadata."+part, below, all)
	}
	return all
}

// collect adds the texts in a value, by their paths.
func collect(path string, value any, all map[string]string) {
	switch value := value.(type) {
	case map[string]any:
		for key, below := range value {
			collect(path+"."+key, below, all)
		}
	case []any:
		for i, below := range value {
			collect(fmt.Sprintf("%s[%d]", path, i), below, all)
		}
	case string:
		all[path] = value
	}
}

// textsIn returns the texts in a value.
func textsIn(value any) []string {
	found := map[string]string{}
	collect("", value, found)
	return slices.Collect(maps.Values(found))
}
