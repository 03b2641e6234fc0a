package objects

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// actor serves Pods. It knows those in force, and the phase for their status.
type actor struct {
	mu      sync.Mutex
	inForce map[types.NamespacedName]types.UID
	phase   corev1.PodPhase
	next    time.Duration
	err     error
	calls   []string
}

func (a *actor) Check(_ context.Context, pod *corev1.Pod) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, "check "+string(pod.UID))
	return a.err
}

func (a *actor) Admit(_ context.Context, pod *corev1.Pod) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, "admit "+string(pod.UID))
	if a.err == nil {
		a.inForce[client.ObjectKeyFromObject(pod)] = pod.UID
	}
	return a.err
}

func (a *actor) Advance(_ context.Context, pod *corev1.Pod) (time.Duration, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, "advance "+string(pod.UID))
	a.inForce[client.ObjectKeyFromObject(pod)] = pod.UID
	pod.Status.Phase = a.phase
	return a.next, a.err
}

func (a *actor) Remove(key types.NamespacedName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, "remove")
	delete(a.inForce, key)
}

// stage has an actor that is served, and the objects of the API server and of the
// cache.
type stage struct {
	*server[*corev1.Pod]
	admission *Admission
	actor     *actor
	api       client.Client
	writes    int   // of statuses
	refuses   error // the next write of a status
}

func newStage(t *testing.T, pods ...client.Object) *stage {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	s := &stage{actor: &actor{inForce: map[types.NamespacedName]types.UID{}, phase: corev1.PodRunning}, admission: NewAdmission()}
	s.api = fake.NewClientBuilder().WithScheme(scheme).WithObjects(pods...).WithStatusSubresource(&corev1.Pod{}).
		WithInterceptorFuncs(interceptor.Funcs{
			SubResourceUpdate: func(ctx context.Context, c client.Client, name string, o client.Object, opts ...client.SubResourceUpdateOption) error {
				s.writes++
				if err := s.refuses; err != nil {
					s.refuses = nil
					return err
				}
				return c.SubResource(name).Update(ctx, o, opts...)
			},
		}).Build()
	awaited := &arrivals{}
	s.server = &server[*corev1.Pod]{client: s.api, live: s.api, prototype: &corev1.Pod{}, actor: s.actor, arrivals: awaited, name: "pod"}
	s.admission.add("Pod", &admitter[*corev1.Pod]{reader: s.api, prototype: &corev1.Pod{}, actor: s.actor, arrivals: awaited})
	return s
}

var demo = types.NamespacedName{Namespace: "ns", Name: "demo"}

// pod of the name demo, in one of its lives.
func pod(uid types.UID) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: demo.Namespace, Name: demo.Name, UID: uid}}
}

// creation is the API server's question about a Pod.
func creation(t *testing.T, uid types.UID) admission.Request {
	t.Helper()
	raw, err := json.Marshal(pod(uid))
	if err != nil {
		t.Fatal(err)
	}
	return admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Kind: metav1.GroupVersionKind{Version: "v1", Kind: "Pod"}, Operation: admissionv1.Create,
		Object: runtime.RawExtension{Raw: raw},
	}}
}
