package bench_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

var (
	webApps = schema.GroupVersionResource{Group: "apps.kubedojo.io", Version: "v1beta1", Resource: "webapps"}
	ownPods = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
)

// ofSubject is the finalizer that the subject takes off.
const ofSubject = "reconform.dev/of-subject"

// beSubject is a controller in the least that makes one: it watches WebApps and
// writes the image of each, with its own name, into its status. It takes its finalizer off
// one that is deleted. One with the
// image "exit" ends it, "panic" too; after "deaf" it does not end when told to. For
// "own-pod" it reads its own Pod, and for "one-worker" and "two-workers" it makes a Service. For
// "blind" it makes one, too, and each process does so when it starts.
func beSubject(string) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := reconcile(ctx); err != nil && ctx.Err() == nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

func reconcile(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	list, err := client.Resource(webApps).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range list.Items {
		if image, _, _ := unstructured.NestedString(list.Items[i].Object, "spec", "image"); image == "blind" {
			makeService(ctx, client, &list.Items[i], 1)
		}
	}
	watcher, err := client.Resource(webApps).Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	for e := range watcher.ResultChan() {
		object, ok := e.Object.(*unstructured.Unstructured)
		if ok && object.GetDeletionTimestamp() != nil && slices.Equal(object.GetFinalizers(), []string{ofSubject}) && e.Type != watch.Deleted {
			// By the uid, so that an object made anew under this name keeps its own.
			letGo := fmt.Appendf(nil, `{"metadata": {"uid": %q, "finalizers": null}}`, object.GetUID())
			if _, err := client.Resource(webApps).Namespace(object.GetNamespace()).Patch(ctx, object.GetName(), types.MergePatchType, letGo, metav1.PatchOptions{}); err != nil {
				fmt.Println(err)
			}
		}
		if !ok || e.Type != watch.Added {
			continue
		}
		image, _, _ := unstructured.NestedString(object.Object, "spec", "image")
		by := client
		switch image {
		case "by-name":
			if by, err = byName(); err != nil {
				return err
			}
		case "own-pod":
			host, _ := os.Hostname()
			own, err := client.Resource(ownPods).Namespace(os.Getenv("POD_NAMESPACE")).Get(ctx, host, metav1.GetOptions{})
			if err != nil {
				fmt.Println(err)
				continue
			}
			image += " is " + own.GetName()
		case "exit":
			fmt.Println("told to")
			os.Exit(7)
		case "panic":
			panic("on purpose")
		case "deaf":
			signal.Ignore(syscall.SIGTERM)
		case "one-worker", "blind":
			makeService(ctx, client, object, 1)
		case "two-workers":
			makeService(ctx, client, object, 2)
		}
		host, _ := os.Hostname()
		status := fmt.Sprintf(`{"status": {"phase": "Running", "serviceURL": %q}}`, image+" by "+host)
		_, err := by.Resource(webApps).Namespace(object.GetNamespace()).
			Patch(ctx, object.GetName(), types.MergePatchType, []byte(status), metav1.PatchOptions{}, "status")
		if err != nil {
			fmt.Println(err)
		}
	}
	return ctx.Err()
}

// makeService creates the Service of a WebApp, by so many workers at once.
func makeService(ctx context.Context, client dynamic.Interface, webApp *unstructured.Unstructured, workers int) {
	service := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": webApp.GetName()},
		"spec": map[string]any{"selector": map[string]any{"app": "demo"}, "ports": []any{map[string]any{"port": int64(80)}}},
	}}
	service.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(webApp, webApp.GroupVersionKind())})
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			_, err := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "services"}).Namespace(webApp.GetNamespace()).
				Create(ctx, service, metav1.CreateOptions{})
			if err != nil {
				fmt.Println(err)
			}
		})
	}
	working.Wait()
}

// byName is a client as in libraries that ask for the API server by its name alone.
func byName() (*dynamic.DynamicClient, error) {
	const account = "/var/run/secrets/kubernetes.io/serviceaccount/"
	return dynamic.NewForConfig(&rest.Config{
		Host: "https://kubernetes.default.svc", BearerTokenFile: account + "token",
		TLSClientConfig: rest.TLSClientConfig{CAFile: account + "ca.crt"},
	})
}
