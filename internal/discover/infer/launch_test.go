package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

func TestElectionFlag(t *testing.T) {
	for _, tc := range []struct {
		command []string
		at      int
		on      string
		off     string
	}{
		{[]string{"manager", "--leader-elect"}, 1, "--leader-elect", "--leader-elect=false"},
		{[]string{"manager", "-v=2", "-enable-leader-election=true"}, 2, "-enable-leader-election=true", "-enable-leader-election=false"},
		{[]string{"manager", "--leader-elect=True"}, 1, "--leader-elect=True", "--leader-elect=false"},
		{[]string{"manager", "--leader-elect=1", "-v", "2"}, 1, "--leader-elect=1", "--leader-elect=false"},
		{[]string{"manager", "--leader-elect", "true", "--verbose"}, 1, "--leader-elect true", "--leader-elect=false"},
		{[]string{"manager", "--leader-elect", "1"}, 1, "--leader-elect", "--leader-elect=false"},
		{[]string{"manager", "--leader-elect", "false"}, -1, "", ""},
		{[]string{"manager", "--leader-elect-namespace=x"}, -1, "", ""},
		{[]string{"manager", "--leader-elect=false"}, -1, "", ""},
		{[]string{"manager", "--leader-elect=0"}, -1, "", ""},
		{[]string{"manager", "election"}, -1, "", ""}, // a command of the program
		{[]string{"manager"}, -1, "", ""},
		{nil, -1, "", ""},
	} {
		if at, on, off := electionFlag(tc.command); at != tc.at || strings.Join(on, " ") != tc.on || off != tc.off {
			t.Errorf("electionFlag(%q) = %d, %q, %q, want %d, %q, %q", tc.command, at, on, off, tc.at, tc.on, tc.off)
		}
	}
}

func TestWithPorts(t *testing.T) {
	command := []string{"manager", "--metrics=:8080", "--probes", "8081", "--level=8081x"}
	r := &Record{Command: command, Ports: []int{8080, 8081, 9443}, Pages: []Page{
		{Port: 8080, Scheme: "https", Path: "/metrics", Code: 200},
		{Port: 8081, Scheme: "http", Path: "/readyz", Code: 200},
		{Port: 8081, Scheme: "http", Path: "/metrics", Code: 404},
	}}
	templates, names := withPorts(command, r.servings())
	want := []string{"manager", "--metrics=:{{ .ports.metrics }}", "--probes", "{{ .ports.health }}", "--level=8081x"}
	if diff := cmp.Diff(want, templates); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"metrics", "health"}, names); diff != "" {
		t.Errorf("ports (-want +got):\n%s", diff)
	}
	f := &finder{Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}}, Record: r}
	f.findLaunch()
	if diff := cmp.Diff(map[string]int32{"port9443": 9443}, f.Spec.Launch.FixedPorts); diff != "" {
		t.Errorf("fixed ports (-want +got):\n%s", diff)
	}
	endpoints := v1alpha1.Endpoints{Metrics: &v1alpha1.Endpoint{Port: "metrics", Scheme: "https"}}
	if diff := cmp.Diff(endpoints, f.Spec.Launch.Endpoints); diff != "" {
		t.Errorf("endpoints (-want +got):\n%s", diff)
	}
}

// TestFindWebhook: the port of the webhooks becomes a fixed port with the name
// WebhookPort, and the path of the conversion is read from the CRD.
func TestFindWebhook(t *testing.T) {
	const byWebhook = "launch.webhook.conversion"
	convert := &apiextensionsv1.CustomResourceDefinition{}
	convert.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Webhook: &apiextensionsv1.WebhookConversion{
		ClientConfig: &apiextensionsv1.WebhookClientConfig{Service: &apiextensionsv1.ServiceReference{Path: ptr.To("/convert")}},
	}}
	several := &apiextensionsv1.CustomResourceDefinition{}
	several.Spec.Versions = make([]apiextensionsv1.CustomResourceDefinitionVersion, 2)
	for name, tc := range map[string]struct {
		crd         *apiextensionsv1.CustomResourceDefinition
		path        string
		read, asked bool
	}{
		"one version":      {crd: &apiextensionsv1.CustomResourceDefinition{}},
		"several versions": {crd: several, asked: true},
		"named by the CRD": {crd: convert, path: "/convert", read: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{Command: []string{"manager"}, Ports: []int{9443}, Webhook: &Webhook{Port: 9443}, CRD: tc.crd}
			f := &finder{Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}}, Record: r}
			f.findLaunch()
			if diff := cmp.Diff(map[string]int32{WebhookPort: 9443}, f.Spec.Launch.FixedPorts); diff != "" {
				t.Errorf("fixed ports (-want +got):\n%s", diff)
			}
			if got := ConversionPath(tc.crd); got != tc.path {
				t.Errorf("path of the conversion %q, want %q", got, tc.path)
			}
			if _, read := f.Notes[byWebhook]; read != tc.read || len(f.Asked["launch.webhook.conversion"]) > 0 != tc.asked {
				t.Errorf("notes %v, asked %v", f.Notes, f.Asked)
			}
		})
	}
}

