package profile

import (
	"strconv"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/crds"
)

// TestFormsAreOfTheSchema: the words for a pattern are only found by the pattern as the schema
// writes it.
func TestFormsAreOfTheSchema(t *testing.T) {
	data, err := crds.FS.ReadFile(crds.Profiles)
	if err != nil {
		t.Fatal(err)
	}
	for pattern := range forms {
		plain, quoted := "pattern: "+pattern+"\n", "pattern: "+strconv.Quote(pattern)+"\n"
		if schema := string(data); !strings.Contains(schema, plain) && !strings.Contains(schema, quoted) {
			t.Errorf("no field of a profile has the pattern %s", pattern)
		}
	}
}
