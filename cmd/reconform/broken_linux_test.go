package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/discover"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
)

// Each visit takes half a minute, so most broken profiles are held against one record.
var everyVisit = flag.Bool("every-visit", false, "visit the controller for each broken profile")

// brokenProfile is the reference's profile with a mistake in it.
type brokenProfile struct {
	// edits are pairs of what stands there, and of what stands there instead.
	edits []string
	// want is a part of what validate says.
	want string
	// visited: the mistake changes what happens to the controller.
	visited bool
	// long: and that takes the most of a minute.
	long bool
}

func brokenProfiles() map[string]brokenProfile {
	const (
		command = "- ../../bin/manager\n"
		rbac    = "rbac: [../../controller/config/rbac]"
		lease   = "lease: {name: webapp-controller}"
	)
	fixture := func(name string) string { return "../../cmd/reconform/testdata/broken/" + name }
	return map[string]brokenProfile{
		// Before anything is started.
		"a group that is not the CRD's":       {edits: []string{"group: apps.kubedojo.io", "group: kubedojo.io"}, want: "install.crds do not define webapps.kubedojo.io; they define: webapps.apps.kubedojo.io"},
		"a version that is not served":        {edits: []string{"version: v1beta1", "version: v1"}, want: "spec.contract.resource"},
		"another plural":                      {edits: []string{"plural: webapps", "plural: apps"}, want: "spec.contract.resource"},
		"another kind":                        {edits: []string{"kind: WebApp", "kind: WebSite"}, want: "spec.contract.resource"},
		"a CRD that is not there":             {edits: []string{"config/crd/bases]", "config/crd/base]"}, want: "spec.install.crds[0]"},
		"roles that are not there":            {edits: []string{"config/rbac]", "config/roles]"}, want: "spec.install.rbac[0]"},
		"a program that is not there":         {edits: []string{"bin/manager", "bin/managr"}, want: "spec.launch.command[0]: no program"},
		"a path that the CRD lacks":           {edits: []string{"image: {path: spec.image}", "image: {path: spec.container.image}"}, want: "spec.contract.spec.image.path: the CRD has no spec.container.image"},
		"a status path that the CRD lacks":    {edits: []string{"status.readyReplicas", "status.ready"}, want: "spec.contract.status.readyReplicas.path: the CRD has no status.ready"},
		"a path of another type":              {edits: []string{"port: {path: spec.port}", "port: {path: spec.configMapRef}", "configMapRef: {path: spec.configMapRef}", "configMapRef: {path: spec.port}"}, want: "spec.contract.spec.port.path: spec.configMapRef is of type object"},
		"a list that is a map":                {edits: []string{"env: {path: spec.env}", "env: {path: spec.env, as: list}"}, want: "spec.contract.spec.env.path: spec.env is of type object in the CRD; env is of type array"},
		"a feature without what it needs":     {edits: []string{"    reporting:\n      condition: {type: Degraded, status: \"True\"}\n", ""}, want: "error-reporting is claimed, which needs claims.reporting"},
		"a port that nothing declares":        {edits: []string{"ports: [metrics, health]", "ports: [metrics]"}, want: "unknown key {{ .ports.health }}"},
		"a template of a key that is unknown": {edits: []string{"container: app", `container: "{{ .nme }}"`}, want: "unknown key {{ .nme }}"},

		// What was seen of the controller.
		"another container":             {edits: []string{"container: app", "container: web"}, want: "Deployment first-look has: app"},
		"another name of Deployments":   {edits: []string{`deployment: {name: "{{ .name }}"`, `deployment: {name: "{{ .name }}-web"`}, want: "Deployments that came: first-look"},
		"another name of Services":      {edits: []string{`service: {name: "{{ .name }}"}`, `service: {name: "svc-{{ .name }}"}`}, want: "Services that came: first-look"},
		"counts that are exchanged":     {edits: []string{"{path: status.readyReplicas}", "{path: status.observedGeneration}", "observedGeneration: {path: status.observedGeneration}", "observedGeneration: {path: status.readyReplicas}"}, want: "does not follow the Deployment's ready Pods; status.readyReplicas does"},
		"a condition that never comes":  {edits: []string{"type: Degraded", "type: Stalled"}, want: "no WebApp had a condition Stalled"},
		"children known by labels":      {edits: []string{"unowned: refuse", "unowned: refuse\n    ownership: labels"}, want: "spec.claims.ownership: labels; it looks like reference"},
		"cleanup of its own":            {edits: []string{"cleanup: gc", "cleanup: controller"}, want: "spec.claims.cleanup: controller; it looks like gc"},
		"orphans that are adopted":      {edits: []string{"unowned: refuse", "unowned: adopt"}, want: "spec.claims.unowned: adopt; it looks like refuse"},
		"another default":               {edits: []string{"defaults: {replicas: 2", "defaults: {replicas: 1"}, want: "spec.contract.defaults.replicas: 1; the CRD says 2"},
		"other bounds":                  {edits: []string{"maximum: 50}", "maximum: 100}"}, want: "1 to 100; the CRD says 1 to 50"},
		"another column":                {edits: []string{"Phase, Age]", "State, Age]"}, want: "the CRD has no column State"},
		"another reason of an Event":    {edits: []string{"created: DeploymentCreated", "created: Created"}, want: "no Event had the reason Created; reasons that were seen: CreateFailed, DeploymentCreated"},
		"a finalizer that it lacks":     {edits: []string{"      - foreign-fields\n", "      - finalizer\n      - foreign-fields\n"}, want: "finalizer is claimed, and its objects had no finalizer"},
		"another name of a metric":      {edits: []string{"    metrics:\n", "    metrics:\n      reconciles: webapp_syncs_total\n"}, want: "/metrics has no metric webapp_syncs_total"},
		"a port where nothing listens":  {edits: []string{"ports: [metrics, health]\n", "ports: [metrics, health]\n    fixedPorts: {debug: 6060}\n", "ports: {metrics: 8080, health: 8081}", "ports: {metrics: 8080, health: 8081, debug: 6060}"}, want: "it does not listen on 6060; ports where it does: "},
		"another Lease":                 {edits: []string{lease, "lease: {name: leader}"}, want: "the Lease is called webapp-controller; the profile says leader"},
		"another duration of the Lease": {edits: []string{"lease: {duration: 15s", "lease: {duration: 60s"}, want: "the Lease says 15s"},

		// Where it comes to other things.
		"another path of health":             {edits: []string{"    ready:\n", "    endpoints: {health: {port: health, path: /alive}}\n    ready:\n"}, want: "no port answered 200 at /alive; paths that did: /healthz, /metrics, /readyz"},
		"an election that is off":            {visited: true, long: true, edits: []string{"enabled: [--leader-elect=true]", "enabled: [--leader-elect=false]"}, want: "the controller asked for no Lease with the arguments --leader-elect=false"},
		"fields that are exchanged":          {visited: true, edits: []string{"replicas: {path: spec.replicas}", "replicas: {path: spec.port}", "port: {path: spec.port}", "port: {path: spec.replicas}"}, want: "spec.replicas"},
		"a probe that does not answer":       {visited: true, long: true, edits: []string{"path: /readyz", "path: /ready"}, want: "the controller is not ready after"},
		"an argument that it lacks":          {visited: true, edits: []string{command, command + "      - --no-such-flag\n"}, want: "flag provided but not defined: -no-such-flag"},
		"the namespace that it lives in":     {visited: true, long: true, edits: []string{command, command + "      - --namespaces={{ .namespace }}\n"}, want: "spec.install.inServedNamespace: the controller asks for each WebApp in the namespace that it lives in"},
		"a program that ends at once":        {visited: true, edits: []string{"../../bin/manager", fixture("ends")}, want: "I have nothing to do"},
		"a program that never does anything": {visited: true, long: true, edits: []string{"../../bin/manager", fixture("sleeps")}, want: "the controller has not asked the API server for anything"},
		"roles that give no rights":          {visited: true, long: true, edits: []string{rbac, "rbac: [" + fixture("no-rights.yaml") + "]"}, want: "403"},
	}
}

