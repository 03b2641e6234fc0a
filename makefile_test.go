package reconform_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
