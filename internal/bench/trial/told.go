package trial

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// HarmUnseenEvent is the path of an Event that kubectl describe does not show: it names no
// object that there has ever been.
const HarmUnseenEvent = "an Event that kubectl describe does not show"

// eventHarm returns the Events of the subject that nobody sees who looks at their object:
// kubectl describe finds them by the UID.
func (r *run) eventHarm(ctx context.Context, account history.Account, versions map[string][]version) ([]v1alpha1.Divergence, error) {
	var written []string
	for _, q := range account.Requests {
		if q.IsEvent() && q.Verb == history.VerbCreate && q.Effect == history.EffectEffective && q.Namespace == r.namespace {
			written = append(written, q.Name)
		}
	}
	if len(written) == 0 {
		return nil, nil
	}
	events := r.Dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "events"}).Namespace(r.namespace)
	list, err := events.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing Events: %w", err)
	}
	var all []v1alpha1.Divergence
	for _, event := range list.Items {
		if !slices.Contains(written, event.GetName()) {
			continue
		}
		if unseen := unseen(event, versions); unseen != "" {
			all = append(all, v1alpha1.Divergence{
				Kind: v1alpha1.DivergenceHarm, Object: unseen, Path: HarmUnseenEvent,
				Expected: "an Event names the UID of its object", Found: said(event),
			})
		}
	}
	return all, nil
}

// unseen returns the object whose name an Event has, if it has the UID of none that was ever
// there; otherwise "".
func unseen(event unstructured.Unstructured, versions map[string][]version) string {
	field := func(name string) string {
		value, _, _ := unstructured.NestedString(event.Object, "involvedObject", name)
		return value
	}
	for key, all := range versions {
		if all[0].GetKind() != field("kind") || all[0].GetName() != field("name") {
			continue
		}
		if !slices.ContainsFunc(all, func(v version) bool { return v.GetUID() == types.UID(field("uid")) }) {
			return key
		}
	}
	return ""
}

// said is what an Event says, in words.
func said(event unstructured.Unstructured) string {
	reason, _, _ := unstructured.NestedString(event.Object, "reason")
	uid, _, _ := unstructured.NestedString(event.Object, "involvedObject", "uid")
	if uid == "" {
		return "the Event " + reason + " names no UID"
	}
	return "the Event " + reason + " names the UID " + uid + ", which its object never had"
}