// TestAskReady: of a controller that did nothing that shows that it is ready, it is said that no
// run will start it.
func TestAskReady(t *testing.T) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Spec.Group, crd.Spec.Names.Plural = "example.com", "shops"
	primary := func(verb string) history.Request {
		return history.Request{Seq: 1, Verb: verb, Group: "example.com", Resource: "shops", Code: 200}
	}
	for name, tc := range map[string]struct {
		requests []history.Request
		starts   bool
	}{
		"it watches":       {[]history.Request{primary(history.VerbWatch)}, true},
		"it polls":         {[]history.Request{primary(history.VerbList), primary(history.VerbList)}, true},
		"it listed once":   {[]history.Request{primary(history.VerbList)}, false},
		"it did otherwise": {[]history.Request{{Seq: 1, Verb: history.VerbWatch, Resource: "pods", Code: 200}}, false},
	} {
		for _, ports := range [][]string{nil, {"health"}} {
			f := &finder{Findings: Findings{Asked: map[string][]Question{}}, Record: &Record{CRD: crd}}
			f.Account.Requests, f.Spec.Launch.Ports = tc.requests, ports
			f.askReady()
			if said := fmt.Sprint(f.Asked["launch.ready"]); strings.Contains(said, "will say that it does not start") == tc.starts {
				t.Errorf("%s, with the ports %v: %s", name, ports, said)
			}
			f.Asked, f.Pages = map[string][]Question{}, []Page{{Port: 8081, Path: "/readyz", Code: 503}}
			f.askReady()
			if said := fmt.Sprint(f.Asked["launch.ready"]); strings.Contains(said, "/readyz answered 503") != (ports != nil) {
				t.Errorf("%s, with the ports %v, and a page that says that it is not ready: %s", name, ports, said)
			}
		}
	}
}

func TestGuessMetrics(t *testing.T) {
	const other = "# TYPE go_gc_duration_seconds summary\n# TYPE http_errors_total counter\n"
	for name, tc := range map[string]struct {
		page, reconciles, errors string
	}{
		"one of each": {
			other + "# TYPE site_syncs_total counter\n# TYPE site_failed_syncs_total counter\n# TYPE site_sync_seconds histogram\n",
			"site_syncs_total", "site_failed_syncs_total",
		},
		"no errors":   {other + "# TYPE site_reconciles_total counter\n", "", ""},
		"two of them": {"# TYPE a_syncs_total counter\n# TYPE b_syncs_total counter\n# TYPE sync_errors_total counter\n", "", ""},
		"no page":     {"", "", ""},
	} {
		if reconciles, errors := guessMetrics(Page{Body: tc.page}.read()); reconciles != tc.reconciles || errors != tc.errors {
			t.Errorf("%s: %q and %q, want %q and %q", name, reconciles, errors, tc.reconciles, tc.errors)
		}
	}
}

func TestCounts(t *testing.T) {
	const metric = "controller_runtime_reconcile_total"
	for _, tc := range []struct {
		labels, value string
		want          bool
	}{
		{`{controller="webapp",result="success"}`, "3", true},
		{`{controller="webapp-controller",result="success"}`, "3", true},
		{`{controller="webapp",result="success"}`, "0", false},
		{`{controller="webapp",result="success"}`, "0.0", false},
		{`{controller="graph",result="success"}`, "3", false},
		{`{result="success"}`, "3", false},
	} {
		page := "# TYPE " + metric + " counter\n" + metric + tc.labels + " " + tc.value + "\n"
		if got := counts(Page{Body: page}.read(), metric, "WebApp"); got != tc.want {
			t.Errorf("%s %s: got %v, want %v", tc.labels, tc.value, got, tc.want)
		}
	}
}

