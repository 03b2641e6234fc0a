package proxy_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"reconform.dev/reconform/internal/record/history"
)

var deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}

func TestTypedClient(t *testing.T) {
	s := newSubject(t, true, everything)
	config := rest.CopyConfig(s.config)
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	client := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps(s.own)
	ctx := t.Context()

	made, err := client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "demo", Finalizers: []string{"example.com/hold"}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "demo"}}, metav1.CreateOptions{}); err == nil {
		t.Fatal("created twice")
	}
	if _, err := client.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	made.Data = map[string]string{"a": "<b>"}
	if _, err = client.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := client.Delete(ctx, "demo", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.Patch(ctx, "demo", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := client.Delete(ctx, "demo", metav1.DeleteOptions{}); err == nil {
		t.Fatal("deleted what is gone")
	}
	if err := client.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app=none"}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"create configmaps demo effective",
		"create configmaps demo refused",
		"update configmaps demo noop",
		"update configmaps demo effective",
		"delete configmaps demo effective",
		"delete configmaps demo noop",
		"update configmaps demo effective",
		"delete configmaps demo refused",
		"delete configmaps  noop",
	}
	if diff := cmp.Diff(want, s.written()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	account := s.recorder.Account(s.own)
	if got := account.ServerErrors(); len(got) > 0 {
		t.Errorf("server errors: %+v", got)
	}
}

// TestApplyBesideBusyControllers: applies that change nothing are no-ops, however busy
// the built-in controllers are with the same objects.
func TestApplyBesideBusyControllers(t *testing.T) {
	s := newSubject(t, true, everything)
	client := dynamic.NewForConfigOrDie(s.config).Resource(deployments).Namespace(s.own)
	apply := func(name string, replicas int64) {
		t.Helper()
		labels := map[string]any{"app": name}
		_, err := client.Apply(t.Context(), name, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": name, "labels": labels},
			"spec": map[string]any{
				"replicas": replicas,
				"selector": map[string]any{"matchLabels": labels},
				"template": map[string]any{
					"metadata": map[string]any{"labels": labels},
					"spec":     map[string]any{"containers": []any{map[string]any{"name": "app", "image": "nginx"}}},
				},
			},
		}}, metav1.ApplyOptions{FieldManager: "subject", Force: true})
		if err != nil {
			t.Fatal(err)
		}
	}
	pods := s.admin.CoreV1().Pods(s.own)
	stop := make(chan struct{})
	var busy sync.WaitGroup
	busy.Go(func() { // the controllers replace Pods, and write what they count into each status
		for {
			select {
			case <-stop:
				return
			default:
				_ = pods.DeleteCollection(context.Background(), metav1.DeleteOptions{}, metav1.ListOptions{})
			}
		}
	})
	var want []string
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		apply(name, 3)
		want = append(want, "create deployments "+name+" effective")
		for range 30 {
			apply(name, 3)
			want = append(want, "update deployments "+name+" noop")
		}
		apply(name, 2)
		want = append(want, "update deployments "+name+" effective")
	}
	close(stop)
	busy.Wait()
	if diff := cmp.Diff(want, s.written()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	versions := map[string]bool{}
	for _, request := range s.recorder.Requests(history.Query{Scenario: s.own}) {
		if request.Effect == history.EffectNoop {
			versions[request.Name+request.ResourceVersion] = true
		}
	}
	if len(versions) <= 5 {
		t.Errorf("the controllers were not busy: %d versions were seen", len(versions))
	}
	t.Logf("%d no-ops saw %d versions", len(want), len(versions))
}

