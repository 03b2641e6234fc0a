package fault

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// apiClient is a client-go client whose requests go by way of an engine to a real API
// server.
type apiClient struct {
	t        *testing.T
	engine   *Engine
	recorder *history.Recorder
	own      string
	// admin goes past the engine.
	admin, through corev1client.ConfigMapInterface
	plain          bool
	// config of the client behind through.
	config *rest.Config
}

// newAPIClient lists and watches, or begins with streaming lists, over HTTP/1.1 or
// HTTP/2.
func newAPIClient(t *testing.T, plain bool, protocol string) *apiClient {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	cp, err := controlPlane()
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	upstream := cp.Config()
	upstream.QPS = -1
	admin := kubernetes.NewForConfigOrDie(upstream)
	namespace, err := admin.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "fault-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := &apiClient{t: t, recorder: history.New(nil, nil), own: namespace.Name, plain: plain, admin: admin.CoreV1().ConfigMaps(namespace.Name)}
	token := c.serviceAccount(admin)
	c.engine = NewEngine(Options{Recorder: c.recorder})
	authority, err := proxy.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	p, err := proxy.Start(ctx, proxy.Options{
		Authority: authority, Upstream: upstream, Scope: proxy.Scope{Namespaces: []string{c.own}},
		User:     "system:serviceaccount:" + c.own + ":subject",
		Scenario: c.own, Subject: "subject", Replica: "subject-0", Recorder: c.recorder, Interceptor: c.engine,
	})
	if err != nil {
		t.Fatal(err)
	}
	config := &rest.Config{
		Host: "https://" + p.Address(), BearerToken: token, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAData: authority.Bundle(), NextProtos: []string{protocol}},
	}
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	c.config = config
	c.through = kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps(c.own)
	return c
}

func (c *apiClient) serviceAccount(admin kubernetes.Interface) (token string) {
	c.t.Helper()
	ctx, meta := c.t.Context(), metav1.ObjectMeta{Name: "subject"}
	if _, err := admin.CoreV1().ServiceAccounts(c.own).Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta}, metav1.CreateOptions{}); err != nil {
		c.t.Fatal(err)
	}
	if _, err := admin.RbacV1().RoleBindings(c.own).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "subject", Namespace: c.own}},
	}, metav1.CreateOptions{}); err != nil {
		c.t.Fatal(err)
	}
	answer, err := admin.CoreV1().ServiceAccounts(c.own).CreateToken(ctx, "subject", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return answer.Status.Token
}

// put creates or changes an object, past the engine.
func (c *apiClient) put(name, value string) {
	c.t.Helper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"test": "true"}}, Data: map[string]string{"value": value}}
	if _, err := c.admin.Update(c.t.Context(), object, metav1.UpdateOptions{}); err != nil {
		if _, err = c.admin.Create(c.t.Context(), object, metav1.CreateOptions{}); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *apiClient) remove(name string) {
	c.t.Helper()
	if err := c.admin.Delete(c.t.Context(), name, metav1.DeleteOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

// fault arms a Fault as of now.
func (c *apiClient) fault(name string, times *int32, action v1alpha1.FaultAction) {
	c.t.Helper()
	// As of the newest version, as a Fault is that was just created.
	list, err := c.admin.List(c.t.Context(), metav1.ListOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	c.engine.Add(&v1alpha1.Fault{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: c.own, Name: name, UID: types.UID(name), ResourceVersion: list.ResourceVersion,
			CreationTimestamp: metav1.Now(),
		},
		Spec: v1alpha1.FaultSpec{
			Times: times, Action: action,
			Match: v1alpha1.FaultMatch{RequestMatch: v1alpha1.RequestMatch{Resources: []string{"configmaps"}}},
		},
	})
}

func (c *apiClient) lift(name string) {
	c.engine.Remove(types.NamespacedName{Namespace: c.own, Name: name})
}

// hits waits until a Fault has hit as often.
func (c *apiClient) hits(name string, want int64) {
	c.t.Helper()
	c.eventually(fmt.Sprintf("%d hits of %s", want, name), func() string {
		status, _ := c.engine.Status(types.NamespacedName{Namespace: c.own, Name: name})
		return cmp.Diff(want, status.Hits)
	})
}

// wasHit waits until a Fault has hit at least once.
func (c *apiClient) wasHit(name string) {
	c.t.Helper()
	c.eventually("a hit of "+name, func() string {
		if status, _ := c.engine.Status(types.NamespacedName{Namespace: c.own, Name: name}); status.Hits == 0 {
			return "no hit"
		}
		return ""
	})
}

// eventually there is no difference.
func (c *apiClient) eventually(what string, difference func() string) {
	c.t.Helper()
	var last string
	err := wait.PollUntilContextTimeout(c.t.Context(), 20*time.Millisecond, 40*time.Second, true, func(context.Context) (bool, error) {
		last = difference()
		return last == "", nil
	})
	if err != nil {
		var requests strings.Builder
		for _, r := range c.recorder.Requests(history.Query{Scenario: c.own}) {
			fmt.Fprintf(&requests, "%s %d %s %s %s\n", r.Verb, r.Code, r.Fault, r.Note, r.Path)
		}
		c.t.Fatalf("never: %s:\n%s\n%s", what, last, requests.String())
	}
}

// inform starts an informer through the engine, which ends with the test.
func (c *apiClient) inform() cache.SharedIndexInformer {
	selected := func(options metav1.ListOptions) metav1.ListOptions {
		options.LabelSelector = "test=true"
		return options
	}
	lists := listerWatcher{plain: c.plain, ListWatch: &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return c.through.List(ctx, selected(options))
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return c.through.Watch(ctx, selected(options))
		},
	}}
	informer := cache.NewSharedIndexInformer(lists, &corev1.ConfigMap{}, 0, cache.Indexers{})
	go informer.Run(c.t.Context().Done())
	return informer
}

