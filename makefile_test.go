package reconform_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A recipe that make expands differently where the caches are empty works only on the
// machine of its author.
func TestRecipesNeedNoCache(t *testing.T) {
	content, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	arguments := []string{"--dry-run", "VERSION=v0", "LANES=2"} // the same for both, whatever make was called with
	for _, target := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(string(content), -1) {
		arguments = append(arguments, target[1])
	}
	warm := runMake(t, ".", os.Environ(), arguments...)
	fresh := runMake(t, ".", freshEnvironment(t, "GOPROXY=off"), arguments...)
	if diff := cmp.Diff(warm, fresh); diff != "" {
		t.Errorf("the recipes depend on caches or on the home folder (-here +on a new machine):\n%s", diff)
	}
}

// The manifests of a stranger are files in a module that may not have been downloaded
// before.
func TestStrangersManifestsWithEmptyCache(t *testing.T) {
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder, proxies, _ := strings.Cut(strings.TrimSpace(string(cache)), "\n")
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "fixtures/strangers/sample-controller"), os.DirFS("fixtures/strangers/sample-controller")); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("fixtures/strangers/build.sh")
	if err != nil {
		t.Fatal(err)
	}
	build := filepath.Join(dir, "fixtures/strangers/build.sh")
	if err := os.WriteFile(build, program, 0o600); err != nil {
		t.Fatal(err)
	}
	// What this machine has downloaded serves as the first proxy.
	proxies = "file://" + filepath.ToSlash(filepath.Join(folder, "cache", "download")) + "," + proxies
	cmd := exec.CommandContext(t.Context(), "bash", build, "-m", "sample-controller")
	cmd.Env = freshEnvironment(t, "GOPROXY="+proxies)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	content, err := os.ReadFile(filepath.Join(dir, "bin/strangers/sample-controller/crd-status-subresource.yaml"))
	if err != nil || !bytes.Contains(content, []byte("kind: CustomResourceDefinition")) {
		t.Errorf("got %q, error %v", content, err)
	}
}

// TestPlain: make test leaves out the race detector only for packages that start
// nothing beside the tests, or whose tests another target runs with it.
func TestPlain(t *testing.T) {
	content, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, line := range regexp.MustCompile(`(?m)^PLAIN [:+]= (.*)$`).FindAllStringSubmatch(string(content), -1) {
		patterns = append(patterns, strings.Fields(line[1])...)
	}
	list := exec.CommandContext(t.Context(), "go", append([]string{"list", "-f", "{{.Dir}}"}, patterns...)...)
	folders, err := list.Output()
	if err != nil || len(patterns) == 0 {
		t.Fatalf("%v: %v", list, err)
	}
	sideBySide := regexp.MustCompile(`(?m)^\s*go (func|\w[\w.]*)\(|\.Parallel\(\)|\.Go\(`)
	for folder := range strings.Lines(string(folders)) {
		folder = strings.TrimSpace(folder)
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		name := "./" + strings.TrimPrefix(folder, filepath.Dir(absolute(t, "Makefile"))+"/")
		if regexp.MustCompile(`\$\(RACE\) .*` + regexp.QuoteMeta(name) + `\s`).Match(content) {
			continue
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if at := sideBySide.Find(text); at != nil {
				t.Errorf("%s has %q: test %s with the race detector (PLAIN in the Makefile)", file, bytes.TrimSpace(at), name)
			}
		}
	}
}

