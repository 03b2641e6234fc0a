package runner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUnreached: only Services and Pods of scenarios count, from the logs of all replicas. They
// count for all scenarios of the implementation. What else it cannot reach may be something that it can do
// without.
func TestUnreached(t *testing.T) {
	report := t.TempDir()
	dir := filepath.Join(logDir(report), "sh-003-1")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, log := range map[string]string{
		"subject-0.log": "starts\n" +
			"dial tcp: lookup otel-collector.observability.svc: no such host\n" +
			"dial tcp: lookup web-0.web.sh-003-1.svc.cluster.local: no such host\n",
		"subject-1.log": "dial tcp 10.244.0.7:8080: i/o timeout\n" +
			"dial tcp 10.96.3.4:80: i/o timeout\n" +
			"traces export: dial tcp 192.168.7.7:4317: i/o timeout\n" +
			"traces export: dial tcp 10.1.2.3:4317: i/o timeout\n" +
			"dial tcp: lookup web-0.web.sh-003-12.svc: no such host\n",
		"notes.txt": "dial tcp 10.244.0.8:8080: i/o timeout\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := &run{options: &Options{ReportDir: report}}
	i := implementation(t)
	one, other := scenario{implementation: i, namespace: "sh-003-1"}, scenario{implementation: i, namespace: "sh-008-1"}
	want := []string{"web-0.web.sh-003-1.svc.cluster.local", "10.244.0.7:8080", "10.96.3.4:80"}
	for name, s := range map[string]scenario{"the scenario": one, "another that ended earlier": other} {
		if diff := cmp.Diff(want, r.unreachedIn(other, one).of(s)); diff != "" {
			t.Errorf("addresses of %s (-want +got):\n%s", name, diff)
		}
	}
	if got := r.unreachedIn(other).of(other); got != nil {
		t.Errorf("without logs: %q", got)
	}
	if got := r.unreachedIn(one).of(scenario{implementation: implementation(t), namespace: "sh-003-2"}); got != nil {
		t.Errorf("of another implementation: %q", got)
	}
	r.options.Kubeconfig = "mine.kubeconfig"
	if got := r.unreachedIn(one).of(one); got != nil {
		t.Errorf("on a cluster where Pods really run: %q", got)
	}
}
