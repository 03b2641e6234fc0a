package envtest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCountRequests(t *testing.T) {
	const log = `{"verb":"get","userAgent":"manager/v0.0.0 (linux/amd64)","requestURI":"/apis/apps/v1/namespaces/a/deployments/b","objectRef":{"resource":"deployments","apiGroup":"apps"}}
{"verb":"watch","userAgent":"manager/v0.0.0","requestURI":"/apis/apps/v1/deployments?watch=true","objectRef":{"resource":"deployments","apiGroup":"apps"}}
{"verb":"patch","userAgent":"manager/v0.0.0","requestURI":"/apis/apps/v1/namespaces/a/deployments/b/status","objectRef":{"resource":"deployments","apiGroup":"apps","subresource":"status"},"responseStatus":{"code":409}}
{"verb":"list","userAgent":"kubectl","requestURI":"/api/v1/pods?limit=500","objectRef":{"resource":"pods"}}
{"verb":"get","requestURI":"/openapi/v3?timeout=32s"}
{"verb":"create","userAgent":"half a li`
	got, err := countRequests(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	want := map[asker]asked{
		{"manager", "deployments.apps"}:        {reads: 1, watches: 1},
		{"manager", "deployments.apps/status"}: {writes: 1, refused: 1},
		{"kubectl", "pods"}:                    {reads: 1},
		{"?", "/openapi/v3"}:                   {reads: 1},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(asker{}, asked{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCountRequestsRefusesAnythingElse(t *testing.T) {
	if _, err := countRequests(strings.NewReader("no JSON\n")); err == nil {
		t.Error("a line that is not an event is counted")
	}
}
