package check

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/steps"
	"reconform.dev/reconform/internal/profile"
)

// variant is a controller in JavaScript with the same dependencies, which make fixtures
// fetches.
const variant = "../../../fixtures/variants/node"

// nodeModules is the folder with the dependencies of controllers in JavaScript; empty
// if they cannot run.
func nodeModules(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Log("without Node.js on the PATH, the starts in JavaScript are not tried")
		return ""
	}
	modules, err := filepath.Abs(variant + "/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "@kubernetes/client-node")); err != nil {
		t.Log("the starts in JavaScript are not tried: run make fixtures first")
		return ""
	}
	return modules
}

// inNode is the profile of a start or solution in JavaScript, with its dependencies.
func inNode(t *testing.T, l *lab.Lab, point, modules string) *profile.Profile {
	t.Helper()
	dir := folderOf(t, l, steps.Node().Folder(point))
	// Without a lockfile nothing is fetched into what others need as it is.
	if err := os.Remove(filepath.Join(dir, "package-lock.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := Build(t.Context(), dir); err != nil {
		t.Fatalf("%s of %s in JavaScript: %v", point, l.Folder, err)
	}
	p := loaded(t, dir)
	p.Spec.Launch.Readable = append(p.Spec.Launch.Readable, modules)
	return p
}

// TestDependenciesInNode: students get the same versions of the dependencies as the
// variant in JavaScript.
func TestDependenciesInNode(t *testing.T) {
	packages := func(folder string) map[string]any {
		text, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
		if err != nil {
			t.Fatal(err)
		}
		var lock struct{ Packages map[string]any }
		if err := json.Unmarshal(text, &lock); err != nil {
			t.Fatal(err)
		}
		delete(lock.Packages, "") // the controller itself
		return lock.Packages
	}
	want := packages(variant)
	if len(want) == 0 {
		t.Error("the variant depends on nothing?")
	}
	if diff := cmp.Diff(want, packages("../../../labs/node")); diff != "" {
		t.Errorf("dependencies (-variant +labs):\n%s", diff)
	}
}

// TestBuildInNode: if a file is not JavaScript, or Node.js is missing, the message
// helps.
func TestBuildInNode(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("package.json", `{"type": "module"}`)
	write("main.js", "function () {\n")
	if nodeModules(t) != "" {
		if err := Build(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "does not compile") || !strings.Contains(err.Error(), "main.js:1") {
			t.Errorf("a file that is not JavaScript: %v", err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if err := Build(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "needs Node.js") {
		t.Errorf("without Node.js: %v", err)
	}
}
