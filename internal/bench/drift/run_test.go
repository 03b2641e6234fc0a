package drift

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

// onServer is a run on an API server that passes each update through admit.
func onServer(t *testing.T, mode v1alpha1.DriftMode, admit func(map[string]any) error) *run {
	t.Helper()
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	deployment := &unstructured.Unstructured{Object: decoded(t, live)}
	deployment.SetNamespace("here")
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{deployments: "DeploymentList"}, deployment)
	client.PrependReactor("update", "deployments", func(action clienttesting.Action) (bool, runtime.Object, error) {
		err := admit(action.(clienttesting.UpdateAction).GetObject().(*unstructured.Unstructured).Object)
		return err != nil, nil, err
	})
	return &run{
		spec: v1alpha1.DriftSpec{Resource: "deployments.apps", Name: "demo", Mode: mode}, within: 10 * time.Second,
		times: expectation.Times{Claims: v1alpha1.Claims{NotHealed: []v1alpha1.NotHealed{
			{Resource: "deployments.apps", Paths: []string{"metadata.labels"}, Why: "they are others'"},
		}}},
		object: &object{client: client.Resource(deployments).Namespace("here"), name: "demo", recorder: history.New(nil, nil)},
	}
}

func results(r *run) map[string]v1alpha1.DriftResult {
	found := map[string]v1alpha1.DriftResult{}
	for _, f := range r.status().Fields {
		found[f.Path] = f.Result
	}
	return found
}

func TestChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		replicas, image := keys("spec", "replicas"), keys("spec", "template", "spec", "containers").named("name", "app").key("image")
		selector := keys("spec", "selector", "matchLabels", "app")
		// It heals the replicas, and the image with them, but the image alone never.
		r := onServer(t, v1alpha1.DriftChange, func(object map[string]any) error {
			if s, _ := selector.find(object); s != "demo" {
				return apierrors.NewInvalid(schema.GroupKind{Kind: "Deployment"}, "demo", nil)
			}
			return nil
		})
		healed := 0
		go func() {
			for range 40 {
				time.Sleep(300 * time.Millisecond)
				if now, err := r.object.read(t.Context()); err == nil {
					if n, _ := replicas.find(now.Object); !same(n, 2) {
						healed++
						_, _ = r.object.write(t.Context(), func(o map[string]any) { replicas.put(o, int64(2)); image.put(o, "demo:v1") })
					}
				}
			}
		}()
		err := r.change(t.Context(), []field{
			{path: keys("metadata", "labels", "app"), value: "demo"},
			{path: replicas, value: float64(2)},
			{path: selector, value: "demo"},
			{path: image, value: "demo:v1"},
		})
		r.end(err)
		want := map[string]v1alpha1.DriftResult{
			"metadata.labels.app": v1alpha1.DriftNotAsked, "spec.replicas": v1alpha1.DriftKept,
			"spec.selector.matchLabels.app": v1alpha1.DriftNotAsked, "spec.template.spec.containers[app].image": v1alpha1.DriftLost,
		}
		if diff := cmp.Diff(want, results(r)); diff != "" || healed != 1 {
			t.Errorf("healed %d times, results (-want +got):\n%s", healed, diff)
		}
		if s := r.status(); s.Verdict != v1alpha1.JudgementNotMet || s.Asked != 2 ||
			!strings.Contains(s.Message, `image (changed from "demo:v1" to "demo:v1-changed" by somebody else, and not back after 10s`) ||
			!strings.Contains(s.Message, "1 of 2 not so (others left out: 2): ") {
			t.Errorf("status %+v", s)
		}
	})
}

// TestSince: a controller that does not find its object any more tries to create it.
func TestSince(t *testing.T) {
	o := &object{recorder: history.New(nil, nil), query: history.Query{Scenario: "here"}}
	try := func(verb, reason string) {
		r := history.Request{Scenario: "here", Verb: verb, Group: "apps", Resource: "deployments", Name: "demo", UID: "1"}
		o.recorder.Begin(r).Finish(func(r *history.Request) { r.Reason, r.Effect = reason, history.EffectRefused })
	}
	try(history.VerbCreate, "AlreadyExists") // before
	after := o.recorder.LastSeq()
	const silent = "the controller did not write the object in that time"
	if got := o.since("1", after); got != silent {
		t.Errorf("without a write: %q", got)
	}
	try(history.VerbUpdate, "Conflict")
	try(history.VerbCreate, "Forbidden")
	if got := o.since("1", after); got != silent {
		t.Errorf("with other refusals: %q", got)
	}
	try(history.VerbCreate, "AlreadyExists")
	try(history.VerbCreate, "AlreadyExists")
	if got := o.since("1", after); !strings.Contains(got, "create it again 2 times (AlreadyExists)") {
		t.Errorf("with creations: %q", got)
	}
}

