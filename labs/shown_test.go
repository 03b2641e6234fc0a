package labs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKubectlIsShown: each command that a reader must type is in a block that TestTexts
// runs.
func TestKubectlIsShown(t *testing.T) {
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		language := ""
		for n, line := range strings.Split(string(text), "\n") {
			if fence, ok := strings.CutPrefix(line, "```"); ok && language == "" {
				language = fence
			} else if ok {
				language = ""
			}
			if language != "console" && language != "" && strings.Contains(line, "kubectl ") {
				t.Errorf("%s:%d: a kubectl line in a block that no test runs, make it one of language console: %s", name, n+1, line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
