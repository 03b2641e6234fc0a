package e2e

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
)

// backsUp creates the samples: each Backup has a copy, and one that is too old goes. The
// webhooks and the conversion are asked by way of their Service.
func backsUp(t *testing.T, config *envconf.Config) (undo func()) {
	t.Helper()
	const samples = "../fixtures/controllers/backup/config/samples"
	kubectl(t, config, "apply", "-k", samples)
	nightly, often := backup("v1", "orders", nil), backup("v1", "orders-each-minute", nil)
	become(t, config, nightly, phase("Completed"))
	become(t, config, often, phase("Completed"))

	first := copies(t, config, "orders-each-minute")
	if len(first) == 0 || len(copies(t, config, "orders")) != 1 {
		t.Fatalf("copies %v; want one at least, and one of the other Backup", first)
	}
	source := get(t, config, "default", "orders", 80, "/")
	if diff := cmp.Diff(string(source), string(get(t, config, "backup-system", "backup-store", 80, path.Join("/default/orders-each-minute", first[0])))); diff != "" {
		t.Errorf("the copy is not like its source (-source +copy):\n%s", diff)
	}
	asksWebhooks(t, config)

	// The shortest that is allowed. The sample's, three minutes, would make this test longer.
	patch(t, config, often, `{"spec": {"retentionPolicy": "61s"}}`)
	began := time.Now()
	var now []string
	err := within(t, 2*patience, func(context.Context) (bool, error) {
		now = copies(t, config, "orders-each-minute")
		return len(now) > 0 && !slices.Contains(now, first[0]), nil
	})
	if err != nil {
		t.Errorf("the copy %s stays beside %v: %v", first[0], now, err)
	}
	t.Logf("the first copy was deleted after %s; there are %v", time.Since(began).Round(time.Second), now)

	return func() {
		kubectl(t, config, "delete", "-k", samples)
		for _, name := range []string{"orders", "orders-each-minute"} {
			if left := copies(t, config, name); len(left) > 0 {
				t.Errorf("copies %v of the deleted Backup %s", left, name)
			}
		}
	}
}

// asksWebhooks has one Backup refused, and another one completed and converted.
func asksWebhooks(t *testing.T, config *envconf.Config) {
	t.Helper()
	resources := config.Client().Resources()
	never := backup("v1", "never", map[string]any{"source": "orders", "destination": "s3://backups/never", "schedule": "0 0 30 2 *"})
	if err := resources.Create(t.Context(), never); err == nil || !strings.Contains(err.Error(), "validate.backup.example.com") {
		t.Errorf("a schedule that never becomes due: error %v, want a refusal by the webhook", err)
	}
	old := backup("v1alpha1", "old", map[string]any{"source": "orders.default.svc.cluster.local", "destination": "s3://backups/old", "macro": "daily"})
	if err := resources.Create(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	converted := backup("v1", "old", nil)
	become(t, config, converted, phase("Completed"))
	want := map[string]any{
		"source": "orders.default.svc.cluster.local", "destination": "s3://backups/old", "schedule": "@daily", "retentionPolicy": "30d",
	}
	if diff := cmp.Diff(want, converted.Object["spec"]); diff != "" {
		t.Errorf("the Backup of v1alpha1 as one of v1 (-want +got):\n%s", diff)
	}
	removed(t, config, converted)
}

func backup(version, name string, spec map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "backup.example.com/" + version, "kind": "Backup"}}
	object.SetNamespace("default")
	object.SetName(name)
	if spec != nil {
		object.Object["spec"] = spec
	}
	return object
}

// copies that the store has of a Backup, the oldest first.
func copies(t *testing.T, config *envconf.Config, name string) (names []string) {
	t.Helper()
	if err := json.Unmarshal(get(t, config, "backup-system", "backup-store", 80, "/default/"+name), &names); err != nil {
		t.Fatal("reading the list of copies:", err)
	}
	return names
}