// TestBare: single labels and annotations are restored. Without any the controller stumbles,
// or it restores those as well. What it need not restore stays.
func TestBare(t *testing.T) {
	const own, others = "example.com/own", "example.com/others"
	for name, test := range map[string]struct {
		stumbles bool
		verdict  v1alpha1.Judgement
		message  string
	}{
		"restored":     {false, v1alpha1.JudgementMet, "deployments.apps demo: 1 tried (others left out: 1)"},
		"not restored": {true, v1alpha1.JudgementNotMet, `metadata.annotations['example.com/own'] (taken away with all labels and annotations by somebody else, and not back after 10s`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				annotations := keys("metadata", "annotations")
				r := onServer(t, v1alpha1.DriftChange, func(map[string]any) error { return nil })
				if _, err := r.object.write(t.Context(), func(o map[string]any) {
					annotations.key(own).put(o, "a")
					annotations.key(others).put(o, "b")
				}); err != nil {
					t.Fatal(err)
				}
				over := make(chan struct{})
				defer close(over)
				go func() {
					for {
						select {
						case <-over:
							return
						case <-time.After(300 * time.Millisecond):
						}
						now, err := r.object.read(t.Context())
						if err != nil || len(now.GetAnnotations()) == 0 && test.stumbles || now.GetAnnotations()[own] == "a" {
							continue
						}
						_, _ = r.object.write(t.Context(), func(o map[string]any) { annotations.key(own).put(o, "a") })
					}
				}()
				r.end(r.change(t.Context(), []field{
					{path: keys("metadata", "labels", "app"), value: "demo"},
					{path: annotations.key(own), value: "a"},
				}))
				now, err := r.object.read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(map[string]string{"app": "demo"}, now.GetLabels()); diff != "" {
					t.Errorf("labels (-want +got):\n%s", diff)
				}
				if _, ok := now.GetAnnotations()[others]; ok {
					t.Errorf("the annotation %s is still there", others)
				}
				if s := r.status(); s.Verdict != test.verdict || !strings.Contains(s.Message, test.message) {
					t.Errorf("status %+v", s)
				}
			})
		})
	}
}

func TestAdd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		annotations := keys("metadata", "annotations").key(foreign)
		aliases := keys("spec", "template", "spec", "hostAliases")
		r := onServer(t, v1alpha1.DriftAdd, func(object map[string]any) error {
			if _, ok := aliases.find(object); ok {
				return apierrors.NewInvalid(schema.GroupKind{Kind: "Deployment"}, "demo", nil)
			}
			return nil
		})
		done, err := r.add(t.Context(), slices.Concat(metadataAdditions("other", "2"), podAdditions(keys("spec", "template"), "app", true)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.object.write(t.Context(), annotations.drop); err != nil {
			t.Fatal(err)
		}
		r.end(r.keep(t.Context(), done))
		var lost, unasked []string
		for path, result := range results(r) {
			switch result {
			case v1alpha1.DriftLost:
				lost = append(lost, path)
			case v1alpha1.DriftNotAsked:
				unasked = append(unasked, path)
			}
		}
		if diff := cmp.Diff([][]string{
			{"metadata.annotations['example.com/foreign']"}, {"spec.template.spec.hostAliases[192.0.2.1]"},
		}, [][]string{lost, unasked}); diff != "" {
			t.Errorf("lost, and not asked (-want +got):\n%s", diff)
		}
		now, err := r.object.read(t.Context())
		if sidecar, _ := keys("spec", "template", "spec", "containers").with(step{what: toPlace}).key("name").find(now.Object); sidecar != "foreign" {
			t.Errorf("the first container is %v, and not the sidecar", sidecar)
		}
		if err != nil || len(now.GetFinalizers()) > 0 || r.status().Asked != 13 {
			t.Errorf("error %v, finalizers %v, status %+v", err, now.GetFinalizers(), r.status())
		}
	})
}

// TestAskedAgainAtRest: after the replicas were restored the rollout goes on, and at
// each of its events the controller also checks the image. That must not count as a
// repair of the image.
func TestAskedAgainAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		replicas, image := keys("spec", "replicas"), keys("spec", "template", "spec", "containers").named("name", "app").key("image")
		r := onServer(t, v1alpha1.DriftChange, func(map[string]any) error { return nil })
		ended := make(chan struct{})
		defer close(ended)
		go func() {
			for step, rollout := 0, 0; ; step++ {
				select {
				case <-time.After(200 * time.Millisecond):
				case <-ended:
					return
				}
				now, err := r.object.read(t.Context())
				if err != nil {
					continue
				}
				if n, _ := replicas.find(now.Object); !same(n, 2) {
					rollout = 20
				}
				if rollout == 0 {
					continue
				}
				rollout--
				_, _ = r.object.write(t.Context(), func(o map[string]any) {
					replicas.put(o, int64(2))
					image.put(o, "demo:v1")
					keys("metadata", "resourceVersion").put(o, strconv.Itoa(step))
				})
			}
		}()
		r.end(r.change(t.Context(), []field{{path: image, value: "demo:v1"}, {path: replicas, value: float64(2)}}))
		want := map[string]v1alpha1.DriftResult{
			"spec.replicas": v1alpha1.DriftKept, "spec.template.spec.containers[app].image": v1alpha1.DriftLost,
		}
		if diff := cmp.Diff(want, results(r)); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
	})
}