// TestFollows: a controller that polls is late sometimes, and then shows the earlier
// state of the same object. A number that the other object had is not late.
func TestFollows(t *testing.T) {
	for name, tc := range map[string]struct {
		ready, shown []any
		other        int // so many at the end are of another object
		want         bool
	}{
		"at once":                {[]any{2, 3, 2}, []any{2, 3, 2}, 0, true},
		"late once":              {[]any{2, 3, 3, 2}, []any{2, 2, 3, 2}, 0, true},
		"late as a rule":         {[]any{2, 3, 3, 2}, []any{nil, 2, 3, 3}, 0, false},
		"nothing, at first":      {[]any{0, 2, 2}, []any{nil, 2, 2}, 0, true},
		"always the same":        {[]any{2, 3, 2}, []any{2, 2, 2}, 0, false},
		"a number of its own":    {[]any{2, 3, 2}, []any{2, 7, 2}, 0, false},
		"a word":                 {[]any{2, 3, 2}, []any{"two", "three", "two"}, 0, false},
		"of what never varies":   {[]any{2, 2, 2}, []any{2, 2, 2}, 0, false},
		"all Pods, ready or not": {[]any{1, 3, 0}, []any{1, 3, 1}, 1, false},
		"none of another object": {[]any{1, 3, 0}, []any{1, 3, nil}, 1, true},
		"late of another object": {[]any{1, 3, 0, 1, 0}, []any{1, 3, 0, 1, 1}, 3, true},
	} {
		var settled []moment
		for i := range tc.ready {
			primary := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"ready": number(tc.shown[i])}}}
			if primary.SetUID("first"); i >= len(tc.ready)-tc.other {
				primary.SetUID("other")
			}
			settled = append(settled, moment{
				primary:    primary,
				deployment: &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"readyReplicas": number(tc.ready[i])}}},
			})
		}
		if got := followsReady(settled, "status.ready"); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

// number as it is in an object from the API server.
func number(value any) any {
	if n, ok := value.(int); ok {
		return int64(n)
	}
	return value
}

