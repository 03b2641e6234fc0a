package render

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmptied: an assertion from which nothing is left but the name of its object
// proves nothing, unless the object was deleted before, or was not asserted before.
func TestEmptied(t *testing.T) {
	const (
		there    = "- assert: {resource: {" + deployment + "}}\n"
		scaled   = "- command: {entrypoint: kubectl, args: [scale, deployment/demo, --replicas=7]}\n"
		setBack  = "- assert: {resource: {" + deployment + ", spec: {replicas: 3}}}\n"
		deleted  = "- delete: {ref: {" + deployment + "}}\n"
		byName   = "- command: {entrypoint: kubectl, args: [delete, deployment/demo]}\n"
		unpaused = "- assert: {resource: {" + deployment + ", spec: {replicas: 3, paused: true}}}\n"
	)
	for name, tc := range map[string]struct {
		before, then string
		mapped, skip bool
	}{
		"it is set back":                         {create + there + scaled, setBack, true, false},
		"nothing says to what":                   {create + there + scaled, setBack, false, true},
		"something else is asserted":             {create + there + scaled, unpaused, false, false},
		"another assertion stays":                {create + there + scaled, setBack + check, false, false},
		"it was deleted":                         {create + there + deleted, setBack, false, false},
		"it was deleted with kubectl":            {create + there + byName, setBack, false, false},
		"nobody knew that it is there":           {create, setBack, false, false},
		"asserted again, and only that it is so": {create + there, there, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(scenario(tc.before), "  - try:", "  - name: When it is changed\n    try:", 1) + "  - name: Then it is as it was\n    try:\n" + indent(tc.then)
			s, err := parse(filepath.Join("a", "b", FileName), []byte(text), os.ReadFile)
			if err != nil {
				t.Fatal(err)
			}
			p := siteProfile(t)
			if !tc.mapped {
				p.Spec.Contract.Spec.Replicas = nil
			}
			_, err = Render(s, p)
			var skip *Skip
			if errors.As(err, &skip) != tc.skip || err != nil && !tc.skip {
				t.Errorf("got %v, skipped: %t is due", err, tc.skip)
			}
		})
	}
}
