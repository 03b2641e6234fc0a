package trial

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// HarmUnread is the path of a Divergence that reports the creation of an object that is there,
// after it could not be read.
const HarmUnread = "creation of what could not be read"

// unreadHarm returns the objects that the subject wanted to create although they are there, just
// after a Fault had refused to let it read them: it takes any error for "not found", or a list that
// it did not get for an empty one. Who creates first, and reads only what is there already, also
// does so without such a refusal before, and is left out. So are lists of what a replica watches: it
// may have looked into its cache, which is behind.
func unreadHarm(requests []history.Request, d *disturbance) []v1alpha1.Divergence {
	if !d.Lasting || !slices.Contains([]string{history.VerbGet, history.VerbList}, d.At.Verb) {
		return nil
	}
	var all []v1alpha1.Divergence
	read, unlisted := map[string]bool{}, map[string]bool{} // by replica and object, and by replica and resource
	unread, watched := map[string]bool{}, map[string]bool{}
	told, usual := map[string]bool{}, []string{} // by object
	for _, q := range requests {
		object := objectOf(q)
		key, kind := q.Replica+" "+object, q.Replica+" "+q.GroupResource().String()
		switch {
		case q.Verb == history.VerbWatch:
			watched[kind] = true
		case q.Verb == history.VerbList:
			if unlisted[kind] = q.Fault == d.fault.Name; unlisted[kind] {
				maps.DeleteFunc(read, func(key string, _ bool) bool { return strings.HasPrefix(key, kind+" ") })
			}
		case q.Name == "" || q.Subresource != "":
		case q.Verb == history.VerbGet:
			unread[key], read[key] = q.Fault == d.fault.Name, true
		case q.Verb != history.VerbCreate || q.Reason != string(metav1.StatusReasonAlreadyExists) || q.Fault != "" ||
			q.Bystander || !history.Matches(v1alpha1.RequestMatch{}, q):
		case !unread[key] && (!unlisted[kind] || watched[kind] || read[key]):
			usual = append(usual, object)
		case !told[object]:
			told[object] = true
			all = append(all, v1alpha1.Divergence{
				Kind: v1alpha1.DivergenceHarm, Object: object, Path: HarmUnread,
				Expected: "an object that could not be read is not taken for one that is gone", Found: q.InWords() + ": " + q.Message,
			})
		}
	}
	return slices.DeleteFunc(all, func(d v1alpha1.Divergence) bool { return slices.Contains(usual, d.Object) })
}
