package history_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

func create(replica, name string) history.Request {
	return history.Request{
		Scenario: "s", Subject: "subject", Replica: replica, Verb: history.VerbCreate,
		Group: "apps", Resource: "deployments", Name: name,
	}
}

func accepted(request *history.Request) { request.Code, request.Effect = 201, history.EffectEffective }

func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := history.New(nil, nil)
		start := time.Now()
		recorder.Begin(create("subject-0", "a")).Finish(accepted)
		time.Sleep(time.Second)
		middle := time.Now()
		recorder.Event(history.Event{Scenario: "s", Reason: "ReplicaExited"})
		recorder.Begin(create("subject-1", "b"))
		time.Sleep(time.Second)
		lease := create("subject-1", "lock")
		lease.Group, lease.Resource = "coordination.k8s.io", "leases"
		recorder.Begin(lease).Finish(accepted)
		other := create("subject-0", "c")
		other.Scenario = "elsewhere"
		recorder.Begin(other).Finish(accepted)

		tests := map[string]struct {
			query history.Query
			want  string
		}{
			"all":          {history.Query{}, "ab"},
			"everything":   {history.Query{Everything: true}, "ablock"},
			"after":        {history.Query{After: 1}, "b"},
			"after event":  {history.Query{After: 2}, "b"},
			"after all":    {history.Query{After: 9}, ""},
			"since":        {history.Query{Since: middle}, "b"},
			"until":        {history.Query{Since: start, Until: middle}, "a"},
			"replica":      {history.Query{Replicas: []string{"subject-1"}}, "b"},
			"subject":      {history.Query{Subject: "another"}, ""},
			"without":      {history.Query{Without: []v1alpha1.Exemption{{Verbs: []string{"create"}, Resources: []string{"deployments.apps"}}}}, ""},
			"without else": {history.Query{Without: []v1alpha1.Exemption{{Resources: []string{"services"}}}}, "ab"},
			"match":        {history.Query{Match: v1alpha1.RequestMatch{Names: []string{"a", "c"}}}, "a"},
			"named leases": {history.Query{Match: v1alpha1.RequestMatch{Resources: []string{"leases.coordination.k8s.io"}}}, "lock"},
		}
		for name, test := range tests {
			test.query.Scenario = "s"
			var got string
			for _, request := range recorder.Requests(test.query) {
				got += request.Name
			}
			if got != test.want {
				t.Errorf("%s: got %q, want %q", name, got, test.want)
			}
		}

		account, nowhere := recorder.Account("s"), recorder.Account("nowhere")
		if !account.Seen("subject") || account.Seen("another") || nowhere.Seen("subject") {
			t.Error("Seen is wrong")
		}
		if events := recorder.Events("s"); len(events) != 1 || events[0].Seq != 2 || recorder.LastSeq() != 5 {
			t.Errorf("events %+v, last %d", events, recorder.LastSeq())
		}
	})
}

func TestWatches(t *testing.T) {
	recorder := history.New(nil, nil)
	watch := history.Request{Scenario: "s", Replica: "subject-0", Verb: history.VerbWatch, Group: "apps", Version: "v1", Resource: "deployments"}
	open := recorder.Begin(watch)
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	if len(recorder.OpenWatches("s", "")) > 0 {
		t.Error("a watch counts as open before it is answered")
	}
	open.Update(func(r *history.Request) { r.Code = 200 })
	refused := recorder.Begin(watch)
	refused.Update(func(r *history.Request) { r.Code = 403 })
	if len(recorder.OpenWatches("s", "subject-0")) != 1 || len(recorder.OpenWatches("s", "subject-1")) != 0 {
		t.Error("the open watch does not count, or a refused one does")
	}
	if !recorder.Watches("s", "subject-0", deployments) || recorder.Watches("s", "subject-0", schema.GroupVersionResource{}) {
		t.Error("Watches is wrong")
	}
	open.Finish(nil)
	if recorder.Watches("s", "subject-0", deployments) {
		t.Error("a watch that ended counts as open")
	}
}

