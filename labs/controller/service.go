//lab:given 05

package main

import (
	"context"
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ensureService does for the Service what ensureDeployment does for the Deployment.
func (c *controller) ensureService(ctx context.Context, app *unstructured.Unstructured) error {
	want, err := newService(app)
	if err != nil {
		return err
	}
	//lab:from 05
	//lab:todo TODO(lab): look whether the Service is there, create it if it is not, and leave somebody else's alone.
	//lab:stub _ = want
	//lab:stub return nil
	client := c.kube.CoreV1().Services(want.Namespace)
	//lab:from 06
	//lab:todo TODO(lab): read it from the cache, too: c.services.
	have, err := c.services.Services(want.Namespace).Get(want.Name)
	//lab:end
	//lab:before 06 have, err := client.Get(ctx, want.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		if _, err := client.Create(ctx, want, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating Service %s: %w", want.Name, err)
		}
		//lab:from 09
		//lab:todo TODO(lab): a Normal event ServiceCreated on the WebApp.
		c.recorder.Eventf(app, corev1.EventTypeNormal, "ServiceCreated", "created Service %s", want.Name)
		//lab:end
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading Service %s: %w", want.Name, err)
	}
	if !metav1.IsControlledBy(have, app) {
		//lab:from 09
		//lab:todo TODO(lab): a Warning event NameConflict.
		c.recorder.Eventf(app, corev1.EventTypeWarning, "NameConflict", "%v", notOurs{"Service", want.Name})
		//lab:end
		return notOurs{"Service", want.Name}
	}
	//lab:from 07
	//lab:todo TODO(lab): the same as for the Deployment: correctService, on a copy.
	corrected := have.DeepCopy()
	changed := correctService(corrected, want)
	if len(changed) == 0 || have.DeletionTimestamp != nil {
		return nil
	}
	if _, err := client.Update(ctx, corrected, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("updating Service %s: %w", want.Name, err)
	}
	//lab:from 09
	//lab:todo TODO(lab): a Normal event ServiceUpdated, which says what has changed.
	c.recorder.Eventf(app, corev1.EventTypeNormal, "ServiceUpdated", "updated %s of Service %s",
		strings.Join(changed, ", "), want.Name)
	//lab:end
	//lab:end
	return nil
	//lab:end
}

// newService is the Service that a WebApp asks for.
func newService(app *unstructured.Unstructured) (*corev1.Service, error) {
	s, err := specOf(app)
	if err != nil {
		return nil, err
	}
	return &corev1.Service{
		ObjectMeta: metadata(app),
		Spec: corev1.ServiceSpec{
			//lab:from 05
			//lab:todo TODO(lab): Selector: which Pods does the Service lead to?
			Selector: selector(app),
			//lab:end
			Ports: []corev1.ServicePort{{Port: s.port, TargetPort: intstr.FromInt32(s.port), Protocol: corev1.ProtocolTCP}},
		},
	}, nil
}

//lab:given 07

// correctService changes what differs. The address is the API server's, and the node port
// too: they stay.
func correctService(have, want *corev1.Service) (changed []string) {
	//lab:from 07
	//lab:todo TODO(lab): the labels, the selector, and the one port.
	//lab:stub return nil
	if setLabels(&have.Labels, want.Labels) {
		changed = append(changed, "labels")
	}
	if !maps.Equal(have.Spec.Selector, want.Spec.Selector) {
		have.Spec.Selector = want.Spec.Selector
		changed = append(changed, "selector")
	}
	need := want.Spec.Ports[0]
	if len(have.Spec.Ports) == 1 {
		need.NodePort = have.Spec.Ports[0].NodePort
	}
	if len(have.Spec.Ports) != 1 || have.Spec.Ports[0] != need {
		have.Spec.Ports = []corev1.ServicePort{need}
		changed = append(changed, "port")
	}
	return changed
	//lab:end
}

//lab:end