// listerWatcher says which kind of list its reflector is to begin with.
type listerWatcher struct {
	*cache.ListWatch
	plain bool
}

func (l listerWatcher) IsWatchListSemanticsUnSupported() bool { return l.plain }

// has is the difference between what an informer knows and the objects given.
func has(informer cache.SharedIndexInformer, want map[string]string) string {
	if !informer.HasSynced() {
		return "it has not synced"
	}
	got := map[string]string{}
	for _, object := range informer.GetStore().List() {
		configMap := object.(*corev1.ConfigMap)
		got[configMap.Name] = configMap.Data["value"]
	}
	return cmp.Diff(want, got)
}

// eachClient runs a test with each kind of list and protocol.
func eachClient(t *testing.T, test func(t *testing.T, c *apiClient)) {
	t.Helper()
	for _, plain := range []bool{false, true} {
		for _, protocol := range []string{"http/1.1", "h2"} {
			name := "streaming list, " + protocol
			if plain {
				name = "list and watch, " + protocol
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, newAPIClient(t, plain, protocol))
			})
		}
	}
}

var before, after = map[string]string{"kept": "1", "changed": "1", "gone": "1"}, map[string]string{"kept": "1", "changed": "2", "new": "1"}

// begin makes the objects as before, and starts an informer that has listed them and watches.
func (c *apiClient) begin() cache.SharedIndexInformer {
	c.t.Helper()
	for name, value := range before {
		c.put(name, value)
	}
	informer := c.inform()
	c.eventually("the first list", func() string { return has(informer, before) })
	// A Fault made before the watch is there would count that too.
	c.eventually("the watch", func() string {
		if !slices.ContainsFunc(c.recorder.Requests(history.Query{Scenario: c.own}), history.Request.Watching) {
			return "no watch is open"
		}
		return ""
	})
	return informer
}

func (c *apiClient) change() {
	c.t.Helper()
	c.put("new", "1")
	c.put("changed", "2")
	c.remove("gone")
}

func TestReflectorSurvivesFreeze(t *testing.T) {
	eachClient(t, func(t *testing.T, c *apiClient) {
		informer := c.begin()
		c.fault("frozen", nil, v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Freeze: &v1alpha1.WatchFreeze{}}})
		c.hits("frozen", 1)
		c.change()
		if diff := has(informer, before); diff != "" {
			t.Errorf("frozen, and yet:\n%s", diff)
		}
		c.lift("frozen")
		c.eventually("convergence", func() string { return has(informer, after) })
	})
}

// TestReflectorSurvivesFreezeThenExpire: a watch that is frozen and then expires is
// replaced by a fresh list.
func TestReflectorSurvivesFreezeThenExpire(t *testing.T) {
	eachClient(t, func(t *testing.T, c *apiClient) {
		informer := c.begin()
		c.fault("frozen", ptr.To[int32](1), v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Freeze: &v1alpha1.WatchFreeze{}}})
		c.hits("frozen", 1)
		c.change()
		c.fault("expired", ptr.To[int32](1), v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Expire: &v1alpha1.WatchExpire{}}})
		c.eventually("convergence", func() string { return has(informer, after) })
		c.hits("expired", 1)
	})
}

// TestReflectorHearsOfATombstone: a reflector learns of a missed deletion from a list.
func TestReflectorHearsOfATombstone(t *testing.T) {
	eachClient(t, func(t *testing.T, c *apiClient) {
		informer := c.begin()
		var tombstones atomic.Int32
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(object any) {
			if _, ok := object.(cache.DeletedFinalStateUnknown); ok {
				tombstones.Add(1)
			}
		}}); err != nil {
			t.Fatal(err)
		}
		c.fault("frozen", nil, v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{
			Freeze: &v1alpha1.WatchFreeze{Ends: v1alpha1.FreezeEndsExpired},
		}})
		c.hits("frozen", 1)
		c.change()
		c.lift("frozen")
		c.eventually("the tombstone", func() string {
			if tombstones.Load() == 0 {
				return "none has come"
			}
			return ""
		})
		c.eventually("convergence", func() string { return has(informer, after) })
	})
}

