package fault

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"reconform.dev/reconform/conformance/api/crds"
	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

// served is a controller of Faults in a namespace of the test's.
type served struct {
	t        *testing.T
	client   client.Client
	engine   *Engine
	recorder *history.Recorder
	own      string

	mu      sync.Mutex
	subject *subject.Running
}

func (s *served) Running(string) *subject.Running {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.subject
}

func (s *served) run(subject *subject.Running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subject = subject
}

func newServed(t *testing.T) *served {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	cp, err := controlPlane()
	if err != nil {
		t.Fatal(err)
	}
	log.SetLogger(logr.Discard())
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	s := &served{t: t, recorder: history.New(nil, nil)}
	if s.client, err = client.New(cp.Config(), client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	s.define()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "fault-"}}
	if err := s.client.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	s.own = namespace.Name
	s.engine = NewEngine(Options{Subjects: s, Recorder: s.recorder})
	mgr, err := ctrl.NewManager(cp.Config(), ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: ptr.To(true)}, Logger: logr.Discard(),
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &Controller{
		Reader: mgr.GetAPIReader(), Mapper: mgr.GetRESTMapper(), Subjects: s, Engine: s.engine,
		Times: func(string) expectation.Times { return expectation.Times{} },
	}
	if err := c.SetupWithManager(mgr, objects.NewAdmission()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

// define the kind Fault, and wait until it is served.
func (s *served) define() {
	s.t.Helper()
	definitions, err := crds.Served()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, definition := range definitions {
		if definition.Spec.Names.Kind != "Fault" {
			continue
		}
		if err := s.client.Create(s.t.Context(), definition); err != nil && !apierrors.IsAlreadyExists(err) {
			s.t.Fatal(err)
		}
	}
	s.eventually("the kind", func() bool {
		return s.client.List(s.t.Context(), &v1alpha1.FaultList{}) == nil
	})
}

func (s *served) eventually(what string, holds func() bool) {
	s.t.Helper()
	err := wait.PollUntilContextTimeout(s.t.Context(), 20*time.Millisecond, 20*time.Second, true,
		func(context.Context) (bool, error) { return holds(), nil })
	if err != nil {
		s.t.Fatalf("never: %s", what)
	}
}

func (s *served) create(name string, edit func(*v1alpha1.FaultSpec)) *v1alpha1.Fault {
	s.t.Helper()
	object := newFaultObject(name, 0, edit)
	object.ObjectMeta = metav1.ObjectMeta{Namespace: s.own, Name: name}
	if err := s.client.Create(s.t.Context(), object); err != nil {
		s.t.Fatal(err)
	}
	return object
}

// becomes waits for a status. Its verdict is that of a Fault that has to hit as often
// as it can.
func (s *served) becomes(object *v1alpha1.Fault, want v1alpha1.FaultStatus) {
	s.t.Helper()
	want.Verdict = map[v1alpha1.FaultPhase]v1alpha1.Judgement{
		v1alpha1.FaultArmed: v1alpha1.JudgementPending, v1alpha1.FaultActive: v1alpha1.JudgementPending,
		v1alpha1.FaultExhausted: v1alpha1.JudgementMet, v1alpha1.FaultInvalid: v1alpha1.JudgementInvalid,
	}[want.Phase]
	s.eventually(object.Name+" "+string(want.Phase)+": "+want.Message, func() bool {
		if err := s.client.Get(s.t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			s.t.Fatal(err)
		}
		return cmp.Equal(object.Status, want)
	})
}

func TestPhases(t *testing.T) {
	s := newServed(t)
	request := createDeployment("subject-0", "demo")
	request.Scenario = s.own
	object := s.create("f", func(spec *v1alpha1.FaultSpec) { spec.Times = ptr.To[int32](2) })
	s.becomes(object, v1alpha1.FaultStatus{Phase: v1alpha1.FaultArmed})
	for _, want := range []v1alpha1.FaultStatus{
		{Phase: v1alpha1.FaultActive, Hits: 1, ByResource: map[string]int64{"deployments.apps": 1}, Message: "#12 create deployments demo"},
		{Phase: v1alpha1.FaultExhausted, Hits: 2, ByResource: map[string]int64{"deployments.apps": 2}, Message: "#12 create deployments demo"},
	} {
		if s.engine.take(request) == "" {
			t.Fatal("did not act")
		}
		s.becomes(object, want)
	}

	// One that is deleted by force, without notice.
	other := s.create("other", nil)
	s.becomes(other, v1alpha1.FaultStatus{Phase: v1alpha1.FaultArmed})
	if err := s.client.Delete(t.Context(), other, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	s.eventually("normal traffic", func() bool { return s.engine.take(request) == "" })

	// One that waits for somebody's finalizer no longer acts.
	held := s.create("held", nil)
	before := held.DeepCopy()
	held.Finalizers = []string{"example.com/hold"}
	if err := s.client.Patch(t.Context(), held, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	s.becomes(held, v1alpha1.FaultStatus{Phase: v1alpha1.FaultArmed})
	if err := s.client.Delete(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	s.eventually("normal traffic", func() bool { return s.engine.take(request) == "" })
}

func TestInvalidReference(t *testing.T) {
	s := newServed(t)
	whom := s.create("whom", func(spec *v1alpha1.FaultSpec) { spec.Target = "subject-1" })
	s.becomes(whom, v1alpha1.FaultStatus{Phase: v1alpha1.FaultArmed}) // no Subject runs
	s.run(&subject.Running{Replicas: []string{"subject-0"}})
	s.becomes(whom, v1alpha1.FaultStatus{
		Phase: v1alpha1.FaultInvalid, Message: "spec.target: the subject has no replica subject-1; give All, Leader, Standby or a replica's name",
	})
	leader := s.create("leader", func(spec *v1alpha1.FaultSpec) { spec.Target = v1alpha1.TargetLeader })
	s.becomes(leader, v1alpha1.FaultStatus{Phase: v1alpha1.FaultArmed}) // one may come
	s.run(&subject.Running{Replicas: []string{"subject-0", "subject-1"}})
	s.becomes(whom, v1alpha1.FaultStatus{Phase: v1alpha1.FaultArmed})

	what := s.create("what", func(spec *v1alpha1.FaultSpec) {
		spec.Match.Resources = []string{"configmaps", "deployments.apps", "deployments"}
	})
	s.becomes(what, v1alpha1.FaultStatus{
		Phase: v1alpha1.FaultInvalid, Message: `spec.match.resources: the API server has no resource "deployments"; give deployments.apps`,
	})
	s.becomes(s.create("nothing", func(spec *v1alpha1.FaultSpec) {
		spec.Match.Resources = []string{"things.example.com"}
	}), v1alpha1.FaultStatus{
		Phase: v1alpha1.FaultInvalid, Message: `spec.match.resources: the API server has no resource "things.example.com"; give plural.group`,
	})
	crash := s.create("crash", func(spec *v1alpha1.FaultSpec) {
		spec.Action = v1alpha1.FaultAction{Crash: &v1alpha1.Crash{When: v1alpha1.CrashBefore}}
	})
	s.becomes(crash, v1alpha1.FaultStatus{
		Phase: v1alpha1.FaultInvalid, Message: "spec.action.crash: this bench has no processes that it could kill",
	})
}

// TestSchema: the schema refuses an invalid object.
func TestSchema(t *testing.T) {
	s := newServed(t)
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.FaultSpec)
		want string
	}{
		"unknown verb": {func(spec *v1alpha1.FaultSpec) { spec.Match.Verbs = []string{"patch"} }, "spec.match.verbs"},
		"no action":    {func(spec *v1alpha1.FaultSpec) { spec.Action = v1alpha1.FaultAction{} }, "spec.action"},
		"two actions":  {func(spec *v1alpha1.FaultSpec) { spec.Action.Hold = &v1alpha1.Empty{} }, "spec.action"},
		"no watch action": {func(spec *v1alpha1.FaultSpec) {
			spec.Action = v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{}}
		}, "spec.action.watch"},
		"two watch actions": {func(spec *v1alpha1.FaultSpec) {
			spec.Action = v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Freeze: &v1alpha1.WatchFreeze{}, Bookmark: &v1alpha1.Empty{}}}
		}, "spec.action.watch"},
		"a watch that creates": {func(spec *v1alpha1.FaultSpec) {
			spec.Match.Verbs = []string{"create"}
			spec.Action = v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Freeze: &v1alpha1.WatchFreeze{}}}
		}, "act on reads: match.verbs"},
		"a crash on reads": {func(spec *v1alpha1.FaultSpec) {
			spec.Match.Verbs = []string{"list"}
			spec.Action = v1alpha1.FaultAction{Crash: &v1alpha1.Crash{When: v1alpha1.CrashBefore}}
		}, "act on writes: match.verbs"},
		"a code that is not an error": {func(spec *v1alpha1.FaultSpec) {
			spec.Action = v1alpha1.FaultAction{Respond: &v1alpha1.Respond{Code: 200}}
		}, "spec.action.respond.code"},
		"never":                {func(spec *v1alpha1.FaultSpec) { spec.Times = ptr.To[int32](0) }, "spec.times"},
		"unknown scope":        {func(spec *v1alpha1.FaultSpec) { spec.Scope = "Machine" }, "spec.scope"},
		"negative skip":        {func(spec *v1alpha1.FaultSpec) { spec.Match.Skip = -1 }, "spec.match.skip"},
		"no time of the crash": {func(spec *v1alpha1.FaultSpec) { spec.Action = v1alpha1.FaultAction{Crash: &v1alpha1.Crash{}} }, "spec.action.crash.when"},
	} {
		object := newFaultObject("f", 0, tc.edit)
		object.ObjectMeta = metav1.ObjectMeta{Namespace: s.own, GenerateName: "f-"}
		if err := s.client.Create(t.Context(), object); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	object := s.create("f", nil)
	object.Spec.Times = ptr.To[int32](3)
	if err := s.client.Update(t.Context(), object); err == nil || !strings.Contains(err.Error(), "cannot be changed") {
		t.Errorf("changed: %v", err)
	}
}
