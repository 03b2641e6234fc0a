package pods

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const (
	// annotationReady is "false" on a Pod whose readiness is withheld.
	annotationReady = "reconform.dev/ready"
	// conditionReady is the readiness gate that Pods get.
	conditionReady corev1.PodConditionType = "reconform.dev/ready"
	// labelKept is on each Pod that a Keeper has changed.
	labelKept = "reconform.dev/kept"

	// neverReady is the end of the images of Pods that must not become ready.
	neverReady = ":never-ready"
	// idleGate is the scheduling gate that keeps Pods off the nodes.
	idleGate = "reconform.dev/idle"
	// program is the path of our program in the image.
	program = "/standin"
)

// Handle changes a Pod that is about to be created. It is an admission.Handler.
func (k *Keeper) Handle(_ context.Context, request admission.Request) admission.Response {
	pod := &corev1.Pod{}
	if err := json.Unmarshal(request.Object.Raw, pod); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("reading the Pod: %w", err))
	}
	k.keep(pod)
	if k.isIdle(request.Namespace) && pod.Spec.NodeName == "" {
		pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: idleGate})
	}
	changed, err := json.Marshal(pod)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("writing the Pod: %w", err))
	}
	return admission.PatchResponseFromRaw(request.Object.Raw, changed)
}

// keep changes a Pod so that it runs on any node.
func (k *Keeper) keep(pod *corev1.Pod) {
	// The old image must be read first, because it may say that the Pod must not become
	// ready.
	withheld := slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool { return strings.HasSuffix(c.Image, neverReady) })
	if _, said := pod.Annotations[annotationReady]; withheld && !said {
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, annotationReady, "false")
	}
	metav1.SetMetaDataLabel(&pod.ObjectMeta, labelKept, "true")
	if !slices.ContainsFunc(pod.Spec.ReadinessGates, func(g corev1.PodReadinessGate) bool { return g.ConditionType == conditionReady }) {
		pod.Spec.ReadinessGates = append(pod.Spec.ReadinessGates, corev1.PodReadinessGate{ConditionType: conditionReady})
	}
	job := slices.ContainsFunc(pod.OwnerReferences, func(o metav1.OwnerReference) bool {
		return o.Kind == "Job" && strings.HasPrefix(o.APIVersion, "batch/")
	})
	for i := range pod.Spec.Containers {
		k.standIn(&pod.Spec.Containers[i], job)
	}
	for i := range pod.Spec.InitContainers {
		container := &pod.Spec.InitContainers[i]
		k.standIn(container, ptr.Deref(container.RestartPolicy, "") != corev1.ContainerRestartPolicyAlways)
	}
}

// standIn replaces a container by our program. It keeps the ports, the restart policy and the
// security context. It also keeps the environment and the volumes: if they name something
// that does not exist, the container must not start.
func (k *Keeper) standIn(container *corev1.Container, complete bool) {
	args := []string{"-image=" + container.Image}
	if complete {
		args = append(args, "-complete")
	}
	for _, port := range container.Ports {
		if port.Protocol == "" || port.Protocol == corev1.ProtocolTCP {
			args = append(args, fmt.Sprintf("-port=%d", port.ContainerPort))
		}
	}
	*container = corev1.Container{
		Name: container.Name, Image: k.Image, ImagePullPolicy: corev1.PullIfNotPresent,
		Command: []string{program}, Args: args,
		Ports: container.Ports, Env: container.Env, EnvFrom: container.EnvFrom, RestartPolicy: container.RestartPolicy,
		VolumeMounts: container.VolumeMounts, VolumeDevices: container.VolumeDevices, SecurityContext: container.SecurityContext,
	}
}
