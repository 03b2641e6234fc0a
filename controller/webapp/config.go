package webapp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/controller/api/v1beta1"
)

// configState is what is known of the ConfigMap that a WebApp names.
type configState struct {
	found  bool
	digest string
}

// readConfig reads the WebApp's ConfigMap.
func (r *Reconciler) readConfig(ctx context.Context, app *v1beta1.WebApp) (configState, error) {
	ref := app.Spec.ConfigMapRef
	if ref == nil {
		return configState{}, nil
	}
	var cm corev1.ConfigMap
	err := r.client.Get(ctx, client.ObjectKey{Namespace: app.Namespace, Name: ref.Name}, &cm)
	if apierrors.IsNotFound(err) {
		return configState{}, nil
	}
	if err != nil {
		return configState{}, fmt.Errorf("reading ConfigMap %s: %w", ref.Name, err)
	}
	digest, err := digestOf(&cm)
	return configState{found: true, digest: digest}, err
}

// problem reports a missing ConfigMap. The children are made nevertheless: the Pods
// start as soon as it exists.
func (c configState) problem(app *v1beta1.WebApp) *problem {
	if c.found || app.Spec.ConfigMapRef == nil {
		return nil
	}
	return &problem{
		reason:  ReasonConfigMapNotFound,
		message: fmt.Sprintf("ConfigMap %s does not exist", app.Spec.ConfigMapRef.Name),
	}
}

// digestOf identifies the content of a ConfigMap, without its metadata.
func digestOf(cm *corev1.ConfigMap) (string, error) {
	content, err := json.Marshal([]any{cm.Data, cm.BinaryData}) // sorts the keys
	if err != nil {
		return "", fmt.Errorf("encoding ConfigMap %s: %w", cm.Name, err)
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8]), nil
}