// TestPolls: who lists again and again without a watch polls; who lists several times at
// once, is refused, has tried to watch, or did so before it was started again does not.
func TestPolls(t *testing.T) {
	shops := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "shops"}
	list := history.Request{Verb: history.VerbList, Code: 200}
	refused := history.Request{Verb: history.VerbList, Code: 403}
	watch := history.Request{Verb: history.VerbWatch, Code: 403}
	for name, tc := range map[string]struct {
		pause    time.Duration
		requests []history.Request
		after    int64
		want     bool
	}{
		"again and again":       {time.Second, []history.Request{list, list}, 0, true},
		"often":                 {time.Second / 2, []history.Request{list, list, list}, 0, true},
		"several at once":       {time.Second / 2, []history.Request{list, list}, 0, false},
		"refused":               {time.Second, []history.Request{refused, refused}, 0, false},
		"tried to watch":        {time.Second, []history.Request{list, watch, list}, 0, false},
		"watches since":         {time.Second, []history.Request{list, list, watch, list}, 0, false},
		"before it was started": {time.Second, []history.Request{list, list}, 1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			recorder := history.New(nil, nil)
			for _, r := range tc.requests {
				time.Sleep(tc.pause)
				r.Scenario, r.Replica, r.Group, r.Version, r.Resource = "s", "subject-0", shops.Group, shops.Version, shops.Resource
				recorder.Begin(r).Finish(nil)
			}
			if got := recorder.Polls("s", "subject-0", shops, tc.after); got != tc.want {
				t.Errorf("%s: got %t", name, got)
			}
			if recorder.Polls("s", "subject-1", shops, 0) {
				t.Errorf("%s: another replica counts as polling", name)
			}
		})
	}
}

func TestLeaseWrite(t *testing.T) {
	recorder := history.New(nil, nil)
	lease := types.NamespacedName{Namespace: "s", Name: "lock"}
	write := func(replica, holder, version string, code int) {
		recorder.Begin(history.Request{
			Scenario: "s", Replica: replica, Verb: history.VerbUpdate,
			Group: "coordination.k8s.io", Resource: "leases", Namespace: "s", Name: "lock",
		}).Finish(func(r *history.Request) { r.Code, r.Holder, r.ResourceVersion = code, holder, version })
	}
	written := func(replica, holder string) {
		t.Helper()
		if got, ok := recorder.LeaseWrite("s", lease); !ok || got.Replica != replica || got.Holder != holder {
			t.Errorf("got %+v, %t; want %q written by %s", got, ok, holder, replica)
		}
	}
	if got, ok := recorder.LeaseWrite("s", lease); ok {
		t.Errorf("got %+v before there was one", got)
	}
	write("subject-0", "zero", "9", 200)
	written("subject-0", "zero")
	write("subject-1", "", "", 409)
	written("subject-0", "zero")
	write("subject-1", "one", "11", 200)
	write("subject-0", "zero", "10", 200) // older, though its answer came later
	written("subject-1", "one")
	write("subject-1", "", "12", 200) // released
	written("subject-1", "")
}