func absolute(t *testing.T, file string) string {
	t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A system that is missing or misspelt is answered with those that there are, and each of
// these has what the recipes need: a Dockerfile, programs, and kustomizations with the name
// of the image.
func TestSystemsThatCanBeInstalled(t *testing.T) {
	program, err := exec.LookPath("make")
	if err != nil {
		t.Skip("needs make on the PATH")
	}
	var names []string
	for _, arguments := range [][]string{{"deploy"}, {"deploy", "SYSTEM=bakup"}, {"image", "SYSTEM=bakup"}, {"image", "SYSTEM=apipark backup"}} {
		cmd := exec.CommandContext(t.Context(), program, arguments...)
		cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=", "MFLAGS=", "SYSTEM=")
		out, err := cmd.CombinedOutput()
		said := regexp.MustCompile(`error: .*; there are ([a-z ]+), as in make`).FindStringSubmatch(string(out))
		if err == nil || said == nil {
			t.Fatalf("make %v: %v, and it does not say which systems there are:\n%s", arguments, err, out)
		}
		names = strings.Fields(said[1])
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			image := runMake(t, ".", os.Environ(), "--dry-run", "image", "SYSTEM="+name)
			built := regexp.MustCompile(`-o \S+ (\./\S+)\n.* --file (\S+) --target prebuilt --tag (\S+) `).FindStringSubmatch(image)
			if built == nil {
				t.Fatalf("the recipe is:\n%s", image)
			}
			folder := regexp.MustCompile(`kubectl apply -k (\S+);`).FindStringSubmatch(runMake(t, ".", os.Environ(), "--dry-run", "deploy", "SYSTEM="+name))
			if folder == nil {
				t.Fatal("the recipe of deploy applies nothing")
			}
			for _, file := range []string{strings.TrimSuffix(built[1], "/..."), built[2], folder[1]} {
				if _, err := os.Stat(file); err != nil {
					t.Error(err)
				}
			}
			kustomization, err := os.ReadFile(filepath.Join(folder[1], "kustomization.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			named := regexp.MustCompile(`- name: (\S+)\n    newTag: (\S+)`).FindSubmatch(kustomization)
			if named == nil || string(named[1])+":"+string(named[2]) != built[3] {
				t.Errorf("make builds %s, and %s has another image", built[3], folder[1])
			}
		})
	}
}

// A system that is there already is started again, as the image may be new while its name is the
// same. What is waited for is the end of the rollout: the Pods before are available all the time.
func TestDeployOfWhatIsThere(t *testing.T) {
	for name, there := range map[string]string{"new": "", "there already": "deployment.apps/apipark"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			calls := filepath.Join(dir, "calls")
			kubectl := fmt.Sprintf("#!/bin/sh\necho \"$*\" >> %s\ncase \"$*\" in *get*) echo %s ;; esac\n", calls, there)
			if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte(kubectl), 0o700); err != nil {
				t.Fatal(err)
			}
			runMake(t, ".", append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH")), "deploy", "SYSTEM=apipark")
			content, err := os.ReadFile(calls)
			if err != nil {
				t.Fatal(err)
			}
			said := string(content)
			applied, restarted := strings.Index(said, "apply"), strings.Index(said, "rollout restart")
			if waited := strings.Index(said, "rollout status"); waited < max(applied, restarted) || applied < 0 {
				t.Errorf("the end of the rollout is not waited for:\n%s", said)
			}
			if (restarted > applied) != (there != "") {
				t.Errorf("there was %q before, and kubectl was called with:\n%s", there, said)
			}
		})
	}
}

// freshEnvironment is that of a new machine: only the tools, and an empty home folder.
func freshEnvironment(t *testing.T, more ...string) []string {
	t.Helper()
	// Otherwise the module cache would be read-only, and the clean-up after the test could
	// not remove it.
	return append(more, "PATH="+os.Getenv("PATH"), "HOME="+t.TempDir(), "GOFLAGS=-modcacherw")
}

func runMake(t *testing.T, dir string, environment []string, arguments ...string) string {
	t.Helper()
	program, err := exec.LookPath("make")
	if err != nil {
		t.Skip("needs make on the PATH")
	}
	cmd := exec.CommandContext(t.Context(), program, append([]string{"--no-print-directory"}, arguments...)...)
	// Variables in which an outer make passes its flags on must not reach this one.
	cmd.Dir, cmd.Env = dir, append(environment, "MAKEFLAGS=", "MAKELEVEL=", "MFLAGS=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("make %s: %v\n%s%s", strings.Join(arguments, " "), err, out, &stderr)
	}
	return string(out)
}

