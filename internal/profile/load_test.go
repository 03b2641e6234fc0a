package profile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/manifest"
)

const builtin = "../../fixtures/profiles/"

func TestBuiltinProfilesLoad(t *testing.T) {
	names, err := builtinNames(builtin)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		p, err := Resolve(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if p.Name != name {
			t.Errorf("profile %s is named %s", name, p.Name)
		}
	}
}

// TestEmptyDocuments: what has nothing, as behind a last line of dashes, is no second document.
func TestEmptyDocuments(t *testing.T) {
	for _, text := range []string{minimal + "---\n", "---\n# mine\n---\n" + minimal, minimal + "---\n---\n# the end\n", "\ufeff" + minimal + "...\n"} {
		if _, err := Parse("mine.yaml", []byte(text)); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
	}
	if _, err := Parse("mine.yaml", []byte(minimal+"---\nnull\n")); err == nil {
		t.Error("a document that says null is one")
	}
}

func TestDefaultsComeFromTheSchema(t *testing.T) {
	text := edit(t, minimal)
	p, err := Parse("mine.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{
		"scope": p.Spec.Contract.Resource.Scope, "name": p.Spec.Contract.Children.Deployment.Name,
		"ownership": p.Spec.Claims.Ownership, "grace": p.Spec.Claims.Times.ShutdownGrace.Duration,
		"qps": p.Spec.Claims.ClientQPS, "metric": p.Spec.Claims.Metrics.Errors,
	}
	want := map[string]any{
		"scope": "Namespaced", "name": "{{ .name }}", "ownership": v1alpha1.OwnershipByReference, "grace": 30 * time.Second,
		"qps": int32(5), "metric": v1alpha1.MetricName("controller_runtime_reconcile_errors_total"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// minimal is a profile with only the required fields.
const minimal = `apiVersion: reconform.dev/v1alpha1
kind: Profile
metadata:
  name: mine
spec:
  implementation: {name: mine}
  contract:
    resource: {group: example.com, version: v1, kind: Site, plural: sites}
    spec:
      image: {path: spec.image}
      replicas: {path: spec.size}
    children:
      deployment: {}
  claims: {unowned: refuse, cleanup: gc, times: {longestRetryPause: 30s}}
  install:
    crds: [crd.yaml]
    rbac: [rbac.yaml]
  launch:
    command: [./site]
`

// edit replaces pairs of old and new in a text; each old must be there.
func edit(t testing.TB, text string, oldnew ...string) string {
	t.Helper()
	for i := 0; i < len(oldnew); i += 2 {
		if !strings.Contains(text, oldnew[i]) {
			t.Fatalf("nothing to replace: %q", oldnew[i])
		}
		text = strings.Replace(text, oldnew[i], oldnew[i+1], 1)
	}
	return text
}

func TestProblems(t *testing.T) {
	const (
		claims   = "claims: {"
		times    = "times: {"
		required = "unowned: refuse, cleanup: gc, times: {longestRetryPause: 30s}"
	)
	for name, tc := range map[string]struct {
		edits []string
		want  []string // a part of each problem
	}{
		"what is around the spec": {
			[]string{"children:\n", "metadata: {name: Main, labels: {a b: c, d: \"{{ .nam }}\"}}\n    root: {spec: {}, data: \"{{ .x }}\"}\n    namespaceLabels: {x: \"not a label\"}\n    children:\n"},
			[]string{
				`spec.contract.root.data: unknown key {{ .x }}`, `spec.contract.root: sets spec, which has a place of its own`,
				`spec.contract.namespaceLabels: not a label: `, `spec.contract.metadata.name: "Main" names no object`,
				`spec.contract.metadata.name: with a fixed name there is only one object in a namespace: write launch.onePerNamespace: true`,
				`spec.contract.metadata: d: unknown key {{ .nam }} (did you mean ".name"?)`, `spec.contract.metadata.labels: a b: `,
			},
		},
		"values of other fields": {
			[]string{"{path: spec.image}", "{path: spec.image, values: [1]}", "{path: spec.size}", "{path: spec.size, values: [5, 1]}"},
			[]string{"spec.contract.spec.image.values: only replicas", "spec.contract.spec.replicas.values: [5 1]: give each value once, in order"},
		},
		"values beyond the bounds": {
			[]string{"{path: spec.size}", "{path: spec.size, values: [1, 9]}", "    children:", "    bounds: {replicas: {minimum: 1, maximum: 8}}\n    children:"},
			[]string{"spec.contract.spec.replicas.values: [1 9]: some lie outside of the bounds, 1 to 8"},
		},
		"a constant that cannot be changed": {
			[]string{"{path: spec.size}", "{constant: 1, immutable: true}"},
			[]string{"spec.contract.spec.replicas.immutable: only a field of the spec that has a path"},
		},
		"every image the same": {
			[]string{"{path: spec.image}", "{path: spec.image, format: mine}"},
			[]string{`spec.contract.spec.image.format: "mine" is the same for every value`},
		},
		"a Deployment, as nearly all make": {
			[]string{`deployment: {}`, `deployment: {workload: {group: apps, version: v1, kind: Deployment, plural: deployments}}`},
			[]string{"spec.contract.children.deployment.workload: this is the default, a Deployment: leave the workload out, unless its replicas name another field"},
		},
		"unknown field": {
			[]string{"children:\n", "childs: {}\n    children:\n"},
			[]string{`mine.yaml:12: spec.contract.childs: unknown field "childs" (did you mean "children"?); allowed here: base, bounds, children, defaults, metadata, name, namespaceLabels, phases, printerColumns, resource, root, spec, status`},
		},
		"unknown field deep inside": {
			[]string{"{path: spec.size}", "{pth: spec.size}"},
			[]string{`mine.yaml:11: spec.contract.spec.replicas.pth: unknown field "pth" (did you mean "path"?); allowed here: as, condition, constant, format, growOnly, immutable, optional, path, values`},
		},
		"unknown metadata": {
			[]string{"name: mine\n", "name: mine\n  lables: {}\n"},
			[]string{`mine.yaml:5: metadata.lables: unknown field "lables" (did you mean "labels"?); allowed here: name, labels, annotations`},
		},
		"key twice":  {[]string{"kind: Profile", "kind: Profile\nkind: Profile"}, []string{"mine.yaml:3: kind: given twice, first on line 2"}},
		"wrong type": {[]string{"[crd.yaml]", "crd.yaml"}, []string{`mine.yaml:16: spec.install.crds: is "crd.yaml", a string; it must be a list: write [crd.yaml]`}},
		"wrong types": {
			[]string{"[crd.yaml]", "{a: b}", "launch:\n", "launch:\n    env: {A: 5, B: yes, C: 1e3, D: true, E: }\n    serial: 'true'\n"},
			[]string{
				"mine.yaml:16: spec.install.crds: is a mapping; it must be a list",
				`spec.launch.env.A: is 5, a number; it must be a string: write "5", with quotes`,
				`spec.launch.env.C: is 1e3, which YAML takes for 1000, a number; it must be a string: write "1e3", with quotes`,
				`spec.launch.env.D: is true, a boolean; it must be a string: write "true", with quotes`,
				"spec.launch.env.E: is null; it must be a string: write one, or leave the field out",
				`spec.launch.serial: is "true", a string; it must be true or false: write it without quotes`,
			},
		},
		"a word for true or false": {[]string{"launch:\n", "launch:\n    serial: maybe\n"}, []string{`mine.yaml:19: spec.launch.serial: is "maybe", a string; it must be true or false`}},
		"a list for a map": {
			[]string{"launch:\n", "launch:\n    env: [{name: A}]\n"},
			[]string{"spec.launch.env: is a list; it must be a mapping"},
		},
		"null characters": {
			[]string{"launch:\n", "launch:\n    env: {A: \"a\\0b\"}\n    namespaced: {args: [\"w\\0\"]}\n", "[./site]", `[./site, "x\0"]`},
			[]string{
				`spec.launch.command[1]: "x\x00" has a null character`, `spec.launch.env.A: "a\x00b" has a null character`,
				`spec.launch.namespaced.args[0]: "w\x00" has a null character`,
			},
		},
		"values that are long": {
			[]string{"[crd.yaml]", strings.Repeat("x", 5000), "name: mine\n", "name: |\n    -----BEGIN\n    a b\n"},
			[]string{
				`mine.yaml:18: spec.install.crds: is "` + strings.Repeat("x", 74) + "…" + strings.Repeat("x", 73) + `", a string; it must be a list: write [` +
					strings.Repeat("x", 74) + "…" + strings.Repeat("x", 74) + `]`,
			},
		},
		"resources that are none": {
			[]string{"claims: {", "claims: {exempt: [{resources: [pods/log, '*', Ingress, configmaps, ingresses.networking.k8s.io], why: x}], ", "[crd.yaml]", "[crd.yaml]\n    clusterWrites: [ClusterRole, '', nodes, namespaces]"},
			[]string{
				`spec.claims.exempt[0].resources[0]: "pods/log" is not a resource: write its plural and its group in lower case, such as ingresses.networking.k8s.io`,
				`spec.claims.exempt[0].resources[1]: "*" is not a resource`,
				`spec.claims.exempt[0].resources[2]: "Ingress" is not a resource`,
				`spec.install.clusterWrites[0]: "ClusterRole" is not a resource: write its plural and its group in lower case, such as clusterroles.rbac`,
				`spec.install.clusterWrites[1]: "" is not a resource`,
				`spec.install.clusterWrites[3]: "namespaces" are the bench's: no controller may write them`,
			},
		},
		"words of an older YAML": {
			[]string{"children:\n", "base: {a: yes, b: [Off, \"no\", 'y', yesterday], c: {on: !!str yes}}\n    root: {n: Y}\n    children:\n"},
			[]string{
				`mine.yaml:12: spec.contract.base.a: is yes, which is a text here, and true for kubectl: write "yes", with quotes, or true`,
				`mine.yaml:12: spec.contract.base.b[0]: is Off, which is a text here, and false for kubectl: write "Off", with quotes, or false`,
				`mine.yaml:12: spec.contract.base.c.on: the key is on, which is a text here, and true for kubectl: write "on", with quotes`,
				`mine.yaml:13: spec.contract.root.n: the key is n, which is a text here, and false for kubectl: write "n", with quotes`,
				`mine.yaml:13: spec.contract.root.n: is Y, which is a text here, and true for kubectl: write "Y", with quotes, or true`,
			},
		},
		"no default": {
			[]string{"  claims: {" + required + "}\n", ""},
			[]string{
				"mine.yaml:5: spec.claims.unowned: is required: what happens to an object that has a child's name and that nobody owns? Write refuse",
				"mine.yaml:5: spec.claims.cleanup: is required: who removes the children of a deleted object? Write gc",
				"mine.yaml:5: spec.claims.times.longestRetryPause: is required: how long",
			},
		},
		"container in two ways": {
			[]string{"deployment: {}", "deployment: {container: web, firstContainer: true}"},
			[]string{"mine.yaml:13: spec.contract.children.deployment: give either container or firstContainer"},
		},
		"a child of each object that is shared": {
			[]string{"deployment: {}", `deployment: {name: web}
      service: {name: web}
      shared: [{kind: Service, name: store}, {kind: Deployment, name: web}, {kind: Service, name: web}]`},
			[]string{
				"mine.yaml:15: spec.contract.children.shared[1]: Deployment web is the child that contract.children.deployment names: leave it out here if",
				"mine.yaml:15: spec.contract.children.shared[2]: Service web is the child that contract.children.service names",
			},
		},
		"what is shared, twice and with a template": {
			[]string{"deployment: {}", `deployment: {}
      shared: [{kind: Service, name: store}, {kind: Service, name: "{{ .name }}"}, {kind: Service, name: store}]`},
			[]string{"mine.yaml:14: spec.contract.children.shared[1].name", "mine.yaml:14: spec.contract.children.shared[2]"},
		},
		"container of an unknown key": {
			[]string{"deployment: {}", `deployment: {container: "{{ .nme }}"}`},
			[]string{"mine.yaml:13: spec.contract.children.deployment.container: unknown key {{ .nme }} (did you mean"},
		},
		"port of the Service that is not a port": {
			[]string{"deployment: {}", "deployment: {}\n      service: {port: {constant: http}}"},
			[]string{"mine.yaml:14: spec.contract.children.service.port.constant: is \"http\", a string; it must be a whole number"},
		},
		"fields in the wrong form": {
			[]string{"replicas: {path: spec.size}", "replicas: {path: spec.size, optional: true, as: list}\n      port: {condition: {type: Ready, status: \"True\"}}"},
			[]string{
				"mine.yaml:11: spec.contract.spec.replicas.optional: only the image can be optional",
				"mine.yaml:11: spec.contract.spec.replicas.as: only env can be written as a map or as a list, and only configMapRef as a name",
				"mine.yaml:12: spec.contract.spec.port.condition: only the phase can be a condition",
			},
		},
		"a ConfigMap as a list, and variables as a name": {
			[]string{"replicas: {path: spec.size}", "replicas: {path: spec.size}\n      configMapRef: {path: spec.config, as: list}\n      env: {path: spec.env, as: name}"},
			[]string{
				"mine.yaml:12: spec.contract.spec.configMapRef.as: only env can be written as a map or as a list, and only configMapRef as a name",
				"mine.yaml:13: spec.contract.spec.env.as: only env can be written as a map or as a list, and only configMapRef as a name",
			},
		},
		"path in a list of another field": {
			[]string{"replicas: {path: spec.size}", "replicas: {path: 'spec.image[0].size'}"},
			[]string{"mine.yaml:11: spec.contract.spec.replicas.path: spec.image[0].size lies at, above or below the path of spec.image"},
		},
		"path to no field": {
			[]string{"replicas: {path: spec.size}", "replicas: {path: spec}"},
			[]string{`mine.yaml:11: spec.contract.spec.replicas.path: "spec": a path leads from the root of the object to a field, such as spec.replicas`},
		},
		"path to the second of a list": {
			[]string{"replicas: {path: spec.size}", "replicas: {path: 'spec.sizes[1]'}"},
			[]string{`mine.yaml:11: spec.contract.spec.replicas.path: "spec.sizes[1]": `},
		},
		"missing field": {[]string{"    rbac: [rbac.yaml]\n", ""}, []string{"mine.yaml:15: spec.install.rbac: is required"}},
		"resources of the Nodes": {
			[]string{"[rbac.yaml]", "[rbac.yaml]\n    nodeResources: {memory: 8, requests.kubernetes.io/x: 1, nvidia.com/gpu: 0, example.com/a b: 1}"},
			[]string{
				`mine.yaml:18: spec.install.nodeResources.example.com/a b: "example.com/a b": name part must consist of`,
				`mine.yaml:18: spec.install.nodeResources.memory: "memory" is not an extended resource: want a name with a domain of its own, such as nvidia.com/gpu`,
				`mine.yaml:18: spec.install.nodeResources.nvidia.com/gpu: want at least 1`,
				`mine.yaml:18: spec.install.nodeResources.requests.kubernetes.io/x: "requests.kubernetes.io/x" is not an extended resource`,
			},
		},
		"empty list":     {[]string{"[crd.yaml]", "[]"}, []string{"mine.yaml:16: spec.install.crds: is empty: it must have at least one item"}},
		"syntax":         {[]string{"kind: Profile", "kind: [Profile"}, []string{"mine.yaml:1: not YAML: did not find expected ',' or ']'"}},
		"alias":          {[]string{"name: mine\n", "name: &x mine\n  labels: *x\n"}, []string{"mine.yaml:5: metadata.labels: an alias: write the value out"}},
		"another kind":   {[]string{"kind: Profile", "kind: Pod"}, []string{"mine.yaml:2: kind: is Pod; it must be Profile"}},
		"no apiVersion":  {[]string{"apiVersion: reconform.dev/v1alpha1\n", ""}, []string{"mine.yaml:1: apiVersion: is required: it must be reconform.dev/v1alpha1"}},
		"two documents":  {[]string{"    command: [./site]\n", "    command: [./site]\n---\na: b\n"}, []string{"mine.yaml:20: a second document: a file holds one Profile"}},
		"key not string": {[]string{"name: mine\n", "name: mine\n  1: x\n"}, []string{"mine.yaml:5: metadata.1: a key must be a string"}},
		"bad name":       {[]string{"name: mine\n", "name: My Own\n"}, []string{`mine.yaml:4: metadata.name: "My Own": a lowercase RFC 1123 label`}},
		"bad path":       {[]string{"spec.size", "size"}, []string{"mine.yaml:11: spec.contract.spec.replicas.path: "}},
		"path of the status": {
			[]string{"spec.size", "status.size"},
			[]string{"mine.yaml:11: spec.contract.spec.replicas.path: status.size: the path must start with spec."},
		},
		"path taken twice": {
			[]string{"spec.size", "spec.image.size"},
			[]string{"mine.yaml:11: spec.contract.spec.replicas.path: spec.image.size lies at, above or below the path of spec.image"},
		},
		"exempt from what it is judged by": {
			[]string{claims, "claims: {exempt: [{verbs: [get], resources: [services, sites.example.com], why: x}, {resources: [deployments.apps], why: x}], "},
			[]string{"mine.yaml:14: spec.claims.exempt[1]: deployments.apps is of the contract: only get, list and watch can be exempt"},
		},
		"path and constant": {
			[]string{"{path: spec.size}", "{path: spec.size, constant: 1}"},
			[]string{"mine.yaml:11: spec.contract.spec.replicas: give one of path, constant and condition"},
		},
		"constant of a wrong type": {
			[]string{"{path: spec.image}", "{constant: 1}", "{path: spec.size}", "{constant: one}"},
			[]string{`mine.yaml:10: spec.contract.spec.image.constant: is 1, a number; it must be a string: write "1", with quotes`, `mine.yaml:11: spec.contract.spec.replicas.constant: is "one", a string; it must be a whole number`},
		},
		"base on a path": {
			[]string{"    children:\n", "    base: {size: 3}\n    children:\n"},
			[]string{"mine.yaml:12: spec.contract.base: sets spec.size, which is the path of replicas"},
		},
		"template of the base": {
			[]string{"    children:\n", "    base: {a: [\"{{ .nam }}\"]}\n    children:\n"},
			[]string{`mine.yaml:12: spec.contract.base.a[0]: unknown key {{ .nam }} (did you mean ".name"?); allowed: .name`},
		},
		"template of a name": {
			[]string{"deployment: {}", `deployment: {name: "{{ .spec.title }}"}`},
			[]string{"mine.yaml:13: spec.contract.children.deployment.name: unknown key {{ .spec.title }}; allowed: .name, .spec.image.*, .spec.size.*"},
		},
		"template with a function": {
			[]string{"deployment: {}", `deployment: {name: "{{ printf .name }}"}`},
			[]string{"{{printf .name}} is not allowed: a template may only name a key"},
		},
		"broken template": {
			[]string{"deployment: {}", `deployment: {name: "{{ .name"}`},
			[]string{"mine.yaml:13: spec.contract.children.deployment.name: not a template: "},
		},
		"port not declared": {
			[]string{"[./site]", "[./site, \"--at={{ .ports.web }}\"]\n    ports: [web1]\n    ready: {httpGet: {port: web, path: /}}"},
			[]string{
				`mine.yaml:19: spec.launch.command[1]: unknown key {{ .ports.web }} (did you mean ".ports.web1"?); allowed: .namespace, .served, .ports.web1`,
				`mine.yaml:21: spec.launch.ready.httpGet.port: no port "web" is declared (did you mean "web1"?); declared in launch.ports and launch.fixedPorts: web1`,
			},
		},
		"endpoint on a bad path": {
			[]string{"[./site]", "[./site]\n    ports: [web]\n    endpoints:\n      metrics: {port: wep}\n      health: {port: web, path: healthz}"},
			[]string{`mine.yaml:23: spec.launch.endpoints.health.path: "healthz": the path of a URL begins with a slash`},
		},
		"endpoint on no port": {
			[]string{"[./site]", "[./site]\n    ports: [web]\n    endpoints:\n      metrics: {port: wep}"},
			[]string{`mine.yaml:22: spec.launch.endpoints.metrics.port: no port "wep" is declared (did you mean "web"?); declared in launch.ports and launch.fixedPorts: web`},
		},
		"metric with labels": {
			[]string{claims, "claims: {metrics: {errors: 'done{result=\"error\"}'}, "},
			[]string{`mine.yaml:14: spec.claims.metrics.errors: `},
		},
		"port that no template can name": {
			[]string{"[./site]", "[./site]\n    ports: [web-1]"},
			[]string{`mine.yaml:20: spec.launch.ports[0]: "web-1" cannot be named in a template`},
		},
		"no command": {
			[]string{"    command: [./site]\n", "    ports: [web]\n"},
			[]string{"mine.yaml:18: spec.launch.command: is required"},
		},
		"fixed ports": {
			[]string{"[./site]", "[./site]\n    ports: [web]\n    fixedPorts: {web: 80, w-b: 81, debug: 80, far: 65536}"},
			[]string{
				`mine.yaml:21: spec.launch.fixedPorts.far: 65536 is not a port; allowed: 1 to 65535`,
				`mine.yaml:21: spec.launch.fixedPorts.w-b: "w-b" cannot be named in a template`,
				"mine.yaml:21: spec.launch.fixedPorts.web: is also in launch.ports",
				"mine.yaml:21: spec.launch.fixedPorts.web: 80 is the port debug",
			},
		},
		"variables of the bench": {
			[]string{"[./site]", "[./site]\n    env: {KUBECONFIG: x, a b: c}"},
			[]string{`mine.yaml:20: spec.launch.env.KUBECONFIG: KUBECONFIG is set by the bench itself: leave it out, or give it the value "" so`, `mine.yaml:20: spec.launch.env.a b: "a b": `},
		},
		"variables of the API server": {
			[]string{"[./site]", "[./site]\n    env: {KUBERNETES_CLUSTER_DOMAIN: cluster.local, KUBERNETES_MIN_VERSION: v1.28.0, KUBERNETES_PORT: a, KUBERNETES_SERVICE_PORT_HTTPS: b, KUBERNETES_PORTAL: c}"},
			[]string{
				"mine.yaml:20: spec.launch.env.KUBERNETES_PORT: KUBERNETES_PORT is set by the bench itself: leave it out",
				"mine.yaml:20: spec.launch.env.KUBERNETES_SERVICE_PORT_HTTPS: KUBERNETES_SERVICE_PORT_HTTPS is set by the bench itself: leave it out",
			},
		},
		"unknown feature": {
			[]string{claims, "claims: {features: [statuss], "},
			[]string{`mine.yaml:14: spec.claims.features[0]: unsupported value "statuss" (did you mean "status"?); allowed: `},
		},
		"feature twice": {
			[]string{claims, "claims: {features: [quiet, quiet], "},
			[]string{`mine.yaml:14: spec.claims.features[1]: Duplicate value: "quiet"`},
		},
		"features without what they need": {
			[]string{claims + required + "}", "claims:\n    features:\n      - leader-election\n      - error-reporting\n      - events\n      - service\n      - phase\n      - fenced\n      - metrics\n    unowned: refuse\n    cleanup: gc\n    times: {longestRetryPause: 30s}"},
			[]string{
				"mine.yaml:16: spec.claims.features[0]: leader-election is claimed, which needs launch.leaderElection",
				"mine.yaml:16: spec.claims.features[0]: leader-election is claimed, which needs claims.times.lease",
				"mine.yaml:17: spec.claims.features[1]: error-reporting is claimed, which needs claims.reporting",
				"mine.yaml:18: spec.claims.features[2]: events is claimed, which needs claims.events.created",
				"mine.yaml:19: spec.claims.features[3]: service is claimed, which needs contract.children.service",
				"mine.yaml:20: spec.claims.features[4]: phase is claimed, which needs contract.status.phase",
				"mine.yaml:22: spec.claims.features[6]: metrics is claimed, which needs launch.endpoints.metrics, or a port named metrics in launch.ports",
			},
		},
		"bad durations": {
			[]string{times, "times: {resync: soon, shutdownGrace: 5, "},
			[]string{
				`mine.yaml:14: spec.claims.times.shutdownGrace: is 5, a number; it must be a time with its unit, such as 5s`,
				`mine.yaml:14: spec.claims.times.resync: "soon" is not a duration; allowed: numbers with a unit, such as 500ms, 30s, 1m30s`,
			},
		},
		"bad duration": {
			[]string{times, "times: {resync: soon, "},
			[]string{`mine.yaml:14: spec.claims.times.resync: "soon" is not a duration; allowed: numbers with a unit, such as 500ms, 30s, 1m30s`},
		},
		"pause that nobody waits for": {
			[]string{"longestRetryPause: 30s", "longestRetryPause: 2000000h"},
			[]string{`mine.yaml:14: spec.claims.times.longestRetryPause: "2000000h" is out of range; allowed: 0s to 168h0m0s`},
		},
		"pauses in two ways": {
			[]string{"longestRetryPause: 30s", "longestRetryPause: 30s, retry: {first: 1s, factor: 2, longest: 30s}"},
			[]string{`mine.yaml:14: spec.claims.times.longestRetryPause: is given beside retry, which has its own longest: give one of the two`},
		},
		"a schedule that ends before it begins": {
			[]string{"longestRetryPause: 30s", "retry: {first: 1m, factor: 2, longest: 30s}"},
			[]string{`mine.yaml:14: spec.claims.times.retry.longest: must not be shorter than first, 1m0s`},
		},
		"pauses that shrink": {
			[]string{"longestRetryPause: 30s", "retry: {first: soon, factor: 0.5, longest: 30s}"},
			[]string{`mine.yaml:14: spec.claims.times.retry.factor: `, `mine.yaml:14: spec.claims.times.retry.first: "soon" is not a duration`},
		},
		"a first pause of no time": {
			[]string{"longestRetryPause: 30s", "retry: {first: soon, factor: 2, longest: 30s}"},
			[]string{`mine.yaml:14: spec.claims.times.retry.first: "soon" is not a duration`},
		},
		"negative time": {
			[]string{times, "times: {resync: -1s, "},
			[]string{`mine.yaml:14: spec.claims.times.resync: "-1s" is out of range; allowed: 0s to 168h0m0s`},
		},
		"names that no object may have": {
			[]string{"deployment: {}", `deployment: {name: "{{ .name }}_Web", container: a.b}` + "\n      service: {name: \"{{ .name }}-" + strings.Repeat("x", 60) + "\"}"},
			[]string{
				`mine.yaml:13: spec.contract.children.deployment.name: "{{ .name }}_Web" names no object: a lowercase RFC 1123 subdomain`,
				`mine.yaml:13: spec.contract.children.deployment.container: "a.b" names no object: must not contain dots`,
				`names no object: must be no more than 63`,
			},
		},
		"Lease that none may be": {
			[]string{"[./site]", "[./site]\n    leaderElection: {lease: {name: My Lease}}"},
			[]string{`mine.yaml:20: spec.launch.leaderElection.lease.name: "My Lease" names no object: a lowercase RFC 1123 subdomain`},
		},
		"old names of arguments": {
			[]string{"[./site]", "[./site]\n    leaderElection: {on: [-a], off: [-b], lease: {name: x}}"},
			[]string{
				"mine.yaml:20: spec.launch.leaderElection.on: is now called enabled: other YAML parsers read on and off as true and false",
				"mine.yaml:20: spec.launch.leaderElection.off: is now called disabled",
			},
		},
		"lease times": {
			[]string{times, "times: {lease: {duration: 5s, renewDeadline: 5s, retryPeriod: 6s}, "},
			[]string{"renewDeadline: must be longer than the retryPeriod, 6s", "lease.duration: must be longer than the renewDeadline, 5s"},
		},
		"default out of bounds": {
			[]string{"    children:\n", "    bounds: {replicas: {minimum: 2, maximum: 4}, port: {minimum: 1, maximum: 2}}\n    defaults: {replicas: 1}\n    children:\n"},
			[]string{"mine.yaml:12: spec.contract.bounds.port: there is no contract.spec.port.path", "mine.yaml:13: spec.contract.defaults.replicas: 1 lies outside of the bounds, 2 to 4"},
		},
		"phases": {
			[]string{"    children:\n", "    phases: {Runing: Up}\n    children:\n"},
			[]string{"spec.contract.phases: there is no contract.status.phase", `spec.contract.phases.Runing: unknown phase (did you mean "Running"?); allowed: Pending, Deploying, Running, Degraded`},
		},
		"webhooks at no port": {
			[]string{"rbac: [rbac.yaml]", "rbac: [rbac.yaml]\n    webhooks: [hooks.yaml]", "[./site]", "[./site, \"{{ .certificates }}\"]"},
			[]string{
				"mine.yaml:18: spec.install.webhooks: needs launch.webhook, which says at which port they are served",
				"mine.yaml:20: spec.launch.command[1]: unknown key {{ .certificates }}; allowed: .namespace, .served",
			},
		},
		"webhook at an unknown port": {
			[]string{"[./site]", "[./site]\n    webhook: {port: hook}"},
			[]string{`mine.yaml:20: spec.launch.webhook.port: no port "hook" is declared; declared in launch.ports and launch.fixedPorts: none`},
		},
		"webhook without manifests": {
			[]string{claims, "claims: {features: [webhook], "},
			[]string{"mine.yaml:14: spec.claims.features[0]: webhook is claimed, which needs install.webhooks"},
		},
		"lease in a fixed namespace": {
			[]string{"[./site]", "[./site]\n    leaderElection: {lease: {name: x, namespace: y}}"},
			[]string{"spec.launch.leaderElection.lease.namespace: scenarios that run at the same time would share this Lease"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("mine.yaml", []byte(edit(t, minimal, tc.edits...)))
			got := []string{}
			if err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if len(got) != len(tc.want) {
				t.Fatalf("got %d problems, want %d:\n%v", len(got), len(tc.want), err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("missing %q in\n%v", want, err)
				}
			}
		})
	}
}

func TestResolve(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte(minimal), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ arg, name, err string }{
		{arg: "", name: "reference"},
		{arg: "sample-controller", name: "sample-controller"},
		{arg: builtin + "reference.yaml", name: "reference"},
		{arg: file, name: "mine"},
		{arg: "refrence", err: `no profile "refrence" among the `},
		{arg: "refrence", err: `(did you mean "reference"?); a file is named with a slash or .yaml, as in ./refrence.yaml`},
		{arg: "https://example.com/mine.yaml", err: "profile https://example.com/mine.yaml is not a file, and nothing is fetched here: download it, and name the file; the files that it names are needed, too"},
		{arg: "./mine", err: "profile ./mine: no such file (reconform init writes one)"},
	} {
		p, err := Resolve(tc.arg)
		switch {
		case tc.err == "" && err != nil:
			t.Errorf("%q: %v", tc.arg, err)
		case tc.err == "" && p.Name != tc.name:
			t.Errorf("%q: got profile %s", tc.arg, p.Name)
		case tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)):
			t.Errorf("%q: got error %v, want %s", tc.arg, err, tc.err)
		}
	}
}

// TestEndless: a file that has no end is not read.
func TestEndless(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(large, make([]byte, maxProfile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"/dev/zero": "reading profile /dev/zero: not a regular file",
		large:       "larger than 1024 KiB",
	} {
		if _, err := Load(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", file, err, want)
		}
	}
	if _, err := manifest.Read("/dev/zero", nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a manifest: got %v", err)
	}
}

// FuzzParse looks for profiles that break the reader instead of being refused.
func FuzzParse(f *testing.F) {
	f.Add([]byte(minimal))
	for _, name := range []string{"reference.yaml", "sample-controller.yaml"} {
		data, err := os.ReadFile(builtin + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("? {a: b}\n: c"))
	f.Add([]byte("spec: .nan\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("fuzz.yaml", data)
		if (p == nil) == (err == nil) {
			t.Fatalf("got profile %v and error %v", p, err)
		}
	})
}

// TestExample loads the example that authors copy.
func TestExample(t *testing.T) {
	const file = "../../docs/profile.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "```yaml\n")
	if !found {
		t.Fatalf("no example in %s", file)
	}
	example, _, _ := strings.Cut(after, "```\n")
	if _, err := Parse(file, []byte(example)); err != nil {
		t.Error(err)
	}
}