func TestSubresources(t *testing.T) {
	s := newSubject(t, true, everything)
	ctx := t.Context()
	client := kubernetes.NewForConfigOrDie(s.config)
	if _, err := s.admin.CoreV1().Pods(s.own).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "nginx"}}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := client.CoreV1().Pods(s.own).Patch(ctx, "p", types.MergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{}, "status")
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := client.CoreV1().Pods(s.own).EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p"}}); err != nil {
		t.Fatal(err)
	}
	// The metadata client gets part of the object back.
	parts, err := metadata.NewForConfig(s.config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.admin.CoreV1().ConfigMaps(s.own).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	configMaps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	for range 2 {
		if _, err := parts.Resource(configMaps).Namespace(s.own).Patch(ctx, "c", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"update pods p effective", "update pods p noop", "delete pods p effective",
		"update configmaps c effective", "update configmaps c noop",
	}
	if diff := cmp.Diff(want, s.written()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestInformers(t *testing.T) {
	for name, alone := range map[string]bool{"one namespace": true, "two namespaces": false} {
		t.Run(name, func(t *testing.T) {
			s := newSubject(t, alone, everything)
			ctx := t.Context()
			add := func(namespace, name string) {
				t.Helper()
				_, err := s.admin.CoreV1().ConfigMaps(namespace).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, namespace := range []string{s.own, s.second, s.foreign} {
				add(namespace, "before")
			}
			factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(s.config), 0)
			informer := factory.Core().V1().ConfigMaps().Informer()
			found := make(chan string, 100)
			if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(o any) {
				if object, err := meta.Accessor(o); err == nil && object.GetName() != "kube-root-ca.crt" {
					found <- object.GetNamespace() + "/" + object.GetName()
				}
			}}); err != nil {
				t.Fatal(err)
			}
			factory.Start(ctx.Done())
			if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
				t.Fatal("never synced")
			}
			for _, namespace := range []string{s.foreign, s.second, s.own} {
				add(namespace, "after")
			}
			want := []string{s.own + "/before", s.own + "/after"}
			if !alone {
				want = append(want, s.second+"/before", s.second+"/after")
			}
			got := make([]string, len(want))
			for i := range got {
				got[i] = <-found
			}
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" || len(found) > 0 {
				t.Errorf("-want +got, and %d more:\n%s", len(found), diff)
			}
			watches := s.recorder.OpenWatches(s.own, "subject-0")
			if len(watches) != 1 || !watches[0].StreamingList || !s.recorder.Watches(s.own, "subject-0", corev1.SchemeGroupVersion.WithResource("configmaps")) {
				t.Errorf("open watches: %+v", watches)
			}
		})
	}
}

