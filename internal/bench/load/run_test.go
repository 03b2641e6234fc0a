package load

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// loadOf makes a Load of ConfigMaps.
func loadOf(action v1alpha1.LoadAction, count, perSecond int32, template string) *v1alpha1.Load {
	l := &v1alpha1.Load{ObjectMeta: metav1.ObjectMeta{Namespace: "here", Name: "load"}}
	l.Spec = v1alpha1.LoadSpec{Action: action, Count: count, PerSecond: perSecond}
	l.Spec.Template.Raw = []byte(template)
	return l
}

const configMap = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "demo"}, "data": {"number": "n{{ .i }}"}}`

// prepared is a run on an API server that answers with react.
func prepared(t *testing.T, l *v1alpha1.Load, react clienttesting.ReactionFunc) *run {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	client := fake.NewSimpleDynamicClient(scheme)
	client.PrependReactor("*", "*", react)
	r, err := prepare(l, client, mapper(), false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mapper() meta.RESTMapper {
	m := meta.NewDefaultRESTMapper([]schema.GroupVersion{corev1.SchemeGroupVersion})
	m.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("Namespace"), meta.RESTScopeRoot)
	return m
}

func TestCreate(t *testing.T) {
	created := map[string]string{}
	var mu sync.Mutex
	r := prepared(t, loadOf(v1alpha1.LoadCreate, 50, 0, configMap), func(action clienttesting.Action) (bool, runtime.Object, error) {
		mu.Lock()
		defer mu.Unlock()
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(action.(clienttesting.CreateAction).GetObject())
		if err != nil {
			return true, nil, err
		}
		created[action.GetNamespace()+"/"+object["metadata"].(map[string]any)["name"].(string)] = fmt.Sprint(object["data"])
		return true, action.(clienttesting.CreateAction).GetObject(), nil
	})
	r.do(t.Context())
	want := map[string]string{}
	for i := range 50 {
		want[fmt.Sprintf("here/demo-%d", i)] = fmt.Sprintf("map[number:n%d]", i)
	}
	if diff := cmp.Diff(want, created); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	if s := r.now(); s.Phase != v1alpha1.LoadDone || s.Done != 50 || s.Message != "" {
		t.Errorf("status: %+v", s)
	}
}

// TestEditsAreInOrder: the last one must win.
func TestEditsAreInOrder(t *testing.T) {
	var patches []string
	r := prepared(t, loadOf(v1alpha1.LoadEdit, 30, 0, configMap), func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch := action.(clienttesting.PatchAction)
		patches = append(patches, patch.GetName()+" "+string(patch.GetPatch()))
		return true, &unstructured.Unstructured{}, nil
	})
	r.do(t.Context())
	if len(patches) != 30 || r.now().Phase != v1alpha1.LoadDone {
		t.Fatalf("%d patches, status %+v", len(patches), r.now())
	}
	for i, patch := range patches {
		if !strings.HasPrefix(patch, "demo {") || !strings.Contains(patch, fmt.Sprintf(`"number":"n%d"`, i)) {
			t.Errorf("patch %d: %s", i, patch)
		}
	}
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := prepared(t, loadOf(v1alpha1.LoadCreate, 21, 10, configMap), func(action clienttesting.Action) (bool, runtime.Object, error) {
			return true, action.(clienttesting.CreateAction).GetObject(), nil
		})
		r.do(t.Context())
		if took := time.Since(began); took < 1990*time.Millisecond || took > 2010*time.Millisecond || r.now().TookMs != took.Milliseconds() {
			t.Errorf("21 objects at 10 per second took %s, status %+v", took, r.now())
		}
	})
}

// TestDutyCycle: with a duty cycle of 5 %, there are five edits a second if each takes
// 5 ms, and one in two seconds if each takes 100 ms.
func TestDutyCycle(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		5 * time.Millisecond:   200 * time.Millisecond,
		100 * time.Millisecond: 2 * time.Second,
	} {
		t.Run(took.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var sent []time.Time
				l := loadOf(v1alpha1.LoadEdit, 10, 5, configMap)
				l.Spec.DutyCyclePercent = 5
				r := prepared(t, l, func(clienttesting.Action) (bool, runtime.Object, error) {
					sent = append(sent, time.Now())
					time.Sleep(took)
					return true, &unstructured.Unstructured{}, nil
				})
				r.do(t.Context())
				// The first two come without a pause of the rate between them.
				for i := 2; i < len(sent); i++ {
					if apart := sent[i].Sub(sent[i-1]); (apart - want).Abs() > 10*time.Millisecond {
						t.Errorf("edit %d came %s after the one before, want %s", i, apart, want)
					}
				}
			})
		})
	}
}

func TestFirstErrorEndsIt(t *testing.T) {
	for action, want := range map[v1alpha1.LoadAction]string{
		v1alpha1.LoadCreate: "creating ConfigMap demo-3: no more",
		v1alpha1.LoadEdit:   "making edit 3 of ConfigMap demo: no more",
	} {
		t.Run(string(action), func(t *testing.T) {
			var mu sync.Mutex
			requests := 0
			r := prepared(t, loadOf(action, 1000, 0, configMap), func(action clienttesting.Action) (bool, runtime.Object, error) {
				mu.Lock()
				defer mu.Unlock()
				requests++
				switch a := action.(type) {
				case clienttesting.CreateAction:
					if a.GetObject().(interface{ GetName() string }).GetName() == "demo-3" {
						return true, nil, errors.New("no more")
					}
					return true, a.GetObject(), nil
				case clienttesting.PatchAction:
					if strings.Contains(string(a.GetPatch()), `"n3"`) {
						return true, nil, errors.New("no more")
					}
				}
				return true, &unstructured.Unstructured{}, nil
			})
			r.do(t.Context())
			if s := r.now(); s.Phase != v1alpha1.LoadFailed || s.Message != want || s.Done == 1000 || requests == 1000 {
				t.Errorf("status %+v after %d requests, want %q", s, requests, want)
			}
		})
	}
}

func TestEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := prepared(t, loadOf(v1alpha1.LoadCreate, 5000, 100, configMap), func(action clienttesting.Action) (bool, runtime.Object, error) {
		cancel()
		return true, action.(clienttesting.CreateAction).GetObject(), nil
	})
	r.do(ctx)
	if s := r.now(); s.Phase == v1alpha1.LoadDone || s.Done > 100 {
		t.Errorf("status: %+v", s)
	}
}

func TestLoadsThatCannotBegin(t *testing.T) {
	for name, tc := range map[string]struct{ template, want string }{
		"unknown kind":      {`{"apiVersion": "v1", "kind": "Nothing", "metadata": {"name": "a"}}`, "finding the resource of v1 Nothing"},
		"cluster-scoped":    {`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}`, "namespaces is not namespaced"},
		"another namespace": {`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "there"}}`, "names the namespace there"},
		"no template":       {`[]`, "reading the template"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := prepare(loadOf(v1alpha1.LoadCreate, 1, 0, tc.template), nil, mapper(), false)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}