// standIn copies the Makefile into a folder with a space in its path, with programs of the test
// in place of Go and of reconform, and returns the folder and the environment in which they are
// found.
func standIn(t *testing.T, reconform, golang string) (dir string, environment []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "a checkout")
	modules, err := filepath.Glob("envtest/assets/*.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(modules, "Makefile", "go.mod", "fixtures/variants/node/package-lock.json") {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		writeEarlier(t, dir, file, string(content))
	}
	for name, program := range map[string]string{
		"bin/reconform": reconform, "bin/growth": golang, "tools/go": golang, "tools/cp": ":", "fixtures/strangers/build.sh": ":",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		writeProgram(t, dir, name, "#!/bin/bash\n"+program+"\n")
	}
	return dir, append(os.Environ(), "PATH="+filepath.Join(dir, "tools")+":"+os.Getenv("PATH"))
}

// tryMake runs make without what takes long: what the targets build first.
func tryMake(t *testing.T, dir string, environment []string, arguments ...string) (said string, err error) {
	t.Helper()
	program, err := exec.LookPath("make")
	if err != nil {
		t.Skip("needs make on the PATH")
	}
	built := []string{"VERSION=v0", "-o", "assets", "-o", "build", "-o", "fixtures", "-o", "mutants-build", "-o", "generate-api"}
	cmd := exec.CommandContext(t.Context(), program, append(built, arguments...)...)
	cmd.Dir, cmd.Env = dir, append(environment, "MAKEFLAGS=", "MAKELEVEL=", "MFLAGS=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestRecipesGoByTheStatus: a recipe that goes by the exit status of reconform sees it. The shell
// of the recipes ends at the first command that fails.
func TestRecipesGoByTheStatus(t *testing.T) {
	for target, passes := range map[string][]int{"picture": {1}, "explore-growth": {0, 1, 3}} {
		for status := range 4 {
			dir, environment := standIn(t, fmt.Sprintf("exit %d", status), ":")
			if said, err := tryMake(t, dir, environment, target); (err == nil) != slices.Contains(passes, status) {
				t.Errorf("make %s, if reconform ends with %d: %v\n%s", target, status, err, said)
			}
		}
	}
}

// TestRecipesTakeNoEarlierReport: if reconform breaks, it leaves the report of an earlier run, and
// no target takes that for the report of this run.
func TestRecipesTakeNoEarlierReport(t *testing.T) {
	for target, folders := range map[string][]string{
		"third-party":    {"third-party/sample-controller", "third-party/kubebuilder-deploy-image"},
		"first-crd":      {"first-crd/myapplication-first"},
		"systems":        {"systems/reference", "systems/backup"},
		"field":          {"field/clientgo", "field/sample-controller"},
		"explore-growth": {"growth/backup"},
	} {
		// Each argument is a folder of reports, or a file of it.
		dir, environment := standIn(t, "exit 3", `for each; do if [ -s "$each" ] || [ -s "$each/earlier" ]; then echo "taken: $each"; fi; done`)
		for _, folder := range folders {
			for _, name := range []string{"earlier", "conformance-report.yaml", "explore-report.yaml"} {
				writeEarlier(t, dir, filepath.Join("reports", folder, name), "of an earlier run")
			}
		}
		if said, err := tryMake(t, dir, environment, target); err != nil || strings.Contains(said, "\ntaken: reports") {
			t.Errorf("make %s: %v\n%s", target, err, said)
		}
	}
}

// TestGenerateLeavesNoHalfFile: a file stays as it was if what writes it anew fails.
func TestGenerateLeavesNoHalfFile(t *testing.T) {
	files := map[string]string{
		"fixtures/variants/renamed/crd.yaml": "output:crd:stdout", "scenarios/README.md": "list -o markdown",
		"docs/conformance-report.schema.json": " ConformanceReport", "docs/explore-report.schema.json": " ExploreReport",
	}
	for failing, command := range files {
		dir, environment := standIn(t, ":", fmt.Sprintf(`echo new; [[ "$*" != *%q* ]]`, command))
		for file := range files {
			writeEarlier(t, dir, file, "old\n")
		}
		said, err := tryMake(t, dir, environment, "generate")
		if err == nil {
			t.Fatalf("it passes, though %q fails", command)
		}
		left, err := filepath.Glob(filepath.Join(dir, filepath.Dir(failing), "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range left {
			content, err := os.ReadFile(file)
			if name := filepath.Base(file); err != nil || name == filepath.Base(failing) && string(content) != "old\n" || strings.HasSuffix(name, ".new") {
				t.Errorf("if %q fails, %s has %q, %v\n%s", command, file, content, err, said)
			}
		}
	}
	dir, environment := standIn(t, ":", "echo new")
	for file := range files {
		writeEarlier(t, dir, file, "old\n")
	}
	if said, err := tryMake(t, dir, environment, "generate"); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for file := range files {
		if content, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(content) != "new\n" {
			t.Errorf("%s has %q, %v", file, content, err)
		}
	}
}

// TestRecipesQuoteTheFolder: a checkout may have a space in its path, and then its path is in
// quotation marks.
func TestRecipesQuoteTheFolder(t *testing.T) {
	dir, environment := standIn(t, ":", ":")
	content, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, target := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllStringSubmatch(string(content), -1) {
		recipe := runMake(t, dir, environment, "--dry-run", "VERSION=v0", "SYSTEM=backup", "ID=SH-004", target[1])
		for line := range strings.Lines(recipe) {
			if !strings.Contains(line, dir) {
				continue
			}
			named++
			if bare := regexp.MustCompile(`"[^"]*"|'[^']*'`).ReplaceAllString(line, ""); strings.Contains(bare, filepath.Dir(dir)) {
				t.Errorf("make %s: %s", target[1], line)
			}
		}
	}
	if named == 0 {
		t.Error("no recipe names the folder")
	}
}

// TestReportsIsOneFolder: make clean removes it, so it must not be two.
func TestReportsIsOneFolder(t *testing.T) {
	for _, reports := range []string{"", "my reports"} {
		dir, environment := standIn(t, ":", ":")
		writeEarlier(t, dir, "my/thesis", "")
		said, err := tryMake(t, dir, environment, "clean", "REPORTS="+reports)
		if _, lost := os.Stat(filepath.Join(dir, "my/thesis")); err == nil || lost != nil || !strings.Contains(said, "REPORTS") {
			t.Errorf("REPORTS=%q: %v, %v\n%s", reports, err, lost, said)
		}
	}
}

// TestCleanOnlyReports: make clean removes a folder of reports, or one that has nothing but such
// folders. REPORTS may come from the environment, and mean something else there.
func TestCleanOnlyReports(t *testing.T) {
	for name, tc := range map[string]struct {
		files   []string
		removed bool
	}{
		"of a run":       {[]string{"my/.reconform", "my/junit.xml"}, true},
		"of several":     {[]string{"my/one/.reconform", "my/mutants/two/.reconform"}, true},
		"none":           {nil, true},
		"something else": {[]string{"my/thesis"}, false},
		"and others":     {[]string{"my/one/.reconform", "my/thesis/chapter-1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir, environment := standIn(t, ":", ":")
			for _, file := range tc.files {
				writeEarlier(t, dir, file, "")
			}
			said, err := tryMake(t, dir, append(environment, "REPORTS=my"), "clean")
			_, lost := os.Stat(filepath.Join(dir, "my"))
			if (err == nil) != tc.removed || (lost != nil) != tc.removed {
				t.Errorf("removed: %v, want %v; %v\n%s", lost != nil, tc.removed, err, said)
			}
		})
	}
}
