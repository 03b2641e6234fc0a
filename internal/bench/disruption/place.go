package disruption

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Placer lets the Pods of namespaces that have Nodes of their own run there, and nowhere
// else. The API server must ask it about each Pod that is created in such a namespace.
type Placer struct{}

// Handle adds a node selector and a toleration to a Pod. It is an admission.Handler.
func (Placer) Handle(_ context.Context, request admission.Request) admission.Response {
	pod := map[string]any{}
	if err := json.Unmarshal(request.Object.Raw, &pod); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("reading the Pod: %w", err))
	}
	// Not as the Go type, which may not have all fields that this API server knows.
	tolerations, _, err := unstructured.NestedSlice(pod, "spec", "tolerations")
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	tolerations = append(tolerations, map[string]any{
		"key": v1alpha1.LabelOwnNodes, "operator": string(corev1.TolerationOpEqual), "value": request.Namespace,
		"effect": string(corev1.TaintEffectNoSchedule),
	})
	if err := unstructured.SetNestedSlice(pod, tolerations, "spec", "tolerations"); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if err := unstructured.SetNestedField(pod, request.Namespace, "spec", "nodeSelector", v1alpha1.LabelOwnNodes); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	changed, err := json.Marshal(pod)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("writing the Pod: %w", err))
	}
	return admission.PatchResponseFromRaw(request.Object.Raw, changed)
}
