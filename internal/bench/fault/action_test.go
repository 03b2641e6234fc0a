package fault

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// clients is every way in which a client may speak to the API server.
func clients(t *testing.T, test func(t *testing.T, c *apiClient)) {
	t.Helper()
	for _, protocol := range []string{"h2", "http/1.1"} {
		for name, content := range map[string]string{"protobuf": runtime.ContentTypeProtobuf, "json": runtime.ContentTypeJSON} {
			t.Run(protocol+" "+name, func(t *testing.T) {
				t.Parallel()
				c := newAPIClient(t, false, protocol)
				c.config.ContentType = content
				c.through = kubernetes.NewForConfigOrDie(c.config).CoreV1().ConfigMaps(c.own)
				// Faults act on connections that are open already.
				if _, err := c.through.List(t.Context(), metav1.ListOptions{}); err != nil {
					t.Fatal(err)
				}
				test(t, c)
			})
		}
	}
}

// arm a Fault that hits requests with these verbs.
func (c *apiClient) arm(name string, verbs []string, edit func(*v1alpha1.FaultSpec)) {
	object := &v1alpha1.Fault{ObjectMeta: metav1.ObjectMeta{
		Namespace: c.own, Name: name, UID: types.UID(name), CreationTimestamp: metav1.Now(),
	}}
	object.Spec.Match.Verbs = verbs
	object.Spec.Match.Resources = []string{"configmaps"}
	edit(&object.Spec)
	c.engine.Add(object)
}

func (c *apiClient) create(name string) error {
	_, err := c.through.Create(c.t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return err
}

func (c *apiClient) exists(name string) bool {
	c.t.Helper()
	_, err := c.admin.Get(c.t.Context(), name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		c.t.Fatal(err)
	}
	return err == nil
}

// recorded are the requests about an object: what they did, and what hit them.
func (c *apiClient) recorded(name string) []string {
	var got []string
	for _, r := range c.recorder.Requests(history.Query{Scenario: c.own, Match: v1alpha1.RequestMatch{Names: []string{name}}}) {
		got = append(got, fmt.Sprintf("%s %d %s %s", r.Verb, r.Code, r.Effect, r.Fault))
	}
	return got
}

func (c *apiClient) wantRecorded(name string, want ...string) {
	c.t.Helper()
	if diff := cmp.Diff(want, c.recorded(name)); diff != "" {
		c.t.Errorf("requests about %s, -want +got:\n%s", name, diff)
	}
}

var writes = []string{history.VerbCreate, history.VerbUpdate, history.VerbDelete}

func TestRespond(t *testing.T) {
	clients(t, func(t *testing.T, c *apiClient) {
		c.arm("busy", writes, func(spec *v1alpha1.FaultSpec) {
			spec.Times = ptr.To[int32](2)
			spec.Action.Respond = &v1alpha1.Respond{Code: 429, RetryAfterSeconds: ptr.To[int32](7)}
		})
		c.arm("fails", writes, func(spec *v1alpha1.FaultSpec) {
			spec.Times = ptr.To[int32](1)
			spec.Action.Respond = &v1alpha1.Respond{Code: 500, Message: "no"}
		})
		// client-go does not retry by itself.
		client, err := rest.RESTClientFor(c.versioned())
		if err != nil {
			t.Fatal(err)
		}
		create := func() error {
			return client.Post().Namespace(c.own).Resource("configmaps").MaxRetries(0).
				Body(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "demo"}}).Do(t.Context()).Error()
		}
		for range 2 {
			err := create()
			if seconds, ok := apierrors.SuggestsClientDelay(err); !apierrors.IsTooManyRequests(err) || !ok || seconds != 7 {
				t.Errorf("answered with %v, to be retried after %d s", err, seconds)
			}
		}
		if err := create(); !apierrors.IsInternalError(err) || err.Error() != "no" {
			t.Errorf("answered with %v", err)
		}
		if c.exists("demo") {
			t.Error("the API server saw it")
		}
		if err := create(); err != nil {
			t.Errorf("exhausted, and yet: %v", err)
		}
		c.wantRecorded("demo", "create 429 refused busy", "create 429 refused busy", "create 500 refused fails", "create 201 effective ")
		account := c.recorder.Account(c.own)
		if got := account.ServerErrors(); len(got) > 0 {
			t.Errorf("counted as server errors: %+v", got)
		}
	})
}

