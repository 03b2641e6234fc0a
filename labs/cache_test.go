package labs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
)

// webApp is one as the API server sends it, when a controller has written its status.
const webApp = `{"apiVersion": "apps.kubedojo.io/v1beta1", "kind": "WebApp",
	"metadata": {"name": "demo-%[1]d", "namespace": "default", "uid": "0f8fad5b-d9cb-469f-a165-%012[1]d", "resourceVersion": "%[1]d",
		"generation": 1, "creationTimestamp": "2026-11-26T09:00:00Z", "managedFields": [
			{"manager": "kubectl-create", "operation": "Update", "apiVersion": "apps.kubedojo.io/v1beta1", "time": "2026-11-26T09:00:00Z",
				"fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {".": {}, "f:image": {}, "f:port": {}, "f:replicas": {}}}},
			{"manager": "controller", "operation": "Update", "apiVersion": "apps.kubedojo.io/v1beta1", "time": "2026-11-26T09:00:01Z",
				"fieldsType": "FieldsV1", "fieldsV1": {"f:status": {".": {}, "f:observedGeneration": {}, "f:phase": {}, "f:readyReplicas": {}}},
				"subresource": "status"}]},
	"spec": {"image": "registry.example/demo:v1", "port": 8080, "replicas": 2},
	"status": {"observedGeneration": 1, "phase": "Running", "readyReplicas": 2}}`

// TestCacheOfTenThousand measures what predict/polling says of the memory of a cache: of
// WebApps as they come, without their managedFields, and of their metadata alone.
func TestCacheOfTenThousand(t *testing.T) {
	whole := func(text []byte) (any, error) {
		app := &unstructured.Unstructured{}
		return app, json.Unmarshal(text, app)
	}
	for _, c := range []struct {
		what string
		read func(text []byte) (any, error)
	}{
		{"as they come", whole},
		{"without managedFields", func(text []byte) (any, error) {
			app, err := whole(text)
			if err == nil {
				app.(*unstructured.Unstructured).SetManagedFields(nil)
			}
			return app, err
		}},
		{"their metadata alone", func(text []byte) (any, error) {
			app := &metav1.PartialObjectMetadata{}
			err := json.Unmarshal(text, app)
			app.ManagedFields = nil
			return app, err
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			mebibytes := heapOf(t, 10000, c.read)
			t.Logf("%s: %.0f MiB", c.what, mebibytes)
			text, err := os.ReadFile("predict/polling/README.md")
			if err != nil {
				t.Fatal(err)
			}
			var told float64
			for line := range strings.Lines(string(text)) {
				if rest, ok := strings.CutPrefix(line, "| "+c.what+" | "); ok {
					if _, err := fmt.Sscanf(rest, "%f MiB", &told); err != nil {
						t.Fatalf("%s: %v", line, err)
					}
				}
			}
			const other = 3 // MiB that have nothing to do with it
			if mebibytes < told/1.3-other || mebibytes > told*1.3+other {
				t.Errorf("it is %.0f MiB, and the text says %.0f", mebibytes, told)
			}
		})
	}
}

// heapOf fills a cache, and returns how much larger the heap is with it, in MiB.
func heapOf(t *testing.T, count int, read func(text []byte) (any, error)) float64 {
	t.Helper()
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	before := heap()
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for i := range count {
		object, err := read(fmt.Appendf(nil, webApp, i))
		if err != nil {
			t.Fatal(err)
		}
		if err := indexer.Add(object); err != nil {
			t.Fatal(err)
		}
	}
	after := heap()
	if got := len(indexer.ListKeys()); got != count { // It is still in use here.
		t.Fatalf("%d keys, want %d", got, count)
	}
	return after - before
}
