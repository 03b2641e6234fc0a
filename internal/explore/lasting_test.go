package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// A list that fills a cache, and a read of a Lease, are not live reads.
func TestLiveReads(t *testing.T) {
	request := func(seq int64, verb, resource, name, path string) history.Request {
		return history.Request{Seq: seq, Verb: verb, Resource: resource, Name: name, Path: path}
	}
	streaming := request(10, "list", "pods", "", "/api/v1/pods?sendInitialEvents=true")
	streaming.StreamingList = true
	lease := request(11, "get", "leases", "lock", "/x")
	lease.Group = "coordination.k8s.io"
	got := reads([]history.Request{
		request(1, "get", "secrets", "early", "/api/v1/namespaces/a/secrets/early"),
		request(6, "get", "secrets", "demo", "/api/v1/namespaces/a/secrets/demo"),
		request(7, "list", "services", "", "/api/v1/services?limit=500&resourceVersion=0"),
		request(8, "list", "jobs", "", "/apis/batch/v1/jobs?labelSelector=a"),
		request(9, "get", "secrets", "demo", "/api/v1/namespaces/a/secrets/demo"),
		streaming, lease,
		request(12, "update", "secrets", "demo", "/api/v1/namespaces/a/secrets/demo"),
		request(13, "get", "", "", "/version"),
		request(14, "watch", "services", "", "/api/v1/services?watch=true&resourceVersion=7"),
		request(15, "list", "nodes", "", "/api/v1/nodes?resourceVersion=0"), // from the cache of the API server, and no watch follows
	}, 5)
	want := []Read{{Verb: "get", Resource: "secrets", Name: "demo"}, {Verb: "list", Resource: "jobs"}, {Verb: "list", Resource: "nodes"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reads (-want +got):\n%s", diff)
	}
}

// An error that lasts is about all requests at a point, so the second write of a status has
// no plans of its own.
func TestErrorsThatLast(t *testing.T) {
	first := Write{Verb: history.VerbUpdate, Resource: "services", Subresource: "status", Name: "demo", Occurrence: 1, Effective: 1}
	second := first
	second.Occurrence = 2
	r := recordingOf([]Write{first, second})
	r.Reads = []Read{{Verb: "get", Resource: "secrets", Name: "demo"}}
	plans, err := distinct(r.lastingPlans())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"403-lasting", "500-lasting", "conflict-lasting", "read-403", "read-500"}
	if diff := cmp.Diff(want, sortsOf(plans)); diff != "" || len(plans) != len(want) {
		t.Errorf("%d plans, sorts (-want +got):\n%s", len(plans), diff)
	}
	for _, p := range plans {
		if !p.Disturb.Lasting || p.Disturb.At.Occurrence != 0 || p.Disturb.Fault == nil {
			t.Errorf("%s: %+v", p.InWords(), p.Disturb)
		}
	}
}

// Each kind of write has the two plans of the Lease once, with two replicas.
func TestLeasePlans(t *testing.T) {
	first := create("services")
	second := first
	second.Name = "other"
	r := recordingOf([]Write{first, second, create("secrets")})
	plans := r.leasePlans()
	lost := 0
	for _, p := range plans {
		if p.Disturb.Lease == v1alpha1.LeaseLost {
			lost++
		}
		if !p.Operation.Elects || p.Disturb.At.Occurrence != 1 {
			t.Errorf("%s: %+v", p.InWords(), p)
		}
	}
	if len(plans) != 4 || lost != 2 || r.Elects {
		t.Errorf("%d plans, %d of them lost; the recording elects: %t", len(plans), lost, r.Elects)
	}
	r.Name = "restart"
	if plans := r.leasePlans(); len(plans) > 0 {
		t.Errorf("%d plans at a restart", len(plans))
	}
}

// Changes that others make while an update is under way must be kept as if they had
// come after the update.
func TestMarks(t *testing.T) {
	update := Write{Verb: history.VerbUpdate, Resource: "services", Name: "demo", Occurrence: 1, Effective: 1}
	r := recordingOf([]Write{create("secrets"), update})
	operations, recorded := []Operation{r.Operation}, map[string]*Recording{"create": r}
	marks := markings(operations, recorded)
	if len(marks) != 1 || marks[0].Name != "create then mark-services-demo" || marks[0].Steps[1].Mark == nil {
		t.Fatalf("operations: %+v", marks)
	}
	if plans := markPlans(recorded, r); len(plans) > 0 {
		t.Errorf("%d plans without the outcome", len(plans))
	}
	recorded[marks[0].Name] = &Recording{Operation: marks[0], Undisturbed: v1alpha1.TrialUndisturbed{Objects: `{"a b": {}}`}}
	if diff := cmp.Diff([]string{"kept", "meanwhile-mark"}, sortsOf(markPlans(recorded, r))); diff != "" {
		t.Errorf("sorts (-want +got):\n%s", diff)
	}
	r.Writes = append(r.Writes, Write{Verb: history.VerbDelete, Resource: "services", Name: "demo"})
	if marks := markings(operations, recorded); len(marks) > 0 {
		t.Errorf("what is deleted is marked: %+v", marks)
	}
}

// An object that the controller updates at its deletion is marked before: nobody can add a
// finalizer later.
func TestMarkBeforeADeletion(t *testing.T) {
	off := Write{Verb: history.VerbUpdate, Resource: "webapps", Name: "demo", Occurrence: 1, Effective: 1}
	child := Write{Verb: history.VerbUpdate, Resource: "services", Name: "demo", Occurrence: 1, Effective: 1}
	r := recordedWith("delete", "{}", v1alpha1.TrialOperation{Delete: &v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"}})
	r.Writes = []Write{child, off}
	operations, recorded := []Operation{r.Operation}, map[string]*Recording{"delete": r}
	marks := markings(operations, recorded)
	if len(marks) != 1 || marks[0].Name != "delete then mark-webapps-demo" {
		t.Fatalf("operations: %+v", marks)
	}
	var steps []string
	for _, step := range marks[0].Steps {
		steps = append(steps, stepInWords(step))
	}
	if len(steps) != 3 || marks[0].Steps[1].Mark == nil || marks[0].Steps[2].Delete == nil {
		t.Errorf("steps: %v", steps)
	}
	recorded[marks[0].Name] = &Recording{Operation: marks[0], Undisturbed: v1alpha1.TrialUndisturbed{Objects: `{"webapps demo": {}}`}}
	if diff := cmp.Diff([]string{"kept"}, sortsOf(markPlans(recorded, r))); diff != "" {
		t.Errorf("sorts (-want +got):\n%s", diff)
	}
	if got := did(marks[0]); got != "it is deleted while a finalizer of somebody else holds it" {
		t.Errorf("in words: %s", got)
	}
	r.Writes = []Write{child}
	if plans := markPlans(recorded, r); len(plans) > 0 {
		t.Errorf("there are plans, although nothing updates the object: %v", sortsOf(plans))
	}
}
