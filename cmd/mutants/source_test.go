package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/mutant"
)

func TestAdaptSource(t *testing.T) {
	b := &base{main: "controller/cmd/manager", folders: []string{"controller/cmd/manager", "controller/webapp"}}
	tests := map[string]struct{ file, content, want string }{
		"the main package can be imported": {
			file:    "controller/cmd/manager/main.go",
			content: "package main\n\nfunc main() {}\n\nfunc (o options) main() {}\n",
			want:    "package mutant\n\nfunc Main() {}\n\nfunc (o options) main() {}\n",
		},
		"the controller's packages are the mutant's, the API and all else are shared": {
			file: "controller/cmd/manager/manager.go",
			content: `package main

import (
	"fmt"

	"reconform.dev/reconform/controller/api/v1beta1"
	"reconform.dev/reconform/controller/webapp" // reconform.dev/reconform/controller/webapp
)
`,
			want: `package mutant

import (
	"fmt"

	"reconform.dev/reconform/controller/api/v1beta1"
	"reconform.dev/reconform/bin/_mutants/broken/controller/webapp" // reconform.dev/reconform/controller/webapp
)
`,
		},
		"a package keeps its name": {
			file:    "controller/webapp/doc.go",
			content: "package webapp\n\nfunc main() {}\n",
			want:    "package webapp\n\nfunc main() {}\n",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := b.adaptSource(mutant.Mutant{Name: "broken"}, tc.file, []byte(tc.content))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("source (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := b.adaptSource(mutant.Mutant{}, "controller/webapp/x.go", []byte("package")); err == nil {
		t.Error("no error for a source that is not Go")
	}
}