// TestAskedAgainApart: what comes back late is changed once more, all at once. If the API server
// refuses that, though it accepted each change before, each is asked for alone: what is never
// restored is lost, and what is late only is kept.
func TestAskedAgainApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		replicas, image := keys("spec", "replicas"), keys("spec", "template", "spec", "containers").named("name", "app").key("image")
		both := 0
		r := onServer(t, v1alpha1.DriftChange, func(object map[string]any) error {
			n, _ := replicas.find(object)
			if i, _ := image.find(object); !same(n, 2) && i != "demo:v1" {
				both++
				return apierrors.NewInvalid(schema.GroupKind{Kind: "Deployment"}, "demo", nil)
			}
			return nil
		})
		ended := make(chan struct{})
		defer close(ended)
		go func() { // it heals the replicas, later than a field alone may take
			for {
				select {
				case <-time.After(4 * time.Second):
				case <-ended:
					return
				}
				_, _ = r.object.write(t.Context(), func(o map[string]any) { replicas.put(o, int64(2)) })
			}
		}()
		r.end(r.change(t.Context(), []field{{path: replicas, value: float64(2)}, {path: image, value: "demo:v1"}}))
		want := map[string]v1alpha1.DriftResult{
			"spec.replicas": v1alpha1.DriftKept, "spec.template.spec.containers[app].image": v1alpha1.DriftLost,
		}
		if diff := cmp.Diff(want, results(r)); diff != "" || both == 0 {
			t.Errorf("refused together %d times, results (-want +got):\n%s", both, diff)
		}
	})
}

// TestLetGo: a controller that finds its children by labels releases a child whose
// label changes, and adopts it again when the label is back. It need not restore that
// label, nor anything else meanwhile. A label that does not make it release the child,
// and that it never restores, is a mistake.
func TestLetGo(t *testing.T) {
	app, track := keys("metadata", "labels", "app"), keys("metadata", "labels", "track")
	note := keys("metadata", "annotations").key("example.com/note")
	for name, tc := range map[string]struct {
		selects path          // the label that it finds its children by
		slow    time.Duration // how long it takes to look
		want    map[string]v1alpha1.DriftResult
	}{
		"at once":         {app, 300 * time.Millisecond, map[string]v1alpha1.DriftResult{app.String(): v1alpha1.DriftNotAsked, note.String(): v1alpha1.DriftKept}},
		"slowly":          {app, 3 * time.Second, map[string]v1alpha1.DriftResult{app.String(): v1alpha1.DriftNotAsked, note.String(): v1alpha1.DriftKept}},
		"by another only": {track, 300 * time.Millisecond, map[string]v1alpha1.DriftResult{app.String(): v1alpha1.DriftLost, note.String(): v1alpha1.DriftKept}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := onServer(t, v1alpha1.DriftChange, func(map[string]any) error { return nil })
				r.times.Claims.NotHealed = nil
				owner := []any{map[string]any{"kind": "WebApp", "name": "demo", "uid": "7", "controller": true}}
				if _, err := r.object.write(t.Context(), func(o map[string]any) {
					app.put(o, "demo")
					track.put(o, "stable")
					note.put(o, "set")
					keys("metadata", "ownerReferences").put(o, owner)
				}); err != nil {
					t.Fatal(err)
				}
				ended := make(chan struct{})
				defer close(ended)
				go func() {
					for {
						select {
						case <-time.After(tc.slow):
						case <-ended:
							return
						}
						now, err := r.object.read(t.Context())
						if err != nil {
							continue
						}
						value, _ := tc.selects.find(now.Object)
						owners, fits := keys("metadata", "ownerReferences"), value == "demo" || value == "stable"
						said, _ := note.find(now.Object)
						switch {
						case !fits && controllerOf(now) != "":
							_, _ = r.object.write(t.Context(), owners.drop)
						case fits && controllerOf(now) == "":
							_, _ = r.object.write(t.Context(), func(o map[string]any) { owners.put(o, owner) })
						case fits && said != "set":
							_, _ = r.object.write(t.Context(), func(o map[string]any) { note.put(o, "set") })
						}
					}
				}()
				err := r.change(t.Context(), []field{{path: note, value: "set"}, {path: app, value: "demo"}})
				r.end(err)
				if diff := cmp.Diff(tc.want, results(r)); err != nil || diff != "" {
					t.Errorf("error %v, results (-want +got):\n%s", err, diff)
				}
			})
		})
	}
}
