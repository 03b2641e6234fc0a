package reconform_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// action is the GitHub action of this repository.
type action struct {
	Description string
	Inputs      map[string]struct {
		Description, Default string
		Required             bool
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	ID, If, Name, Shell, Run, Uses string
	Env, With                      map[string]any
}

func readAction(t *testing.T) (action, string) {
	t.Helper()
	text, err := os.ReadFile("action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return a, string(text)
}

// TestActionIsDocumented: each input and output says what it is, is used, and is in the
// document.
func TestActionIsDocumented(t *testing.T) {
	a, text := readAction(t)
	document, err := os.ReadFile("docs/test-your-controller.md")
	if err != nil {
		t.Fatal(err)
	}
	said := func(name, description string) {
		if description == "" {
			t.Errorf("%s has no description", name)
		}
		if !strings.Contains(string(document), "`"+name+"`") {
			t.Errorf("the document does not name %s", name)
		}
	}
	for name, input := range a.Inputs {
		said(name, input.Description)
		if !strings.Contains(text, "inputs."+name) {
			t.Errorf("the input %s is not used", name)
		}
	}
	for name, output := range a.Outputs {
		said(name, output.Description)
		step := "judge"
		if strings.HasPrefix(name, "explore") {
			step = "explore"
		}
		if output.Value != "${{ steps."+step+".outputs."+name+" }}" {
			t.Errorf("the output %s is %s", name, output.Value)
		}
	}
	if a.Runs.Using != "composite" || len(a.Inputs) == 0 || len(a.Outputs) == 0 {
		t.Errorf("it is not what it was: %+v", a)
	}
}

// TestActionTakesEmptyForDefault: an input that a workflow gives as an empty text, such as a
// variable that is not set, counts as left out.
func TestActionTakesEmptyForDefault(t *testing.T) {
	a, _ := readAction(t)
	for name, input := range a.Inputs {
		if input.Default == "" {
			continue
		}
		want := fmt.Sprintf("${{ inputs.%s || '%s' }}", name, input.Default)
		for _, step := range a.Runs.Steps {
			for variable, value := range step.Env {
				if got := fmt.Sprint(value); strings.Contains(got, "inputs."+name) && got != want {
					t.Errorf("%s: %s is %s, want %s", step.Name, variable, got, want)
				}
			}
		}
	}
}

// TestActionIsSafe: no expression is written into a script, where its value could
// become code, and actions of others are pinned.
func TestActionIsSafe(t *testing.T) {
	a, _ := readAction(t)
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40}$`)
	for _, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("step %q: an expression in a script; give it by env", step.Name)
		}
		if step.Uses != "" && !pinned.MatchString(step.Uses) {
			t.Errorf("%s is not pinned by its commit", step.Uses)
		}
		if step.Run == "" {
			continue
		}
		check := exec.CommandContext(t.Context(), "bash", "-n")
		check.Stdin = strings.NewReader(step.Run)
		if said, err := check.CombinedOutput(); err != nil || step.Shell != "bash" {
			t.Errorf("step %q (%s): %v\n%s", step.Name, step.Shell, err, said)
		}
	}
}

// runStep runs the script of a step as GitHub does, in a folder, and returns its outputs.
func runStep(t *testing.T, id, dir string, environment map[string]string) (outputs, said string, err error) {
	t.Helper()
	a, _ := readAction(t)
	i := slices.IndexFunc(a.Runs.Steps, func(s actionStep) bool { return s.ID == id })
	if i < 0 {
		t.Fatalf("no step %s", id)
	}
	step := a.Runs.Steps[i]
	file := filepath.Join(t.TempDir(), "outputs")
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GITHUB_OUTPUT="+file)
	for name := range step.Env {
		cmd.Env = append(cmd.Env, name+"="+environment[name])
	}
	for _, name := range slices.Sorted(maps.Keys(environment)) {
		cmd.Env = append(cmd.Env, name+"="+environment[name])
	}
	output, err := cmd.CombinedOutput()
	written, _ := os.ReadFile(file)
	return string(written), string(output), err
}

const everyOutput = `judged=yes
verdict=Partial
report=my reports/conformance-report.yaml
summary=my reports/summary.md
junit=my reports/junit.xml
badge=my reports/badge.svg
shield=my reports/badge.json
`

func TestActionJudges(t *testing.T) {
	for name, tc := range map[string]struct {
		status    int
		selector  string
		known     string
		versions  string
		writes    bool // whether it writes a report over the earlier one
		arguments []string
		outputs   string
	}{
		"passes": {writes: true, arguments: []string{"run", "--profile=$(touch broken).yaml", "--timeout-scale=1", "--report-dir=my reports"}, outputs: everyOutput},
		"selects": {
			status: 1, selector: `slow!=true"; touch broken; "`, writes: true, outputs: everyOutput,
			arguments: []string{
				"run", "--profile=$(touch broken).yaml", "--timeout-scale=1", "--report-dir=my reports", `--selector=slow!=true"; touch broken; "`,
			},
		},
		"with known failures": {
			known: "$(touch broken)", writes: true, outputs: everyOutput,
			arguments: []string{"run", "--profile=$(touch broken).yaml", "--timeout-scale=1", "--report-dir=my reports", "--known=$(touch broken)"},
		},
		"on one version": {
			versions: "1.35", writes: true, outputs: everyOutput,
			arguments: []string{"run", "--profile=$(touch broken).yaml", "--timeout-scale=1", "--report-dir=my reports", "--kubernetes=1.35"},
		},
		"on several": { // each has its report in a folder of its own
			versions: "1.34,1.37", writes: true, outputs: "judged=yes\n",
			arguments: []string{"run", "--profile=$(touch broken).yaml", "--timeout-scale=1", "--report-dir=my reports", "--kubernetes=1.34,1.37"},
		},
		"fails on one of several": {
			status: 1, versions: "1.34,1.37", writes: true, outputs: "judged=yes\n",
			arguments: []string{"run", "--profile=$(touch broken).yaml", "--timeout-scale=1", "--report-dir=my reports", "--kubernetes=1.34,1.37"},
		},
		"breaks on one of several": {
			status: 3, versions: "1.34,1.37",
			arguments: []string{"run", "--profile=$(touch broken).yaml", "--timeout-scale=1", "--report-dir=my reports", "--kubernetes=1.34,1.37"},
		},
		"is refused": {
			status:    2,
			arguments: []string{"run", "--profile=$(touch broken).yaml", "--timeout-scale=1", "--report-dir=my reports"},
		},
		"breaks after a verdict": {
			status: 3, writes: true, outputs: everyOutput,
			arguments: []string{"run", "--profile=$(touch broken).yaml", "--timeout-scale=1", "--report-dir=my reports"},
		},
		"breaks before": { // the earlier report is put back
			status:    3,
			arguments: []string{"run", "--profile=$(touch broken).yaml", "--timeout-scale=1", "--report-dir=my reports"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			program := "#!/bin/bash\nprintf '%s\\n' \"$@\" > arguments\n"
			if tc.writes {
				file := "my reports/conformance-report.yaml"
				if strings.Contains(tc.versions, ",") {
					file = "my reports/v1.34.4/conformance-report.yaml"
				}
				program += "mkdir -p \"$(dirname '" + file + "')\" && printf 'kind: ConformanceReport\\nverdict: Partial\\n' > '" + file + "'\n"
			}
			command := writeProgram(t, dir, "reconform", program+fmt.Sprintf("exit %d\n", tc.status))
			writeEarlier(t, dir, "my reports/conformance-report.yaml", "kind: ConformanceReport\nverdict: Conformant\n")
			outputs, said, err := runStep(t, "judge", dir, map[string]string{
				"COMMAND": command, "PROFILE": "$(touch broken).yaml", "TIMEOUT_SCALE": "1", "REPORT_DIR": "my reports", "SELECTOR": tc.selector,
				"KUBERNETES": tc.versions, "KNOWN": tc.known,
			})
			status := 0
			if exit := (*exec.ExitError)(nil); err != nil {
				exit, _ = err.(*exec.ExitError)
				status = exit.ExitCode()
			}
			if status != tc.status {
				t.Errorf("status %d, want %d\n%s", status, tc.status, said)
			}
			got, err := os.ReadFile(filepath.Join(dir, "arguments"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Join(tc.arguments, "\n")+"\n", string(got)); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.outputs, outputs); diff != "" {
				t.Errorf("outputs (-want +got):\n%s", diff)
			}
			if _, err := os.Stat(filepath.Join(dir, "broken")); err == nil {
				t.Error("an input was a command")
			}
		})
	}
}

// writeProgram writes a script into a folder, and returns its path.
func writeProgram(t *testing.T, dir, name, script string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// writeEarlier writes a file of an earlier run below a folder.
func writeEarlier(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestActionTellsOfThisExploration: the outputs are of the exploration that the action has
// carried out, not of an earlier one whose report is still there.
func TestActionTellsOfThisExploration(t *testing.T) {
	for name, tc := range map[string]struct {
		writes  bool
		outputs string
	}{
		"it wrote a report": {true, "explored=Diverges\nexplore-report=reports-explore/explore-report.yaml\n"},
		"it wrote none":     {},
	} {
		dir := t.TempDir()
		program := "#!/bin/bash\n"
		if tc.writes {
			program += "printf 'kind: ExploreReport\\nverdict: Diverges\\n' > reports-explore/explore-report.yaml\n"
		}
		writeEarlier(t, dir, "reports-explore/explore-report.yaml", "kind: ExploreReport\nverdict: Converges\n")
		outputs, said, err := runStep(t, "explore", dir, map[string]string{
			"COMMAND": writeProgram(t, dir, "reconform", program+"exit 3\n"), "PROFILE": "mine.yaml", "BUDGET": "5m", "REPORT_DIR": "reports",
		})
		if diff := cmp.Diff(tc.outputs, outputs); diff != "" || err == nil {
			t.Errorf("%s: %v, outputs (-want +got):\n%s\n%s", name, err, diff, said)
		}
	}
}

// TestActionExploresOn: it is explored on one version of Kubernetes, the first that it is judged on.
func TestActionExploresOn(t *testing.T) {
	for versions, want := range map[string]string{"": "", "1.35": "--kubernetes=1.35\n", "1.34,1.37": "--kubernetes=1.34\n"} {
		dir := t.TempDir()
		command := filepath.Join(dir, "reconform")
		if err := os.WriteFile(command, []byte("#!/bin/bash\nprintf '%s\\n' \"$@\" > arguments\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, said, err := runStep(t, "explore", dir, map[string]string{
			"COMMAND": command, "PROFILE": "mine.yaml", "BUDGET": "5m", "REPORT_DIR": "reports/", "KUBERNETES": versions,
		}); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		got, err := os.ReadFile(filepath.Join(dir, "arguments"))
		if err != nil {
			t.Fatal(err)
		}
		want := "explore\n--profile=mine.yaml\n--budget=5m\n--report-dir=reports-explore\n" + want
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("on %q: arguments (-want +got):\n%s", versions, diff)
		}
	}
}

// TestActionExploresWhatWasJudged: also a controller that is not conformant is explored, on one
// version of Kubernetes and on several.
func TestActionExploresWhatWasJudged(t *testing.T) {
	a, _ := readAction(t)
	i := slices.IndexFunc(a.Runs.Steps, func(s actionStep) bool { return s.ID == "explore" })
	if got, want := a.Runs.Steps[i].If, "${{ !cancelled() && inputs.explore-budget != '' && steps.judge.outputs.judged != '' }}"; got != want {
		t.Errorf("it explores if %s, want %s", got, want)
	}
}

// TestActionGetsVersions: each version of Kubernetes that is asked for comes from the archive
// of the release, by its full name, or is built.
func TestActionGetsVersions(t *testing.T) {
	const from = "--from https://example.com/owner/name/releases/download/v1.2.3/kubernetes-"
	for name, tc := range map[string]struct {
		versions, release string
		asked             string // of the command, or of make
		status            int
	}{
		"one of a release":     {versions: "1.35", release: "v1.2.3", asked: "assets get 1.35 " + from + "v1.35.4-linux-amd64.tar.gz\n"},
		"several of a release": {versions: "1.35,v1.37.2", release: "v1.2.3", asked: "assets get 1.35 " + from + "v1.35.4-linux-amd64.tar.gz\nassets get v1.37.2 " + from + "v1.37.2-linux-amd64.tar.gz\n"},
		"built":                {versions: "1.34,1.35", asked: "-C /action assets KUBERNETES=1.34\n-C /action assets KUBERNETES=1.35\n"},
		"a part of a number":   {versions: "1.3", release: "v1.2.3", status: 2},
		"a command":            {versions: "1.35;touch broken", release: "v1.2.3", status: 2},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			const log = `"$*" >> "$(dirname "$0")/asked"` + "\n"
			command := "#!/bin/bash\nif [ \"$2\" = list ]; then printf 'VERSION FROM\\nv1.35.4 built\\nv1.37.2 built\\n' && seq 1 100000; else echo " + log + "fi\n"
			for name, program := range map[string]string{"reconform": command, "make": "#!/bin/bash\necho " + log} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(program), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			_, said, err := runStep(t, "kubernetes", dir, map[string]string{
				"COMMAND": filepath.Join(dir, "reconform"), "KUBERNETES": tc.versions, "VERSION": tc.release, "REPOSITORY": "owner/name",
				"GITHUB_SERVER_URL": "https://example.com", "GITHUB_ACTION_PATH": "/action", "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64",
				"PATH": dir + ":" + os.Getenv("PATH"),
			})
			status := 0
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				status = exit.ExitCode()
			}
			asked, _ := os.ReadFile(filepath.Join(dir, "asked"))
			if diff := cmp.Diff(tc.asked, string(asked)); diff != "" || status != tc.status {
				t.Errorf("status %d, want %d; asked for (-want +got):\n%s\n%s", status, tc.status, diff, said)
			}
		})
	}
}

// TestActionUnpacks: the archive of a release is compared with its sum before it is
// unpacked.
func TestActionUnpacks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it stands in for a runner with Linux")
	}
	archive := archiveOf(t, "reconform-v1.2.3-linux-amd64/bin/reconform")
	sum := fmt.Sprintf("%x", sha256.Sum256(archive))
	for name, tc := range map[string]struct {
		version, pinned, published string
		fails                      bool
	}{
		"by its SHA256SUMS":      {version: "v1.2.3", published: sum + "  reconform-v1.2.3-linux-amd64.tar.gz\n"},
		"by a pin":               {version: "v1.2.3", pinned: sum},
		"another than pinned":    {version: "v1.2.3", pinned: strings.Repeat("0", 64), published: sum + "  reconform-v1.2.3-linux-amd64.tar.gz\n", fails: true},
		"another than published": {version: "v1.2.3", published: strings.Repeat("0", 64) + "  reconform-v1.2.3-linux-amd64.tar.gz\n", fails: true},
		"no sum of it":           {version: "v1.2.3", published: sum + "  reconform-v1.2.3-darwin-amd64.tar.gz\n", fails: true},
		"an invalid version":     {version: "../../other/v1", fails: true},
		"an invalid archive":     {version: "v9.9.9", pinned: sum, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			release := filepath.Join(dir, "owner/name/releases/download/v1.2.3")
			if err := os.MkdirAll(release, 0o700); err != nil {
				t.Fatal(err)
			}
			for file, data := range map[string]string{"reconform-v1.2.3-linux-amd64.tar.gz": string(archive), "SHA256SUMS": tc.published} {
				if err := os.WriteFile(filepath.Join(release, file), []byte(data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			outputs, said, err := runStep(t, "release", dir, map[string]string{
				"VERSION": tc.version, "SHA256": tc.pinned, "REPOSITORY": "owner/name", "GITHUB_SERVER_URL": "file://" + dir,
				"RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "RUNNER_TEMP": dir,
			})
			command := filepath.Join(dir, "reconform/bin/reconform")
			_, missing := os.Stat(command)
			if tc.fails {
				if err == nil || missing == nil || outputs != "" {
					t.Errorf("it went on: %v, outputs %q\n%s", err, outputs, said)
				}
			} else if err != nil || missing != nil || outputs != "command="+command+"\n" {
				t.Errorf("%v, %v, outputs %q\n%s", err, missing, outputs, said)
			}
		})
	}
}

// archiveOf is an archive of a release with one program.
func archiveOf(t *testing.T, name string) []byte {
	t.Helper()
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	archive := tar.NewWriter(compressed)
	const program = "#!/bin/bash\n"
	if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o755, Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Write([]byte(program)); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := compressed.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// TestReleaseIsPublished: a release has the archives and the bills of materials of the suite and
// of each other version of Kubernetes, and SHA256SUMS lists them all. The folder is also that of
// the repository's scripts, which are no part of it.
func TestReleaseIsPublished(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it stands in for a runner with Linux")
	}
	text, err := os.ReadFile(".github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct{ Steps []actionStep }
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	dir, files := t.TempDir(), []string{
		"kubernetes-v1.35.4-linux-amd64.cdx.json", "kubernetes-v1.35.4-linux-amd64.tar.gz",
		"reconform-v1.2.3-linux-amd64.cdx.json", "reconform-v1.2.3-linux-amd64.tar.gz",
	}
	scripts, err := filepath.Glob("release/*")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts in release: %v", err)
	}
	for _, name := range files {
		writeEarlier(t, dir, "release/"+name, name)
	}
	for _, script := range scripts {
		writeEarlier(t, dir, script, "")
	}
	// The stand-in for go signs.
	writeProgram(t, dir, "go", "#!/bin/bash\ntouch release/SHA256SUMS.sigstore.json\n")
	writeProgram(t, dir, "gh", "#!/bin/bash\nfor word; do case $word in release/*) echo \"$word\" >> published ;; esac; done\n")
	for _, step := range workflow.Jobs["publish"].Steps {
		if step.Run == "" {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "GITHUB_REF_NAME=v1.2.3", "COSIGN=cosign")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", step.Run, err, said)
		}
	}
	sums, err := os.ReadFile(filepath.Join(dir, "release/SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(sums)) {
		listed = append(listed, strings.Fields(line)[1])
	}
	slices.Sort(listed)
	if diff := cmp.Diff(files, listed); diff != "" {
		t.Errorf("SHA256SUMS (-want +got):\n%s", diff)
	}
	published, err := os.ReadFile(filepath.Join(dir, "published"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range slices.Concat(files, []string{"SHA256SUMS", "SHA256SUMS.sigstore.json"}) {
		want = append(want, "release/"+name)
	}
	got := strings.Fields(string(published))
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the files of the release (-want +got):\n%s", diff)
	}
}