// TestAnswersLikeTheServer: what the proxy answers itself is what the API server would
// answer.
func TestAnswersLikeTheServer(t *testing.T) {
	s := newSubject(t, true, []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"*"}},
		{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}},
	})
	ask := func(config *rest.Config, method, path, body string) (int, metav1.Status) {
		t.Helper()
		client, err := rest.HTTPClientFor(config)
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(t.Context(), method, strings.TrimSuffix(config.Host, "/")+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		var status metav1.Status
		if err := json.Unmarshal(answer, &status); err != nil {
			t.Fatalf("%s %s: %v: %s", method, request.URL, err, answer)
		}
		return response.StatusCode, status
	}

	// What it may not do, in one namespace and in all.
	for _, path := range []string{"/api/v1/pods", "/api/v1/pods?watch=true", "/apis/apps/v1/deployments?fieldSelector=metadata.name%3Dx", "/api/v1/namespaces/" + s.own + "/pods"} {
		_, want := ask(s.direct, "GET", path, "")
		code, got := ask(s.config, "GET", path, "")
		if diff := cmp.Diff(want, got); diff != "" || code != http.StatusForbidden {
			t.Errorf("%s is answered with %d, -direct +proxy:\n%s", path, code, diff)
		}
	}

	// What is out of scope, against what is not there.
	const configMap = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}`
	if _, err := s.admin.CoreV1().ConfigMaps(s.foreign).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ method, path, body string }{
		{"GET", "/configmaps/c", ""},
		{"GET", "/configmaps", ""},
		{"GET", "/pods/c", ""},
		{"POST", "/configmaps", configMap},
		{"PUT", "/configmaps/c", configMap},
		{"DELETE", "/configmaps/c", ""},
		{"POST", "/pods", `{}`},
		{"DELETE", "/secrets/c", ""},
	} {
		_, want := ask(s.direct, test.method, "/api/v1/namespaces/nowhere"+test.path, test.body)
		_, got := ask(s.config, test.method, "/api/v1/namespaces/"+s.foreign+test.path, test.body)
		encoded, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(strings.ReplaceAll(string(encoded), s.foreign, "nowhere")), &got); err != nil {
			t.Fatal(err)
		}
		want.ResourceVersion, got.ResourceVersion = "", "" // of an empty list
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s, -direct +proxy:\n%s", test.method, test.path, diff)
		}
	}
	if _, err := s.admin.CoreV1().ConfigMaps(s.foreign).Get(t.Context(), "c", metav1.GetOptions{}); err != nil {
		t.Errorf("what was out of scope was touched: %v", err)
	}
}

func TestDiscovery(t *testing.T) {
	s := newSubject(t, true, everything)
	served := func(config *rest.Config) map[string]string {
		t.Helper()
		lists, err := discovery.NewDiscoveryClientForConfigOrDie(config).ServerPreferredResources()
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[string]string{}
		for _, list := range lists {
			for _, resource := range list.APIResources {
				kinds[list.GroupVersion+"/"+resource.Name] = resource.Kind
			}
		}
		return kinds
	}
	want, got := served(s.direct), served(s.config)
	if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
		t.Errorf("-direct +proxy:\n%s", diff)
	}
	if _, err := discovery.NewDiscoveryClientForConfigOrDie(s.config).OpenAPISchema(); err != nil {
		t.Error(err)
	}
	namespaces, err := kubernetes.NewForConfigOrDie(s.config).CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(namespaces.Items) != 1 || namespaces.Items[0].Name != s.own {
		t.Errorf("namespaces: %v, %v", namespaces, err)
	}
}

func TestLeaderElection(t *testing.T) {
	s := newSubject(t, true, everything)
	client := kubernetes.NewForConfigOrDie(s.config)
	lease := types.NamespacedName{Namespace: s.own, Name: "lock"}
	leading := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: lease.Namespace, Name: lease.Name},
				Client:     client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: "host_1"},
			},
			LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { close(leading) },
				OnStoppedLeading: func() {},
			},
		})
	}()
	<-leading
	if write, _ := s.recorder.LeaseWrite(s.own, lease); write.Replica != "subject-0" || write.Holder != "host_1" {
		t.Errorf("recorded: %+v", write)
	}
	cancel()
	<-ended
	if write, _ := s.recorder.LeaseWrite(s.own, lease); write.Holder != "" || write.Verb != history.VerbUpdate {
		t.Errorf("recorded: %+v", write)
	}
}

// TestScaleOfADeployment: a write of a Scale is recorded as one of the Deployment, and so is a
// write that is answered with a table.
func TestScaleOfADeployment(t *testing.T) {
	s := newSubject(t, true, everything)
	ctx := t.Context()
	owner, err := s.admin.CoreV1().ConfigMaps(s.own).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "somebody"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"app": "demo", "reconform.dev/bystander": "true"}
	_, err = s.admin.AppsV1().Deployments(s.own).Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "demo", Labels: labels, OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, corev1.SchemeGroupVersion.WithKind("ConfigMap"))}},
		Spec: appsv1.DeploymentSpec{
			Paused:   true, // so that its controller writes nothing but its status
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "nginx"}}},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	client := kubernetes.NewForConfigOrDie(s.config).AppsV1()
	scaled, err := client.Deployments(s.own).UpdateScale(ctx, "demo", &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "demo", Namespace: s.own}, Spec: autoscalingv1.ScaleSpec{Replicas: 2}}, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scaled.ResourceVersion = "" // its status may have been written meanwhile
	if _, err := client.Deployments(s.own).UpdateScale(ctx, "demo", scaled, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	err = client.RESTClient().Patch(types.MergePatchType).Namespace(s.own).Resource("deployments").Name("demo").
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").Body([]byte(`{"spec":{"replicas":3}}`)).Do(ctx).Error()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"update deployments demo effective", "update deployments demo noop", "update deployments demo effective"}
	if diff := cmp.Diff(want, s.written()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, r := range s.recorder.Requests(history.Query{Scenario: s.own}) {
		changes := r.Effect == history.EffectEffective
		if len(r.Owners) != 1 || r.Owners[0].UID != owner.UID || !r.Bystander || r.Disowned || changes != slices.Equal(r.Changed, []string{"spec.replicas"}) ||
			changes != (r.Generation == r.GenerationBefore+1) || changes != (len(r.Values) == 1) {
			t.Errorf("recorded: %+v", r)
		}
	}
}
