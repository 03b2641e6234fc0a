package pods

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// kept is a Pod of these containers after a Keeper had it, except for its metadata.
func kept(containers ...corev1.Container) corev1.PodSpec {
	return corev1.PodSpec{Containers: containers, ReadinessGates: []corev1.PodReadinessGate{{ConditionType: "reconform.dev/ready"}}}
}

// standIn is the program in the place of a container.
func standIn(name string, args ...string) corev1.Container {
	return corev1.Container{Name: name, Image: "ours:v1", ImagePullPolicy: corev1.PullIfNotPresent, Command: []string{"/standin"}, Args: args}
}

func TestKeep(t *testing.T) {
	restartable := standIn("proxy", "-image=proxy:v1")
	restartable.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
	app := standIn("app", "-image=nginx", "-port=80")
	app.Ports = []corev1.ContainerPort{{ContainerPort: 80}, {ContainerPort: 53, Protocol: corev1.ProtocolUDP}}
	app.Env = []corev1.EnvVar{{Name: "A", Value: "b"}}
	app.EnvFrom = []corev1.EnvFromSource{{Prefix: "P"}}
	app.VolumeMounts = []corev1.VolumeMount{{Name: "v", MountPath: "/v"}}
	app.SecurityContext = &corev1.SecurityContext{RunAsNonRoot: ptr.To(true)}
	theirs := app
	theirs.Image, theirs.ImagePullPolicy, theirs.Command, theirs.Args = "nginx", corev1.PullAlways, []string{"nginx"}, []string{"-g"}
	theirs.WorkingDir = "/srv"
	theirs.LivenessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"true"}}}}
	theirs.ReadinessProbe, theirs.StartupProbe = theirs.LivenessProbe, theirs.LivenessProbe
	theirs.Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"true"}}}}
	theirs.Resources = corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: {}}}

	withheld := map[string]string{"reconform.dev/ready": "false"}
	for name, tc := range map[string]struct {
		pod         corev1.Pod
		annotations map[string]string
		spec        corev1.PodSpec
	}{
		"whatever is in the way goes": {
			corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{theirs}}}, nil, kept(app),
		},
		"one that is never ready": {
			corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "demo:never-ready"}}}},
			withheld, kept(standIn("app", "-image=demo:never-ready")),
		},
		"one whose readiness is withheld": {
			corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: withheld}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "demo"}}}},
			withheld, kept(standIn("app", "-image=demo")),
		},
		"what is said counts more than the image": {
			corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"reconform.dev/ready": "true"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "demo:never-ready"}}},
			},
			map[string]string{"reconform.dev/ready": "true"},
			kept(standIn("app", "-image=demo:never-ready")),
		},
		"a Job's ends": {
			corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job"}}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "demo"}}},
			},
			nil, kept(standIn("app", "-image=demo", "-complete")),
		},
		"that of a Job of another API runs on": {
			corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch.example.com/v1", Kind: "Job"}}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "demo"}}},
			},
			nil, kept(standIn("app", "-image=demo")),
		},
		"one with init containers": {
			corev1.Pod{Spec: corev1.PodSpec{
				InitContainers: []corev1.Container{
					{Name: "first", Image: "init:v1"},
					{Name: "proxy", Image: "proxy:v1", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)},
				},
				ReadinessGates: []corev1.PodReadinessGate{{ConditionType: "reconform.dev/ready"}},
			}},
			nil,
			corev1.PodSpec{
				InitContainers: []corev1.Container{standIn("first", "-image=init:v1", "-complete"), restartable},
				ReadinessGates: []corev1.PodReadinessGate{{ConditionType: "reconform.dev/ready"}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := &Keeper{Image: "ours:v1"}
			got := tc.pod.DeepCopy()
			k.keep(got)
			if diff := cmp.Diff(tc.spec, got.Spec); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.annotations, got.Annotations); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
			if !Kept().Matches(labelsOf(got)) {
				t.Errorf("labels: %v", got.Labels)
			}
		})
	}
}

// TestHandle also checks that Pods that are not to run wait for a node.
func TestHandle(t *testing.T) {
	k := &Keeper{Image: "ours:v1", Client: fake.NewClientBuilder().Build()}
	if err := k.Rest(t.Context(), "idle"); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		namespace, pod string
		waits          bool
	}{
		"it runs":              {"busy", `{"spec":{"containers":[{"name":"app","image":"demo"}]}}`, false},
		"it waits":             {"idle", `{"spec":{"containers":[{"name":"app","image":"demo"}]}}`, true},
		"it has a node":        {"idle", `{"spec":{"containers":[{"name":"app","image":"demo"}],"nodeName":"n"}}`, false},
		"nothing is a Pod too": {"busy", `{}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			response := k.Handle(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Namespace: tc.namespace, Object: runtime.RawExtension{Raw: []byte(tc.pod)},
			}})
			patches, err := json.Marshal(response.Patches)
			if err != nil {
				t.Fatal(err)
			}
			waits := false
			for _, patch := range response.Patches {
				waits = waits || patch.Path == "/spec/schedulingGates"
			}
			if !response.Allowed || len(response.Patches) == 0 || waits != tc.waits {
				t.Errorf("allowed %t, waits %t: %s", response.Allowed, waits, patches)
			}
		})
	}
	broken := k.Handle(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Object: runtime.RawExtension{Raw: []byte("[")}}})
	if broken.Allowed {
		t.Error("nonsense was allowed")
	}
}