// TestReflectorMissesADeletion: a reflector learns of the missed deletion from a list,
// and of other deletions from events, as usual.
func TestReflectorMissesADeletion(t *testing.T) {
	eachClient(t, func(t *testing.T, c *apiClient) {
		informer := c.begin()
		var tombstones, deletions atomic.Int32
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(object any) {
			if _, ok := object.(cache.DeletedFinalStateUnknown); ok {
				tombstones.Add(1)
			} else {
				deletions.Add(1)
			}
		}}); err != nil {
			t.Fatal(err)
		}
		c.fault("missed", nil, v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{MissDeletion: &v1alpha1.Empty{}}})
		c.change()
		c.eventually("the tombstone", func() string { return cmp.Diff(int32(1), tombstones.Load()) })
		c.eventually("convergence", func() string { return has(informer, after) })
		c.hits("missed", 1)
		if deletions.Load() > 0 {
			t.Error("it was told of the deletion")
		}
		c.put("another", "")
		c.eventually("the next object", func() string { return cmp.Diff(len(after)+1, len(informer.GetStore().ListKeys())) })
		c.remove("another")
		c.eventually("another deletion", func() string { return cmp.Diff(int32(1), deletions.Load()) })
	})
}

func TestReflectorNeverSyncsWhileFrozen(t *testing.T) {
	eachClient(t, func(t *testing.T, c *apiClient) {
		c.put("kept", "1")
		c.fault("frozen", nil, v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Freeze: &v1alpha1.WatchFreeze{}}})
		informer := c.inform()
		c.hits("frozen", 1)
		if informer.HasSynced() != c.plain {
			t.Errorf("it has synced: %v", informer.HasSynced())
		}
		c.lift("frozen")
		c.eventually("convergence", func() string { return has(informer, map[string]string{"kept": "1"}) })
	})
}

func TestReflectorSurvivesLag(t *testing.T) {
	eachClient(t, func(t *testing.T, c *apiClient) {
		informer := c.begin()
		c.fault("late", nil, v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Lag: &v1alpha1.WatchLag{Ms: 1500}}})
		c.change()
		changed := time.Now()
		c.eventually("convergence", func() string { return has(informer, after) })
		if took := time.Since(changed); took < 1400*time.Millisecond {
			t.Errorf("it was late by %v only", took)
		}
		c.hits("late", 1)
	})
}

func TestReflectorSurvivesDropThenExpire(t *testing.T) {
	for _, form := range []v1alpha1.ExpireForm{v1alpha1.ExpireAsEvent, v1alpha1.ExpireAsStatus} {
		t.Run(string(form), func(t *testing.T) {
			eachClient(t, func(t *testing.T, c *apiClient) {
				informer := c.begin()
				c.fault("lost", nil, v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Drop: &v1alpha1.WatchDrop{Events: 3}}})
				c.change()
				c.hits("lost", 1)
				c.put("kept", "2") // is not lost
				c.eventually("the fourth event", func() string {
					return has(informer, map[string]string{"kept": "2", "changed": "1", "gone": "1"})
				})
				c.fault("expired", ptr.To[int32](1), v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Expire: &v1alpha1.WatchExpire{As: form}}})
				c.eventually("convergence", func() string {
					return has(informer, map[string]string{"kept": "2", "changed": "2", "new": "1"})
				})
				c.hits("expired", 1)
			})
		})
	}
}

func TestReflectorSurvivesClose(t *testing.T) {
	eachClient(t, func(t *testing.T, c *apiClient) {
		informer := c.begin()
		c.fault("closed", ptr.To[int32](3), v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Close: &v1alpha1.WatchClose{AfterMs: 1100}}})
		for i := range int64(3) {
			c.put("kept", fmt.Sprint(i+2))
			c.hits("closed", i+1)
		}
		c.change()
		c.eventually("convergence", func() string {
			return has(informer, map[string]string{"kept": "4", "changed": "2", "new": "1"})
		})
	})
}

func TestReflectorSurvivesBookmark(t *testing.T) {
	eachClient(t, func(t *testing.T, c *apiClient) {
		informer := c.begin()
		c.fault("bookmark", nil, v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Bookmark: &v1alpha1.Empty{}}})
		c.change()
		c.hits("bookmark", 1)
		c.eventually("convergence", func() string { return has(informer, after) })
	})
}

