package visit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
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

// TestMissingPod: a controller that looks for itself under a name that the bench does not
// know is told how to give that name.
func TestMissingPod(t *testing.T) {
	pod := history.Request{Verb: history.VerbGet, Resource: "pods", Namespace: "home", Name: "me", Code: 404}
	found, elsewhere, listed := pod, pod, pod
	found.Code, elsewhere.Namespace, listed.Verb = 200, "served", history.VerbList
	labeled := listed
	labeled.Name, labeled.Code, labeled.Path = "", 200, "/api/v1/namespaces/home/pods?labelSelector=app%3Dmine&limit=500"
	others := labeled
	others.Namespace = "served"
	for name, tc := range map[string]struct {
		request history.Request
		want    bool
	}{"missing": {pod, true}, "there": {found, false}, "of an object": {elsewhere, false}, "a list": {listed, false}, "by labels": {labeled, true}, "by labels, elsewhere": {others, false}} {
		if got := missingPod(history.Account{Requests: []history.Request{tc.request}}, "home"); (got != "") != tc.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestCannotLead: a controller whose roles do not allow its election waits for ever, and that
// is told in place of a doubt about its resource.
func TestCannotLead(t *testing.T) {
	lease := history.Request{Verb: history.VerbCreate, Group: "coordination.k8s.io", Resource: "leases", Code: 403}
	got, other, ours := lease, lease, lease
	got.Code, other.Resource, ours.Fault = 201, "configmaps", "f"
	for name, tc := range map[string]struct {
		requests []history.Request
		want     bool
	}{
		"refused": {[]history.Request{got, lease}, true}, "allowed": {[]history.Request{got}, false},
		"something else is refused": {[]history.Request{other}, false}, "a fault of the bench": {[]history.Request{ours}, false},
	} {
		if why := cannotLead(history.Account{Requests: tc.requests}); (why != "") != tc.want {
			t.Errorf("%s: %q", name, why)
		}
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
	panics := []string{"panic: no database", "", "goroutine 1 [running]:", "runtime.main()", "\t/go/proc.go:68"}
	want = []string{"panic: no database (×2)", "(3 lines of the stack left out) (×2)"}
	if diff := cmp.Diff(want, ends(slices.Repeat(panics, 2))); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// TestFruitless: a controller that ends without a word is told like that.
// TestDeletions: it is told what the controller deleted, and not what it tried to delete.
func TestDeletions(t *testing.T) {
	account := history.Account{Requests: []history.Request{
		{Seq: 1, Verb: history.VerbDelete, Group: "apps", Resource: "deployments", Name: "shop", Effect: history.EffectRefused},
		{Seq: 2, Verb: history.VerbUpdate, Group: "apps", Resource: "deployments", Name: "shop", Effect: history.EffectEffective},
	}}
	if got := deletions(account); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	account.Requests = append(account.Requests, history.Request{Seq: 3, Verb: history.VerbDelete, Group: "k3.io", Resource: "shops", Name: "demo", Effect: history.EffectEffective})
	if got, want := deletions(account), ": it deleted shops.k3.io demo itself (#3)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFruitless(t *testing.T) {
	for want, e := range map[string]Fruitless{
		"it ends; it wrote nothing":            {Reason: "it ends"},
		"it ends; it wrote:\n    one\n    two": {Reason: "it ends", Log: []string{"one", "two"}},
	} {
		if got := e.Error(); got != want {
			t.Errorf("error %q, want %q", got, want)
		}
	}
}

// TestLacking: a controller that does not find the certificate of its webhooks, or a file,
// says where it looked for it, and its author is told what to do.
func TestLacking(t *testing.T) {
	const zap = "ERROR\tsetup\tproblem running manager\t{\"error\": \"open /tmp/k8s-webhook-server/serving-certs/tls.crt: no such file or directory\"}"
	there := t.TempDir() + "/config.yaml"
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	started := v1alpha1.Launch{Command: []string{"/bin/cat", "-v", "shop.py", "--config=conf/a.yaml"}}
	for line, want := range map[string]string{
		zap: "--webhooks",
		"unable to start: open /certs/tls.key: no such file or directory": "--webhooks",
		"open /absent/config.yaml: no such file or directory":             "if what it did not find is there",
		"open " + there + ": permission denied":                           "it did not find " + there + ", or may not read it, and it is there: --readable " + filepath.Dir(there) + " (launch.readable) lets it",
		// The program is there, too, but it is not what was not found.
		"/bin/cat: line 1: " + there + ": No such file or directory":                                 "it did not find " + there + ", or may not read it, and it is there",
		"/bin/cat: can't open file '/run/home/shop.py': [Errno 2] No such file or directory":         "it does not find shop.py of its command, as it is started in an empty folder: --directory",
		`{"level":"error","msg":"reading it","error":"open conf/a.yaml: no such file or directory"}`: "it does not find conf/a.yaml of its command",
		"Error: Cannot find module 'yaml'":                                                           "--readable",
		"ModuleNotFoundError: No module named 'kopf'":                                                "--readable",
		"/usr/bin/python3: No module named shop":                                                     "in the folder of its files, name that by --directory",
		"npm error enoent Could not read package.json: ENOENT: no such file or directory":            "in the folder of its files, name that by --directory",
		"using the certificate tls.crt":                                                              "",
	} {
		if got := lacking([]string{"starting", line}, started); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	started.Directory = "there"
	if got := lacking([]string{"open conf/a.yaml: no such file or directory"}, started); strings.Contains(got, "empty folder") {
		t.Errorf("started in a folder of its own: %q", got)
	}
}

// TestNeeded: a shim of a version manager runs what lies beside it.
func TestNeeded(t *testing.T) {
	home := t.TempDir()
	for file, tc := range map[string]struct {
		mode os.FileMode
		want string
	}{
		".pyenv/libexec/pyenv":       {0o700, ".pyenv"},
		".nvm/versions/v22/bin/node": {0o700, ".nvm"},
		".ssh/id_rsa":                {0o600, ".ssh"},
		".config/shop/keys/tls.key":  {0o600, ".config/shop/keys"},
		"shop/bin/shop":              {0o700, "shop/bin"},
		"shop/conf/a.yaml":           {0o600, "shop/conf"},
	} {
		file := filepath.Join(home, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, tc.mode); err != nil {
			t.Fatal(err)
		}
		found, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := needed(file, found), filepath.Join(home, tc.want); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

// TestFileHere: a command that names a file of the folder that it is given in needs that folder.
func TestFileHere(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"src", "run"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"shop.py", "src/main.js", "prog"} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for command, want := range map[string]string{
		"node src/main.js --level=1":     "src/main.js",
		"python3 -u shop.py":             "shop.py",
		"bin/manager --config=./shop.py": "./shop.py",
		"node .":                         ".",
		"./prog run --v=2":               "", // run is a word
		"src/main.js":                    "",
		"bin/manager --address=:8080":    "",
		"python3 absent.py":              "",
	} {
		if got := FileHere(strings.Fields(command)); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// TestUnreached: a controller that speaks of its kubeconfig, and asks for nothing, is told where it is.
func TestUnreached(t *testing.T) {
	none, asked := history.Account{}, history.Account{Requests: []history.Request{{Verb: history.VerbGet}}}
	for line, want := range map[string]bool{
		"--kubeconfig is required": true,
		`{"level":"error","error":"invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable"}`: true,
		"SHOP_CLUSTER_CONFIG names no file":       true,
		"unable to load in-cluster configuration": true,
		"kubernetes.config.config_exception.ConfigException: Invalid kube-config file. No configuration found.": true,
		"panic: no database":   false,
		"--config is required": false,
	} {
		if got := unreached(none, []string{"starting", line}); strings.Contains(got, "{{ .kubeconfig }}") != want || !want && got != "" {
			t.Errorf("%s: %q", line, got)
		}
		if got := unreached(asked, []string{line}); got != "" {
			t.Errorf("%s, with a request: %q", line, got)
		}
	}
}

// TestNameOf: what an interpreter runs has the name of the script.
func TestNameOf(t *testing.T) {
	for want, command := range map[string][]string{
		"site-operator": {"bin/site-operator", "--config", "conf.yaml"},
		"shopkeeper":    {"/usr/bin/python3", "-u", "lib/shopkeeper.py"},
		"operator":      {"java", "-jar", "operator.jar"},
		".manager":      {"bin/.manager"},
		"node":          {"node", "."},
	} {
		if got := nameOf(command); got != want {
			t.Errorf("%v: %s, want %s", command, got, want)
		}
	}
}

// TestSettledPorts: the ports of a second start are known as soon as there is a listener for each
// port that arguments name, at the old number or at a new one.
func TestSettledPorts(t *testing.T) {
	arguments, to := map[int]int{1: 8080, 3: 9000, 5: 9000}, map[int]int{1: 7001, 3: 7002, 5: 7003}
	for _, tc := range []struct {
		ports []int
		want  bool
	}{{nil, false}, {[]int{7001}, false}, {[]int{7001, 7003}, true}, {[]int{7002, 7001}, true}, {[]int{8080, 9000}, true}, {[]int{9443, 9000}, false}} {
		if got := settled(arguments, &infer.Moved{To: to, Ports: tc.ports}); got != tc.want {
			t.Errorf("listening on %v: %t", tc.ports, got)
		}
	}
}

// TestOutside: what a controller looks for in a namespace that it does not see is told, each
// resource once.
func TestOutside(t *testing.T) {
	list := func(namespace, resource, group, note string) history.Request {
		return history.Request{Verb: history.VerbList, Resource: resource, Group: group, Namespace: namespace, Note: note, Code: 200}
	}
	slices := list("metallb", "endpointslices", "discovery.k8s.io", "namespace metallb"+history.NoteOutOfScope)
	maps := list("kube-system", "configmaps", "", "namespace kube-system"+history.NoteOutOfScope)
	want := "; it looked for endpointslices.discovery.k8s.io in namespace metallb, configmaps in namespace kube-system, " +
		"and sees only its own namespace and those that it serves: if it needs that, switch it off by a flag or a variable of the controller"
	for asked, requests := range map[string][]history.Request{want: {slices, maps, slices}, "": {list(Namespace, "pods", "", "")}} {
		if diff := cmp.Diff(asked, outside(history.Account{Requests: requests})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestMissingObjects: a Secret or a ConfigMap that the controller asked for and that was never there
// may be what it waits for.
func TestMissingObjects(t *testing.T) {
	get := func(resource, name string, code int) history.Request {
		return history.Request{Verb: history.VerbGet, Resource: resource, Name: name, Namespace: Namespace, Code: code}
	}
	made := get("configmaps", "state", 201)
	made.Verb = history.VerbCreate
	fault := get("secrets", "other", 404)
	fault.Fault = "gone"
	for name, tc := range map[string]struct {
		requests []history.Request
		want     string
	}{
		"asked for again and again": {
			[]history.Request{get("secrets", "key", 404), get("configmaps", "settings", 404), get("secrets", "key", 404)},
			"; it asked for Secret key, ConfigMap settings, and nothing of that name was there: if it needs that, give it in the file of the sample",
		},
		"it came":                         {[]history.Request{get("secrets", "key", 404), get("secrets", "key", 200)}, ""},
		"it made it":                      {[]history.Request{get("configmaps", "state", 404), made}, ""},
		"of an object of the look":        {[]history.Request{get("secrets", "first-look-key", 404)}, ""},
		"a Fault, and a child of another": {[]history.Request{fault, get("services", "web", 404)}, ""},
	} {
		if diff := cmp.Diff(tc.want, missingObjects(history.Account{Requests: tc.requests})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
