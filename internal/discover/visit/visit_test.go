package visit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/record/history"
)

// TestMissingGroups: a visit that shows nothing names each missing API group once. A request
// for one object by its name is left out, because the object is missing, and not the group.
func TestMissingGroups(t *testing.T) {
	account := history.Account{Requests: []history.Request{
		{Path: "/apis/apps/v1", Code: 200},
		{Path: "/apis/monitoring.coreos.com/v1?timeout=32s", Code: 404},
		{Path: "/apis/monitoring.coreos.com/v1/servicemonitors?limit=500", Group: "monitoring.coreos.com", Resource: "servicemonitors", Code: 404},
		{Path: "/apis/cert-manager.io", Code: 404},
		{Path: "/apis/apps/v1/namespaces/a/deployments/b", Group: "apps", Resource: "deployments", Name: "b", Code: 404},
		{Path: "/apis/route.openshift.io", Code: 404, Fault: "f"},
		{Path: "/healthz", Code: 404},
	}}
	want := "; the API server does not have what it asked for in monitoring.coreos.com, cert-manager.io: if it needs that, give the CRDs with --crd"
	if diff := cmp.Diff(want, missingGroups(account)); diff != "" {
		t.Errorf("missing groups (-want +got):\n%s", diff)
	}
	if got := missingGroups(history.Account{Requests: account.Requests[:1]}); got != "" {
		t.Errorf("nothing is missing, but it says %q", got)
	}
}

// TestEnds: the first and the last lines of a log are shown. Lines of stacks are left out.
func TestEnds(t *testing.T) {
	lines := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "no kind ServiceMonitor"}
	stack := []string{
		"sigs.k8s.io/controller-runtime/pkg/internal/source.(*Kind[...]).Start.func1", "\t/go/kind.go:68",
		"k8s.io/apimachinery/pkg/util/wait.PollUntilContextCancel", "\t/go/poll.go:33",
	}
	want := []string{"1", "2", "3", "4", "5", "… 2 lines …", "8", "9", "10", "no kind ServiceMonitor", "(4 lines of the stack left out)"}
	if diff := cmp.Diff(want, ends(append(lines, stack...))); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// TestLacking: a controller that does not find the certificate of its webhooks says where it
// looked for it, and its author what to do.
func TestLacking(t *testing.T) {
	const zap = "ERROR\tsetup\tproblem running manager\t{\"error\": \"open /tmp/k8s-webhook-server/serving-certs/tls.crt: no such file or directory\"}"
	for line, want := range map[string]bool{
		zap: true,
		"unable to start: open /certs/tls.key: no such file or directory": true,
		"open /etc/config.yaml: no such file or directory":                false,
		"using the certificate tls.crt":                                   false,
	} {
		if got := lacking([]string{"starting", line}); (got != "") != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}