// A client that starts again sees the past where its list may come from a cache, and
// stands still there.
func TestStaleReads(t *testing.T) {
	eachClient(t, func(t *testing.T, c *apiClient) {
		c.begin()
		c.fault("stale", nil, v1alpha1.FaultAction{Stale: &v1alpha1.Stale{}})
		c.change()

		informer, begins := c.inform(), after
		if c.plain {
			begins = before
		}
		c.eventually("a first list", func() string { return has(informer, begins) })
		if _, err := c.through.Get(t.Context(), "new", metav1.GetOptions{ResourceVersion: "0"}); err == nil || err.Error() != `configmaps "new" not found` {
			t.Errorf("got what was not there then: %v", err)
		}
		old, err := c.through.Get(t.Context(), "changed", metav1.GetOptions{ResourceVersion: "0"})
		if err != nil || old.Data["value"] != "1" {
			t.Errorf("got %v, %v", old, err)
		}
		fresh, err := c.through.Get(t.Context(), "changed", metav1.GetOptions{})
		if err != nil || fresh.Data["value"] != "2" {
			t.Errorf("a consistent read: %v, %v", fresh, err)
		}
		list, err := c.through.List(t.Context(), metav1.ListOptions{LabelSelector: "test=true"})
		if err != nil || len(list.Items) != len(after) {
			t.Errorf("a consistent list: %v, %v", list, err)
		}
		c.put("kept", "2")
		if diff := has(informer, begins); diff != "" {
			t.Errorf("it does not stand still:\n%s", diff)
		}
		c.lift("stale")
		c.eventually("convergence", func() string {
			return has(informer, map[string]string{"kept": "2", "changed": "2", "new": "1"})
		})
	})
}

// TestStaleRelist: a client that lists again with the version that it knows sees the
// past too.
func TestStaleRelist(t *testing.T) {
	eachClient(t, func(t *testing.T, c *apiClient) {
		informer := c.begin()
		c.fault("stale", nil, v1alpha1.FaultAction{Stale: &v1alpha1.Stale{}})
		c.fault("frozen", ptr.To[int32](1), v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Freeze: &v1alpha1.WatchFreeze{}}})
		c.hits("frozen", 1)
		c.change()
		c.fault("expired", ptr.To[int32](1), v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Expire: &v1alpha1.WatchExpire{}}})
		c.hits("expired", 1)
		hits := int64(1) // a streaming list is one request
		if c.plain {
			hits = 2 // a list, and then a watch
		}
		c.hits("stale", hits)
		if diff := has(informer, before); diff != "" {
			t.Errorf("it does not see the past:\n%s", diff)
		}
		c.lift("stale")
		c.eventually("convergence", func() string { return has(informer, after) })
	})
}

// TestStaleWithoutStreamingLists: each client then lists from the cache, and sees the
// past at its start.
func TestStaleWithoutStreamingLists(t *testing.T) {
	eachClient(t, func(t *testing.T, c *apiClient) {
		c.begin()
		c.fault("stale", nil, v1alpha1.FaultAction{Stale: &v1alpha1.Stale{ListsOnly: true}})
		c.change()
		informer := c.inform()
		c.eventually("a first list", func() string { return has(informer, before) })
		c.lift("stale")
		c.eventually("convergence", func() string { return has(informer, after) })
	})
}

// TestReflectorSurvivesRestore: the version that a reflector knows is too new after a
// restore, so it lists again.
func TestReflectorSurvivesRestore(t *testing.T) {
	eachClient(t, func(t *testing.T, c *apiClient) {
		informer := c.begin()
		c.fault("restored", nil, v1alpha1.FaultAction{Restored: &v1alpha1.Empty{}})
		c.wasHit("restored")
		c.change()
		c.eventually("convergence", func() string { return has(informer, after) })
	})
}

// TestReflectorSurvivesRestoreWhileItBeginsToWatch: a watch that was on its way when the
// restore came is ended, too. Nobody else would tell this reflector that its version is
// too new.
func TestReflectorSurvivesRestoreWhileItBeginsToWatch(t *testing.T) {
	for _, protocol := range []string{"http/1.1", "h2"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			// A streaming list names no version, so that it begins after the restore.
			c := newAPIClient(t, true, protocol)
			for name, value := range before {
				c.put(name, value)
			}
			c.arm("held", []string{history.VerbWatch}, func(spec *v1alpha1.FaultSpec) {
				spec.Times, spec.Action.Hold = ptr.To[int32](1), &v1alpha1.Empty{}
			})
			informer := c.inform()
			c.hits("held", 1)
			c.fault("restored", nil, v1alpha1.FaultAction{Restored: &v1alpha1.Empty{}})
			c.lift("held")
			c.wasHit("restored")
			c.change()
			c.eventually("convergence", func() string { return has(informer, after) })
		})
	}
}