// TestRespondInTurn: each request that is hit gets the next code.
func TestRespondInTurn(t *testing.T) {
	c := newAPIClient(t, false, "h2")
	c.through = kubernetes.NewForConfigOrDie(c.config).CoreV1().ConfigMaps(c.own)
	c.arm("turn", writes, func(spec *v1alpha1.FaultSpec) {
		spec.Action.Respond = &v1alpha1.Respond{Code: 409, Then: []int32{503, 504}}
	})
	var got []metav1.StatusReason
	for range 4 {
		got = append(got, apierrors.ReasonForError(c.create("demo")))
	}
	want := []metav1.StatusReason{
		metav1.StatusReasonConflict, metav1.StatusReasonServiceUnavailable, metav1.StatusReasonTimeout, metav1.StatusReasonConflict,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	c.wantRecorded("demo", "create 409 refused turn", "create 503 refused turn", "create 504 refused turn", "create 409 refused turn")
}

func TestExpectedHits(t *testing.T) {
	inTurn := &v1alpha1.Respond{Code: 409, Then: []int32{503, 504}}
	for _, test := range []struct {
		name string
		spec v1alpha1.FaultSpec
		want int64
	}{
		{"one", v1alpha1.FaultSpec{}, 1},
		{"as many as times says", v1alpha1.FaultSpec{Times: ptr.To[int32](4), Action: v1alpha1.FaultAction{Respond: inTurn}}, 4},
		{"one for each code", v1alpha1.FaultSpec{Action: v1alpha1.FaultAction{Respond: inTurn}}, 3},
		{"one for one code", v1alpha1.FaultSpec{Action: v1alpha1.FaultAction{Respond: &v1alpha1.Respond{Code: 500}}}, 1},
		{"as it says", v1alpha1.FaultSpec{ExpectedHits: 2, Action: v1alpha1.FaultAction{Respond: inTurn}}, 2},
	} {
		if got := expected(test.spec); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

func (c *apiClient) versioned() *rest.Config {
	config := rest.CopyConfig(c.config)
	config.GroupVersion, config.APIPath = &corev1.SchemeGroupVersion, "/api"
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	return config
}

// TestCuts: if a connection is cut, the client does not send the request again.
func TestCuts(t *testing.T) {
	for _, scope := range []v1alpha1.FaultScope{v1alpha1.ScopeStream, v1alpha1.ScopeConnection} {
		t.Run(string(scope), func(t *testing.T) {
			clients(t, func(t *testing.T, c *apiClient) {
				watch, err := c.through.Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=watched"})
				if err != nil {
					t.Fatal(err)
				}
				defer watch.Stop()
				c.arm("cut", writes, func(spec *v1alpha1.FaultSpec) {
					spec.Scope, spec.Times, spec.Action.Disconnect = scope, ptr.To[int32](1), &v1alpha1.Empty{}
				})
				c.arm("lost", writes, func(spec *v1alpha1.FaultSpec) {
					spec.Scope, spec.Times, spec.Action.LoseResponse = scope, ptr.To[int32](2), &v1alpha1.Empty{}
				})
				if err := c.create("cut"); err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown || c.exists("cut") {
					t.Errorf("cut off: %v", err)
				}
				c.wantRecorded("cut", "create 503 none cut")
				if err := c.create("demo"); err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown || !c.exists("demo") {
					t.Errorf("lost: %v", err)
				}
				if err := c.through.Delete(t.Context(), "demo", metav1.DeleteOptions{}); err == nil || c.exists("demo") {
					t.Errorf("lost: %v", err)
				}
				if err := c.create("demo"); err != nil {
					t.Errorf("exhausted, and yet: %v", err)
				}
				c.wantRecorded("demo", "create 201 effective lost", "delete 200 effective lost", "create 201 effective ")

				// The stream of a watch is another stream, and shares its connection
				// with HTTP/2.
				if scope == v1alpha1.ScopeStream {
					c.put("watched", "")
				}
				event, open := <-watch.ResultChan()
				if _, ok := event.Object.(*corev1.ConfigMap); ok != (scope == v1alpha1.ScopeStream) {
					t.Errorf("the watch: %v, open %v", event, open)
				}
			})
		})
	}
}

func TestLostRead(t *testing.T) {
	clients(t, func(t *testing.T, c *apiClient) {
		c.put("demo", "")
		c.arm("lost", []string{"get"}, func(spec *v1alpha1.FaultSpec) { spec.Action.LoseResponse = &v1alpha1.Empty{} })
		if _, err := c.through.Get(t.Context(), "demo", metav1.GetOptions{}); err == nil {
			t.Error("the answer was not lost")
		}
		c.lift("lost")
		if _, err := c.through.Get(t.Context(), "demo", metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
	})
}

func TestHold(t *testing.T) {
	for name, action := range map[string]v1alpha1.FaultAction{
		"hold": {Hold: &v1alpha1.Empty{}}, "delay": {DelayMs: ptr.To[int64](600000)},
	} {
		t.Run(name, func(t *testing.T) {
			clients(t, func(t *testing.T, c *apiClient) {
				c.put("held", "")
				c.arm("hold", writes, func(spec *v1alpha1.FaultSpec) { spec.Action = action })
				answered := make(chan error)
				go func() {
					_, err := c.through.Update(t.Context(), &corev1.ConfigMap{
						ObjectMeta: metav1.ObjectMeta{Name: "held"}, Data: map[string]string{"value": "new"},
					}, metav1.UpdateOptions{})
					answered <- err
				}()
				c.hits("hold", 1)

				// Others do not wait for it, and nobody waits for a client that has
				// gone.
				ctx, leave := context.WithCancel(t.Context())
				left := make(chan error)
				go func() { left <- c.through.Delete(ctx, "held", metav1.DeleteOptions{}) }()
				c.hits("hold", 2)
				leave()
				if err := <-left; !errors.Is(err, context.Canceled) {
					t.Errorf("left: %v", err)
				}
				c.eventually("the end of the request that nobody waits for", func() string {
					return cmp.Diff([]string{"update 0 none hold", "delete 0 none hold"}, c.recorded("held")) + c.unfinished(1)
				})
				if object, err := c.through.Get(t.Context(), "held", metav1.GetOptions{}); err != nil || object.Data["value"] != "" {
					t.Errorf("while it is held: %v, %v", object, err)
				}
				select {
				case err := <-answered:
					t.Fatalf("it was not held: %v", err)
				default:
				}
				c.lift("hold")
				if err := <-answered; err != nil {
					t.Error(err)
				}
				c.wantRecorded("held", "update 200 effective hold", "delete 0 none hold", "get 200 none ")
			})
		})
	}
}

// TestHang: a request is left without an answer until the time is over, the replica no
// longer waits, or the Fault is gone.
func TestHang(t *testing.T) {
	ends := map[string]struct {
		lasts    int64
		patience time.Duration
		lift     bool
		event    string
	}{
		"cut off":             {200, time.Minute, false, EventCut},
		"given up":            {60_000, 200 * time.Millisecond, false, EventGivenUp},
		"the fault is lifted": {60_000, time.Minute, true, EventCut},
	}
	for name, tc := range ends {
		for _, carriedOut := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, carried out: %v", name, carriedOut), func(t *testing.T) {
				t.Parallel()
				c := newAPIClient(t, false, "h2")
				c.arm("hung", writes, func(spec *v1alpha1.FaultSpec) {
					spec.Times, spec.Action.Hang = ptr.To[int32](1), &v1alpha1.Hang{Ms: tc.lasts, CarriedOut: carriedOut}
				})
				ctx, cancel := context.WithTimeout(t.Context(), tc.patience)
				defer cancel()
				answered := make(chan error, 1)
				go func() {
					_, err := c.through.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "demo"}}, metav1.CreateOptions{})
					answered <- err
				}()
				if tc.lift {
					c.hits("hung", 1)
					c.eventually("its effect", func() string { return cmp.Diff(carriedOut, c.exists("demo")) })
					c.lift("hung")
				}
				err := <-answered
				if err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown || c.exists("demo") != carriedOut {
					t.Errorf("hung: %v", err)
				}
				c.eventually("its end", func() string {
					for _, event := range c.recorder.Events(c.own) {
						if event.Reason == tc.event {
							return ""
						}
					}
					return "there is no " + tc.event
				})
				want := "create 503 none hung"
				switch {
				case carriedOut:
					want = "create 201 effective hung"
				case tc.event == EventGivenUp:
					want = "create 0 none hung"
				}
				c.eventually("its record", func() string { return cmp.Diff([]string{want}, c.recorded("demo")) + c.unfinished(0) })
			})
		}
	}
}