func TestServerErrors(t *testing.T) {
	recorder := history.New(nil, nil)
	for _, request := range []history.Request{
		{Code: 200},
		{Code: 404},
		{Code: 409},
		{Code: 429, Name: "a"},
		{Code: 500, Name: "b"},
		{Code: 500, Fault: "f"},
		{Code: 500, Name: "c", Message: "resourceVersion should not be set on objects to be created"},
		{Code: 501, Name: "d", Resource: "pods", Subresource: "exec"},
		{Code: 501, Name: "e", Group: "example.com", Resource: "pods", Subresource: "exec"},
	} {
		request.Scenario = "s"
		code := request.Code
		recorder.Begin(request).Finish(func(r *history.Request) { r.Code = code })
	}
	var got []string
	account := recorder.Account("s")
	for _, request := range account.ServerErrors() {
		got = append(got, request.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "e"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestJournal(t *testing.T) {
	var file bytes.Buffer
	recorder := history.New(&file, nil)
	first := recorder.Begin(create("subject-0", "a"))
	recorder.Begin(create("subject-0", "open"))
	recorder.Event(history.Event{Scenario: "s", Reason: "ReplicaExited", Message: "status 1"})
	first.Finish(accepted)
	first.Finish(func(r *history.Request) { r.Code = 500 })
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	recorder.Event(history.Event{Reason: "TooLate"})

	type line struct {
		Type     string
		Seq      int
		Name     string
		Reason   string
		Code     int
		Effect   history.Effect
		Finished bool
	}
	var got []line
	for text := range strings.Lines(file.String()) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		got = append(got, l)
	}
	want := []line{
		{Type: "event", Seq: 3, Reason: "ReplicaExited"},
		{Type: "request", Seq: 1, Name: "a", Code: 201, Effect: history.EffectEffective, Finished: true},
		{Type: "request", Seq: 2, Name: "open", Effect: history.EffectNone},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

type fullDisk struct{ room int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room--; d.room < 0 {
		return 3, errors.New("no space left on device")
	}
	return len(p), nil
}

func TestFullDisk(t *testing.T) {
	var reported []error
	recorder := history.New(&fullDisk{room: 1}, func(err error) { reported = append(reported, err) })
	for range 4 {
		recorder.Begin(create("subject-0", "a")).Finish(accepted)
	}
	if len(reported) != 1 || !strings.Contains(reported[0].Error(), "no space left") {
		t.Errorf("reported: %v", reported)
	}
	if err := recorder.Close(); !errors.Is(err, reported[0]) {
		t.Errorf("closed with %v", err)
	}
	if got := recorder.Requests(history.Query{Scenario: "s"}); len(got) != 4 {
		t.Errorf("%d requests are left", len(got))
	}
}

func TestConcurrent(t *testing.T) {
	var file bytes.Buffer
	recorder := history.New(&file, nil)
	var changes sync.Map
	cancel := recorder.Subscribe(func(scenario string) { changes.Store(scenario, true) })
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				record := recorder.Begin(create("subject-0", "a"))
				record.Update(func(r *history.Request) { r.Code = 201 })
				recorder.Requests(history.Query{Scenario: "s", After: record.Request().Seq - 3})
				recorder.OpenWatches("s", "")
				record.Finish(accepted)
			}
		})
	}
	group.Wait()
	if _, ok := changes.Load("s"); !ok {
		t.Error("the listener was not called")
	}
	cancel()
	changes.Clear()
	recorder.Event(history.Event{Scenario: "t"})
	if _, ok := changes.Load("t"); ok {
		t.Error("told after the subscription ended")
	}
	requests := recorder.Requests(history.Query{Scenario: "s"})
	for i, request := range requests {
		if request.Seq != int64(i)+1 || !request.Finished || i > 0 && request.Time.Before(requests[i-1].Time) {
			t.Fatalf("number %d is %+v", i, request)
		}
	}
	if lines := strings.Count(file.String(), "\n"); len(requests) != 800 || lines != 801 {
		t.Errorf("%d requests, %d lines", len(requests), lines)
	}
}

func BenchmarkRecord(b *testing.B) {
	var file bytes.Buffer
	recorder := history.New(&file, nil)
	for b.Loop() {
		recorder.Begin(create("subject-0", "a")).Finish(accepted)
		file.Reset()
	}
}

// TestLock: a ConfigMap with which an election is held belongs to the running of the
// controller, like a Lease, as soon as one answer has shown that. Others are its work.
func TestLock(t *testing.T) {
	recorder := history.New(nil, nil)
	send := func(verb, resource, name string, code int, lock bool) {
		recorder.Begin(history.Request{Scenario: "s", Verb: verb, Resource: resource, Name: name, Namespace: "home"}).Finish(func(r *history.Request) {
			r.Code, r.Effect = code, history.EffectEffective
			r.Lock = r.Lock || lock
		})
	}
	send(history.VerbCreate, "configmaps", "elected", 201, true)
	send(history.VerbGet, "configmaps", "elected", 200, false)
	send(history.VerbUpdate, "configmaps", "elected", 409, false)
	send(history.VerbUpdate, "configmaps", "config", 200, false)
	send(history.VerbUpdate, "services", "elected", 200, false)
	names := func(q history.Query) (all []string) {
		q.Scenario = "s"
		for _, r := range recorder.Requests(q) {
			all = append(all, r.InWords())
		}
		return all
	}
	work := []string{"#4 update configmaps config", "#5 update services elected"}
	if diff := cmp.Diff(work, names(history.Query{})); diff != "" {
		t.Errorf("work (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(work[:1], names(history.Query{Match: v1alpha1.RequestMatch{Resources: []string{"configmaps"}}})); diff != "" {
		t.Errorf("ConfigMaps (-want +got):\n%s", diff)
	}
	if got := names(history.Query{Everything: true}); len(got) != 5 {
		t.Errorf("everything: %q", got)
	}
}
