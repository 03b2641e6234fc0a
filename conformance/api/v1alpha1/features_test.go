package v1alpha1

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFeatures compares the constants with the values that a profile may have.
func TestFeatures(t *testing.T) {
	read := func(file, pattern string) []string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			found = append(found, strings.Split(match[1], ";")...)
		}
		return found
	}
	allowed := read("claims_types.go", `Enum=([a-z;-]+)\ntype Feature `)
	constants := read("features.go", `Feature = "([a-z-]+)"`)
	if diff := cmp.Diff(allowed, constants); diff != "" {
		t.Errorf("features (-allowed +constants):\n%s", diff)
	}
}