// A write whose answer is held back has been carried out. A write that fails is
// answered at once.
func TestHoldAnswer(t *testing.T) {
	clients(t, func(t *testing.T, c *apiClient) {
		c.put("held", "")
		c.arm("keep", writes, func(spec *v1alpha1.FaultSpec) { spec.Action.HoldAnswer = &v1alpha1.Empty{} })
		if err := c.create("held"); !apierrors.IsAlreadyExists(err) {
			t.Errorf("a write that fails: %v", err)
		}
		answered := make(chan error, 1)
		go func() { answered <- c.through.Delete(t.Context(), "held", metav1.DeleteOptions{}) }()
		c.hits("keep", 1)
		if c.exists("held") {
			t.Error("while its answer is kept, it was not carried out")
		}
		select {
		case err := <-answered:
			t.Fatalf("its answer was not kept: %v", err)
		default:
		}
		c.lift("keep")
		if err := <-answered; err != nil {
			t.Error(err)
		}
		c.wantRecorded("held", "create 409 refused ", "delete 200 effective keep")
	})
}

// unfinished says where there are more or fewer requests in progress.
func (c *apiClient) unfinished(want int) string {
	var open int
	for _, r := range c.recorder.Requests(history.Query{Scenario: c.own}) {
		if !r.Finished {
			open++
		}
	}
	return cmp.Diff(want, open)
}

