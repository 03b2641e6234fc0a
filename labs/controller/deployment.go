//lab:given 03

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
)

// ensureDeployment makes the Deployment of a WebApp what it is to be, and returns it. How
// often it is called makes no difference.
func (c *controller) ensureDeployment(ctx context.Context, app *unstructured.Unstructured) (*appsv1.Deployment, error) {
	want, err := newDeployment(app)
	if err != nil {
		return nil, err
	}
	//lab:from 03
	//lab:todo TODO(lab): look whether the Deployment is there (c.kube), and create it if it is not.
	//lab:stub return want, nil
	client := c.kube.AppsV1().Deployments(want.Namespace)
	//lab:from 06
	//lab:todo TODO(lab): read it from the cache, c.deployments, once its changes lead here.
	have, err := c.deployments.Deployments(want.Namespace).Get(want.Name)
	//lab:end
	//lab:before 06 have, err := client.Get(ctx, want.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		if have, err = client.Create(ctx, want, metav1.CreateOptions{}); err != nil {
			return nil, fmt.Errorf("creating Deployment %s: %w", want.Name, err)
		}
		//lab:from 09
		//lab:todo TODO(lab): a Normal event DeploymentCreated on the WebApp: c.recorder.Eventf.
		c.recorder.Eventf(app, corev1.EventTypeNormal, "DeploymentCreated", "created Deployment %s", want.Name)
		//lab:end
		return have, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading Deployment %s: %w", want.Name, err)
	}
	//lab:from 04
	//lab:todo TODO(lab): if it does not belong to the WebApp (metav1.IsControlledBy), leave it alone and return notOurs.
	if !metav1.IsControlledBy(have, app) {
		//lab:from 09
		//lab:todo TODO(lab): a Warning event NameConflict.
		c.recorder.Eventf(app, corev1.EventTypeWarning, "NameConflict", "%v", notOurs{"Deployment", want.Name})
		//lab:end
		return nil, notOurs{"Deployment", want.Name}
	}
	//lab:end
	//lab:from 07
	//lab:todo TODO(lab): compare what is there with what is wanted (correctDeployment), and update it if it differs.
	//lab:todo What the cache returns belongs to all who read it: change a copy.
	corrected := have.DeepCopy()
	changed := correctDeployment(corrected, want)
	if len(changed) == 0 || have.DeletionTimestamp != nil {
		return have, nil
	}
	if have, err = client.Update(ctx, corrected, metav1.UpdateOptions{}); err != nil {
		return nil, fmt.Errorf("updating Deployment %s: %w", want.Name, err)
	}
	//lab:from 09
	//lab:todo TODO(lab): a Normal event DeploymentUpdated, which says what has changed.
	c.recorder.Eventf(app, corev1.EventTypeNormal, "DeploymentUpdated", "updated %s of Deployment %s",
		strings.Join(changed, ", "), want.Name)
	//lab:end
	//lab:end
	return have, nil
	//lab:end
}

// newDeployment is the Deployment that a WebApp asks for.
func newDeployment(app *unstructured.Unstructured) (*appsv1.Deployment, error) {
	s, err := specOf(app)
	if err != nil {
		return nil, err
	}
	return &appsv1.Deployment{
		ObjectMeta: metadata(app),
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(s.replicas),
			Selector: &metav1.LabelSelector{MatchLabels: selector(app)},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: selector(app)},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name:  "app",
					Image: s.image,
					Ports: []corev1.ContainerPort{{ContainerPort: s.port, Protocol: corev1.ProtocolTCP}},
				}}},
			},
		},
	}, nil
}

//lab:given 07

// correctDeployment changes what differs from what is wanted, and says what that was. It
// touches only the fields that the WebApp decides: others belong to the API server, which
// fills in defaults, or to somebody else.
func correctDeployment(have, want *appsv1.Deployment) (changed []string) {
	//lab:from 07
	//lab:todo TODO(lab): replicas, the labels, and of the container named app the image and the ports.
	//lab:stub return nil
	if setLabels(&have.Labels, want.Labels) || setLabels(&have.Spec.Template.Labels, want.Spec.Template.Labels) {
		changed = append(changed, "labels")
	}
	if !ptr.Equal(have.Spec.Replicas, want.Spec.Replicas) {
		have.Spec.Replicas = want.Spec.Replicas
		changed = append(changed, "replicas")
	}
	need := want.Spec.Template.Spec.Containers[0]
	containers := &have.Spec.Template.Spec.Containers
	i := slices.IndexFunc(*containers, func(c corev1.Container) bool { return c.Name == need.Name })
	if i < 0 {
		*containers = append(*containers, need)
		return append(changed, "container")
	}
	container := &(*containers)[i]
	if container.Image != need.Image {
		container.Image = need.Image
		changed = append(changed, "image")
	}
	if !equality.Semantic.DeepEqual(container.Ports, need.Ports) {
		container.Ports = need.Ports
		changed = append(changed, "port")
	}
	return changed
	//lab:end
}

// setLabels sets the labels that are wanted, leaves others alone, and says whether any
// was missing or wrong.
func setLabels(have *map[string]string, want map[string]string) bool {
	before := maps.Clone(*have)
	if *have == nil {
		*have = map[string]string{}
	}
	maps.Copy(*have, want)
	return !maps.Equal(before, *have)
}

//lab:end