// TestBrokenProfiles: validate says what is wrong with a profile.
func TestBrokenProfiles(t *testing.T) {
	t.Parallel()
	startsControlPlane(t)
	const sound = "../../fixtures/profiles/reference.yaml"
	text, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}
	record := visited(t, sound)
	dir, err := os.MkdirTemp(filepath.Dir(sound), ".broken-") // the paths in it are relative
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for name, broken := range brokenProfiles() {
		t.Run(name, func(t *testing.T) {
			changed := strings.ReplaceAll(replace(t, string(text), broken.edits), "../../", "../../../")
			file := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".yaml")
			if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			said := ""
			if broken.long && !*everyVisit {
				t.Skip("takes the most of a minute: go test ./cmd/reconform -run TestBrokenProfiles -args -every-visit")
			}
			if broken.visited || *everyVisit {
				status, stdout, stderr := run(t, "validate", file)
				if status != statusUsage {
					t.Errorf("status %d, want %d; %s", status, statusUsage, stdout)
				}
				said = stderr
			} else {
				said = complaint(file, record)
			}
			t.Log(said)
			if !strings.Contains(said, broken.want) {
				t.Errorf("it says nothing of %q:\n%s", broken.want, said)
			}
		})
	}
}

// visited is the record of a visit to the controller of a profile.
func visited(t *testing.T, file string) *infer.Record {
	p, err := loadToStart(file)
	if err != nil {
		t.Fatal(err)
	}
	screen := report.NewConsole(t.Output())
	defer screen.Close()
	record, err := discover.Look(t.Context(), p, runner.SessionOptions{Dir: t.TempDir(), Console: screen})
	if err != nil {
		t.Fatal(err)
	}
	doubts, err := discover.Compare(p, record)
	if err != nil {
		t.Fatalf("the profile does not fit from the start: %v", err)
	}
	// On a busy machine a sound controller may write what changes nothing. A run judges that.
	t.Logf("doubts: %v", doubts)
	return record
}

// complaint is what validate says by this record.
func complaint(file string, record *infer.Record) string {
	p, err := loadToStart(file)
	if err == nil {
		err = p.CheckTypes()
	}
	if err == nil {
		_, err = discover.Compare(p, record)
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

func replace(t *testing.T, text string, edits []string) string {
	for i := 0; i < len(edits); i += 2 {
		if !strings.Contains(text, edits[i]) {
			t.Fatalf("nothing to replace: %q", edits[i])
		}
		text = strings.Replace(text, edits[i], edits[i+1], 1)
	}
	return text
}