func TestDelay(t *testing.T) {
	c := newAPIClient(t, false, "h2")
	c.arm("late", writes, func(spec *v1alpha1.FaultSpec) { spec.Action.DelayMs = ptr.To[int64](300) })
	begun := time.Now()
	if err := c.create("demo"); err != nil || time.Since(begun) < 300*time.Millisecond {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}

// A cache whose first list is held does not sync until the Fault is gone. This holds
// for each form of list.
func TestHeldList(t *testing.T) {
	for _, protocol := range []string{"h2", "http/1.1"} {
		for name, plain := range map[string]bool{"plain": true, "streaming": false} {
			t.Run(protocol+" "+name, func(t *testing.T) {
				t.Parallel()
				c := newAPIClient(t, plain, protocol)
				c.put("demo", "")
				c.arm("hold", []string{"list"}, func(spec *v1alpha1.FaultSpec) { spec.Action.Hold = &v1alpha1.Empty{} })
				informer := c.inform()
				c.hits("hold", 1)
				if informer.HasSynced() {
					t.Error("synced though its list is held")
				}
				c.lift("hold")
				c.eventually("its sync", func() string { return cmp.Diff(true, informer.HasSynced()) })
				if keys := informer.GetStore().ListKeys(); len(keys) != 1 {
					t.Errorf("has %v", keys)
				}
			})
		}
	}
}

// crasher remembers whom it killed.
type crasher struct {
	killed []string
	err    error
}

func (c *crasher) Crash(_ context.Context, scenario, replica string) error {
	c.killed = append(c.killed, scenario+"/"+replica)
	return c.err
}

func TestCrash(t *testing.T) {
	clients(t, func(t *testing.T, c *apiClient) {
		killer := &crasher{}
		c.engine.options.Crasher = killer
		crash := func(when v1alpha1.CrashTime, skip int32) func(*v1alpha1.FaultSpec) {
			return func(spec *v1alpha1.FaultSpec) {
				spec.Match.Skip, spec.Times = skip, ptr.To[int32](1)
				spec.Action.Crash = &v1alpha1.Crash{When: when}
			}
		}
		update := func(data map[string]string) error {
			_, err := c.through.Update(t.Context(), &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: "demo"}, Data: data,
			}, metav1.UpdateOptions{})
			return err
		}
		c.arm("after", nil, crash(v1alpha1.CrashAfter, 1))
		for step, err := range []error{c.create("demo"), update(nil)} {
			if err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
		}
		if err := update(map[string]string{"value": "new"}); err == nil || len(killer.killed) != 1 {
			t.Errorf("the second effective write: %v, killed %v", err, killer.killed)
		}
		if err := c.create("demo"); !apierrors.IsAlreadyExists(err) {
			t.Errorf("exhausted, and yet: %v", err)
		}
		c.arm("before", nil, crash(v1alpha1.CrashBefore, 0))
		if _, err := c.through.Get(t.Context(), "demo", metav1.GetOptions{}); err != nil {
			t.Errorf("a read: %v", err)
		}
		killer.err = errors.New("it is gone")
		if err := c.create("other"); err == nil || c.exists("other") {
			t.Errorf("before a write: %v", err)
		}
		if diff := cmp.Diff([]string{c.own + "/subject-0", c.own + "/subject-0"}, killer.killed); diff != "" {
			t.Errorf("killed, -want +got:\n%s", diff)
		}
		c.wantRecorded("demo", "create 201 effective ", "update 200 noop ", "update 200 effective after", "create 409 refused ", "get 200 none ")
		c.wantRecorded("other", "create 503 none before")
	})
}
