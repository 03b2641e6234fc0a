package discover

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/profile/manifest"
)

// TestManifestsOf: what came with the sample is in the file as it was, also what YAML would change.
func TestManifestsOf(t *testing.T) {
	data := map[string]any{
		"plain": "a", "yes": "yes", "<<": map[string]any{"a": "b"}, "delete": "a\u007fb", "next line": "\u0085", "no character": "\ufffe", "lines": "a\n---\nb\n",
		"large": int64(9007199254740993), "empty": map[string]any{}, "null": nil, "fraction": 0.5,
	}
	var objects []*unstructured.Unstructured
	for key, value := range data {
		objects = append(objects, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Note", "metadata": map[string]any{"name": "a"}, "data": map[string]any{key: value},
		}})
	}
	text, err := manifestsOf(objects)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "setup.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := manifest.Read(file, nil)
	if err != nil || len(read) != len(objects) {
		t.Fatalf("%d objects, %v:\n%s", len(read), err, text)
	}
	for n, object := range objects {
		if diff := cmp.Diff(object.Object, read[n].Object); diff != "" {
			t.Errorf("object (-want +got):\n%s", diff)
		}
	}
	if !strings.Contains(string(text), "data:\n  plain: a\n") {
		t.Errorf("what YAML does not change is not YAML:\n%s", text)
	}
}

// TestWriteAllBeside: a file that has come while the controller was looked at stays, and what should
// stand in it is not lost.
func TestWriteAllBeside(t *testing.T) {
	mine, role := filepath.Join(t.TempDir(), "mine.yaml"), filepath.Join(t.TempDir(), "mine-rbac.yaml")
	if err := os.WriteFile(mine, []byte("somebody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := writeAll(map[string][]byte{mine: []byte("kind: Profile\n"), role: []byte("kind: Role\n")})
	var unwritten *Unwritten
	if !errors.As(err, &unwritten) || !errors.Is(err, os.ErrExist) || !strings.Contains(err.Error(), "it was not there before") || string(unwritten.Files[mine]) != "kind: Profile\n" {
		t.Errorf("the error is %v, want one that has the profile, and the cause", err)
	}
	for file, want := range map[string]string{mine: "somebody's", role: "kind: Role\n"} {
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s has %q, %v; want %q", file, got, err, want)
		}
	}
}

// TestWriteAll: what could not be written is not lost, and the other files are written.
func TestWriteAll(t *testing.T) {
	there, gone := filepath.Join(t.TempDir(), "mine.yaml"), filepath.Join(t.TempDir(), "gone", "mine-setup.yaml")
	err := writeAll(map[string][]byte{there: []byte("kind: Profile\n"), gone: []byte("kind: Secret\n")})
	var unwritten *Unwritten
	if !errors.As(err, &unwritten) || !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the error is %v, want one that has the files, and the cause", err)
	}
	if got, want := unwritten.Text(), "# ----- "+gone+"\nkind: Secret\n\n"; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
	if data, err := os.ReadFile(there); err != nil || string(data) != "kind: Profile\n" {
		t.Errorf("%s has %q, %v", there, data, err)
	}
}
