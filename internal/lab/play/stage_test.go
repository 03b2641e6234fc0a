package play

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// deserted is a stage on which a controller has made some objects, and does nothing more.
func deserted(t *testing.T, made ...runtime.Object) *stage {
	t.Helper()
	p, err := profile.Load("../../../fixtures/profiles/reference.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const short = 700 * time.Millisecond
	return &stage{
		profile: p, kube: fake.NewClientset(made...), client: dynamicfake.NewSimpleDynamicClient(scheme.Scheme, made...),
		recorder: history.New(io.Discard, func(err error) { t.Error(err) }), log: filepath.Join(t.TempDir(), "log"), namespace: "stage", factor: 1, patience: short, starting: short,
	}
}

// TestWhatDoesNotCome: what a controller does not do is found, and ends no play.
func TestWhatDoesNotCome(t *testing.T) {
	named := metav1.ObjectMeta{Name: "shop", Namespace: "stage"}
	both := []runtime.Object{
		&appsv1.Deployment{
			TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: named, Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](1)},
			Status: appsv1.DeploymentStatus{Replicas: 1, UpdatedReplicas: 1, AvailableReplicas: 1},
		},
		&corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: named},
	}
	for name, tc := range map[string]struct {
		made  []runtime.Object
		try   func(context.Context, *stage) error
		found string
		late  bool // whether it is not what the rule begins with
	}{
		"a Deployment at all": {
			try: func(ctx context.Context, s *stage) error {
				return s.outlive(ctx, deployments, "demo", 500, time.Millisecond)
			},
			found: "nobody has tried to create deployments demo",
		},
		"a Service again": {
			made: both, late: true,
			try: func(ctx context.Context, s *stage) error {
				return s.outlive(ctx, services, "shop", noAnswer, time.Millisecond)
			},
			found: "nobody has tried to create services shop",
		},
		"rest, before a success is looked at": {try: reset, found: "it has not come to rest"},
		"rest, before conflicts":              {made: renamed(both, "rival"), try: conflicts, found: "it has not come to rest"},
		"a watch of one kind": {
			try: func(ctx context.Context, s *stage) error {
				return s.loseDeletion(ctx, func() error { return nil }, "services")
			},
			found: "it has no watch of services",
		},
		"any watch": {try: resync, found: "it has no watch"},
		"the Deployment, which it has deleted": {
			try: func(ctx context.Context, s *stage) error { return s.rolledOut(ctx, "demo") }, found: "there is no Deployment demo", late: true,
		},
		"the labels of what it has deleted": {
			try: func(ctx context.Context, s *stage) error {
				return s.awaitLabels(ctx, map[string]map[string]string{"Service": {"app": "demo"}})
			},
			found: `deployments.apps "demo" not found`, late: true,
		},
		"what is somebody else's, and it has deleted": {
			try: func(ctx context.Context, s *stage) error { return s.unchanged(ctx, "mall", nil, nil) }, found: "Deployment mall is somebody else's, and was deleted", late: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tc.try(t.Context(), deserted(t, tc.made...))
			var not *unmet
			if !errors.As(err, &not) || !strings.Contains(err.Error(), tc.found) || not.early == tc.late {
				t.Errorf("%v; want that it is found: %s", err, tc.found)
			}
		})
	}
}

// renamed returns the children of another WebApp.
func renamed(children []runtime.Object, name string) (all []runtime.Object) {
	for _, child := range children {
		child = child.DeepCopyObject()
		child.(metav1.Object).SetName(name)
		all = append(all, child)
	}
	return all
}

// TestChildThatIsGone: somebody else deletes a child that the controller may have deleted itself.
func TestChildThatIsGone(t *testing.T) {
	s := deserted(t)
	if err := errors.Join(s.loseChild(t.Context(), "demo"), s.loseService(t.Context(), "demo")); err != nil {
		t.Error(err)
	}
}

// TestNotStartedAgain: what was seen before a controller was started again in vain counts.
func TestNotStartedAgain(t *testing.T) {
	rules := []rule{
		{"play/before", "works", func(context.Context, *stage) error { return nil }},
		{"play/again", "works again", func(context.Context, *stage) error { return &NotStarted{"it has printed nothing"} }},
		{"play/after", "goes on", func(context.Context, *stage) error { return nil }},
	}
	got, err := deserted(t).perform(t.Context(), rules, func(string) bool { return true }, func(string, string) {})
	want := []Result{
		{ID: "play/before", Must: "works", Passed: true},
		{ID: "play/again", Must: "works again", Unsure: true, Found: "the controller did not start; it has printed nothing"},
		{ID: "play/after", Must: "goes on", Needs: "play/again"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, results (-want +got):\n%s", err, diff)
	}
}

// TestRival: a Lease that its holder has renewed is not anybody's to take. One that it may not have
// renewed in time is.
func TestRival(t *testing.T) {
	for name, tc := range map[string]struct {
		holder  string
		renewed time.Duration // so long ago
		want    string
	}{
		"it holds it":           {holder: rivalReplica},
		"taken":                 {holder: "subject-0", renewed: time.Second, want: "was taken by subject-0"},
		"taken when it is over": {holder: "subject-0", renewed: time.Minute, want: errTooSlow.Error()},
		"given back":            {renewed: time.Second, want: errTooSlow.Error()},
	} {
		s := deserted(t, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: "webapp-controller", Namespace: "stage"}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &tc.holder},
		})
		s.profile.Spec.Claims.Times.Lease = &v1alpha1.LeaseTimes{Duration: metav1.Duration{Duration: 3 * time.Second}}
		other := rival{stage: s, of: v1alpha1.LeaseName{Namespace: "stage", Name: "webapp-controller"}, renewed: time.Now().Add(-tc.renewed)}
		got := ""
		if err := other.holds(t.Context()); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tc.want) || (got == "") != (tc.want == "") {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
