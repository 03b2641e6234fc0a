package visit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneCRDTwice: two files that define one resource differently are named, before anything
// is started. The same definition may be given twice.
func TestOneCRDTwice(t *testing.T) {
	write := func(name, kind string) string {
		file := filepath.Join(t.TempDir(), name)
		text := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: notes.example.com}\n" +
			"spec: {group: example.com, scope: Namespaced, names: {kind: " + kind + ", plural: notes}, versions: [{name: v1, served: true, storage: true}]}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	first, again, other := write("a.yaml", "Note"), write("b.yaml", "Note"), write("c.yaml", "Notice")
	if _, err := readCRDs([]string{first, again}, nil); err != nil {
		t.Errorf("the same twice: %v", err)
	}
	_, err := readCRDs([]string{first, other}, nil)
	if err == nil || !strings.Contains(err.Error(), other) || !strings.Contains(err.Error(), "notes.example.com is not the same here and in "+first) {
		t.Errorf("two that differ: %v", err)
	}
}