// TestMetricsThatStandStill: a counter is claimed if it moves while an object is changed.
func TestMetricsThatStandStill(t *testing.T) {
	page := func(site, other, queue int) string {
		return fmt.Sprintf(`controller_runtime_reconcile_total{controller="site",result="success"} %d
controller_runtime_reconcile_total{controller="composite",result="success"} %d
controller_runtime_reconcile_errors_total{controller="site"} 0
workqueue_depth{name="site"} 0
workqueue_retries_total{name="site"} 0
workqueue_queue_duration_seconds_count{name="site"} %d
`, site, other, queue)
	}
	for name, tc := range map[string]struct {
		before, after string
		changed       bool
		want          []v1alpha1.Feature
	}{
		"both move":                       {page(1, 1, 3), page(5, 1, 9), true, []v1alpha1.Feature{"queue-metrics", "metrics"}},
		"that of another controller does": {page(1, 1, 3), page(1, 7, 9), true, []v1alpha1.Feature{"queue-metrics"}},
		"none does":                       {page(1, 1, 3), page(1, 1, 3), true, nil},
		"there is none of the kind":       {page(0, 1, 3), page(0, 4, 9), true, []v1alpha1.Feature{"queue-metrics"}},
		"there was no page":               {"", page(1, 1, 3), true, []v1alpha1.Feature{"queue-metrics", "metrics"}},
		"nothing was changed in between":  {page(1, 1, 3), page(1, 1, 3), false, []v1alpha1.Feature{"queue-metrics", "metrics"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{Kind: "Site"}
			if tc.before != "" {
				r.Before = []Page{{Port: 8080, Path: "/metrics", Code: 200, Body: tc.before}}
			}
			if tc.changed {
				r.Acts = []Act{{Deed: Change, Object: "site", Path: "spec.size"}}
			}
			f := &finder{Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}}, Record: r}
			f.findMetrics(Page{Port: 8080, Path: "/metrics", Code: 200, Body: tc.after})
			if diff := cmp.Diff(tc.want, f.Spec.Claims.Features); diff != "" {
				t.Errorf("features (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPortsAfterAMove: a number of an argument is the port of the controller only if the
// controller listens on another number when that is given. Otherwise it stays as it is.
func TestPortsAfterAMove(t *testing.T) {
	command := []string{"manager", "--metrics=:8080", "-el-port", "9000", "--health", ":9000", "--of-pods=9443"}
	for name, tc := range map[string]struct {
		moved   *Moved
		command string
		fixed   map[string]int32
		note    string
	}{
		"not tried": {nil, "manager --metrics=:{{ .ports.port8080 }} -el-port {{ .ports.port9000 }} --health :9000 --of-pods={{ .ports.port9443 }}", nil, ""},
		"one of each": {
			&Moved{map[int]int{1: 7001, 3: 7002, 5: 7003, 6: 7004}, []int{7001, 7003, 9443}},
			"manager --metrics=:{{ .ports.port8080 }} -el-port 9000 --health :{{ .ports.port9000 }} --of-pods=9443",
			map[string]int32{"port9443": 9443},
			"9443: it listens there, and still did with another number in --of-pods=9443, which is there for something else",
		},
		"two that are for something else": {
			&Moved{map[int]int{1: 7001, 3: 7002, 5: 7003, 6: 7004}, []int{7001, 9000, 7004}},
			"manager --metrics=:{{ .ports.port8080 }} -el-port 9000 --health :9000 --of-pods={{ .ports.port9443 }}",
			map[string]int32{"port9000": 9000},
			"9000: it listens there, and still did with another number in -el-port 9000 and --health :9000, which is there for something else",
		},
		"it did not start": {
			&Moved{To: map[int]int{1: 7001, 3: 7002, 5: 7003, 6: 7004}}, strings.Join(command, " "),
			map[string]int32{"port8080": 8080, "port9000": 9000, "port9443": 9443},
			"8080: it listens there, and with another number in --metrics=:8080 it listened neither there nor at that number, so the number stays",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{Command: command, Ports: []int{8080, 9000, 9443}, Moved: tc.moved}
			f := &finder{Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}}, Record: r}
			f.findLaunch()
			if got := strings.Join(f.Spec.Launch.Command, " "); got != tc.command {
				t.Errorf("command %q, want %q", got, tc.command)
			}
			if diff := cmp.Diff(tc.fixed, f.Spec.Launch.FixedPorts); diff != "" {
				t.Errorf("fixed ports (-want +got):\n%s", diff)
			}
			if got := f.Notes["launch.fixedPorts"].Text; !strings.HasPrefix(got, tc.note) || tc.note == "" && got != "" {
				t.Errorf("note %q, want %q", got, tc.note)
			}
		})
	}
}

// TestSeveralLeases: of several Leases that a program holds, the one with the kind in its name
// counts. If none has, the profile asks.
func TestSeveralLeases(t *testing.T) {
	for name, tc := range map[string]struct {
		held  []string
		want  string
		asked bool
	}{
		"one":                   {[]string{"lock"}, "lock", false},
		"of the kind":           {[]string{"x.y.interceptor.00-of-01", "x.y.shop.00-of-01"}, "x.y.shop.00-of-01", false},
		"of its plural":         {[]string{"interceptors", "Shops-lock"}, "Shops-lock", false},
		"of none":               {[]string{"a", "b"}, "a", true},
		"only a part of a word": {[]string{"a", "workshop"}, "a", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{Kind: "Shop", CRD: &apiextensionsv1.CustomResourceDefinition{}, Home: "home"}
			r.CRD.Spec.Names.Kind, r.CRD.Spec.Names.Plural = "Shop", "shops"
			for n, lease := range append([]string{"asked-for-only"}, tc.held...) {
				q := history.Request{Seq: int64(n), Group: "coordination.k8s.io", Resource: "leases", Namespace: "home", Name: lease, Verb: history.VerbGet}
				if n > 0 {
					q.Verb, q.ResourceVersion, q.Code, q.Holder, q.Finished = history.VerbUpdate, "7", 200, "me", true
				}
				r.Account.Requests = append(r.Account.Requests, q)
			}
			f := &finder{Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}}, Record: r}
			f.findElection()
			if got := f.Spec.Launch.LeaderElection; got == nil || got.Lease.Name != tc.want {
				t.Errorf("Lease %v, want %s", got, tc.want)
			}
			if asked := len(f.Asked["launch.leaderElection.lease"]) > 0; asked != tc.asked {
				t.Errorf("asked: %t", asked)
			}
		})
	}
}
