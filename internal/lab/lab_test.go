package lab_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/play"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/labs"
)

func read(t *testing.T) []*lab.Lab {
	t.Helper()
	all, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestComplete: each lab asks only for existing checks, says which of them its start
// fails, and has hints.
func TestComplete(t *testing.T) {
	requirements, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	all := read(t)
	kinds := map[lab.Kind]int{}
	for _, l := range all {
		kinds[l.Kind]++
		for _, c := range l.Checks {
			_, played := play.Of(c.ID)
			if !played && !slices.ContainsFunc(requirements, func(r catalogue.Requirement) bool { return r.ID == c.ID }) {
				t.Errorf("%s asks for %s, which there is not", l.Folder, c.ID)
			}
			if c.Next == "" && l.Kind != lab.Debug {
				t.Errorf("%s says nothing of the step to %s", l.Folder, c.ID)
			}
		}
		if l.Kind == lab.Exercise || l.Kind == lab.Predict {
			continue
		}
		text, err := fs.ReadFile(labs.FS, l.Folder+"/README.md")
		if err != nil {
			t.Error(err)
		}
		if show := "`reconform lab solution " + l.Number() + " --print`"; l.Kind != lab.Debug && !strings.Contains(string(text), show) {
			t.Errorf("the text of %s does not say how to see what it adds: %s", l.Folder, show)
		}
		if l.Fails == nil || !slices.ContainsFunc(l.Checks, func(c lab.Check) bool { return c.ID == l.Fails.ID }) {
			t.Errorf("%s does not say which of its checks its start fails", l.Folder)
		} else if _, err := regexp.Compile(l.Fails.Because); err != nil {
			t.Errorf("%s: %v", l.Folder, err)
		}
		if len(l.Hints) != 3 {
			t.Errorf("%s has %d hints, want 3", l.Folder, len(l.Hints))
		}
	}
	if kinds[lab.Build] != 12 || kinds[lab.Debug] < 20 || kinds[lab.Predict] < 8 || kinds[lab.Beyond] < 9 {
		t.Errorf("there are %v labs", kinds)
	}
}

// TestHeading: the text of a lab begins with its number, if it has one, and its title.
func TestHeading(t *testing.T) {
	for _, l := range read(t) {
		text, err := fs.ReadFile(labs.FS, l.Folder+"/README.md")
		if l.Kind == lab.Exercise { // its text is hands-on.md
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		want := "# " + l.Title
		switch l.Kind {
		case lab.Build:
			number, _, _ := strings.Cut(l.Folder, "-")
			want = "# " + number + " " + l.Title
		case lab.Debug:
			want = "# Debug " + path.Base(l.Folder) + ": " + l.Title
		}
		if got, _, _ := strings.Cut(string(text), "\n"); !strings.HasPrefix(got, want) {
			t.Errorf("%s/README.md begins with %q, want %q", l.Folder, got, want)
		}
	}
}

// TestHints: the function that a hint names is in the start.
func TestHints(t *testing.T) {
	for _, l := range read(t) {
		if !l.Given() {
			continue
		}
		files, err := student.Files(labs.FS, l.Folder, "start")
		if err != nil {
			t.Fatal(err)
		}
		for _, hint := range l.Hints {
			text, ok := files[hint.File]
			if !ok {
				t.Errorf("%s: a hint names %s, which there is not", l.Folder, hint.File)
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), hint.File, text, 0)
			if err != nil {
				t.Error(err)
				continue
			}
			if !slices.Contains(declared(file), hint.Symbol) {
				t.Errorf("%s: a hint names %s, which %s does not declare", l.Folder, hint.Symbol, hint.File)
			}
		}
	}
}

// TestHintsInOtherLanguages: the function or method that a hint names exists.
func TestHintsInOtherLanguages(t *testing.T) {
	for _, l := range read(t) {
		for language, hints := range l.HintsIn {
			if len(hints) != 3 {
				t.Errorf("%s has %d hints in %s, want 3", l.Folder, len(hints), language)
			}
			files, err := student.Files(labs.FS, l.Folder, path.Join(language, "start"))
			if err != nil {
				t.Fatal(err)
			}
			for _, hint := range hints {
				if !regexp.MustCompile(`(?m)^ *(export )?(async )?(function )?` + hint.Symbol + `\(.*\) \{$`).MatchString(files[hint.File]) {
					t.Errorf("%s: a hint in %s names %s, which %s does not declare", l.Folder, language, hint.Symbol, hint.File)
				}
			}
		}
	}
}

// TestNextIsForAll: the next step is for students in any language.
func TestNextIsForAll(t *testing.T) {
	ofGo := regexp.MustCompile(`\b[a-z0-9]+\.[A-Z][A-Za-z]+|\b[A-Za-z]*[a-z][A-Z][A-Za-z]*`)
	ofAll := []string{
		"WebApp", "WebApps", "AlreadyExists", "NotFound", "apiVersion", "deletionTimestamp", "observedGeneration", "resourceVersions",
		"ensureDeployment", "newDeployment", // which the starts in all languages have
	}
	for _, l := range read(t) {
		if l.Kind != lab.Build && l.Kind != lab.Exercise {
			continue
		}
		for _, c := range l.Checks {
			for _, word := range ofGo.FindAllString(c.Next, -1) {
				if !slices.Contains(ofAll, word) {
					t.Errorf("%s: the step to %s has the word %s, which belongs into inGo", l.Folder, c.ID, word)
				}
			}
		}
	}
}

func declared(file *ast.File) (names []string) {
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

func TestFind(t *testing.T) {
	all := read(t)
	for name, want := range map[string]string{
		"3": "03-create-the-deployment", "03": "03-create-the-deployment", "03-create-the-deployment": "03-create-the-deployment",
		"12": "12-leader-election", "hands-on": "hands-on", "99": "", "": "", "beyond/finalizer": "beyond/finalizer", "beyond": "",
		"debug/7": "debug/07", "debug/07": "debug/07", "debug": "", "debug/": "",
	} {
		l, err := lab.Find(all, name)
		if want == "" {
			if err == nil {
				t.Errorf("%q is %s", name, l.Folder)
			}
		} else if err != nil || l.Folder != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestStep: the next step is that of what was seen, and speaks of Go only to who writes it.
func TestStep(t *testing.T) {
	c := lab.Check{Next: "Try again.", InGo: "Add does.", Seen: []lab.Seen{
		{Because: `broken\s.*off`, Next: "Wait longer.", InGo: "WithoutCancel does."},
		{Because: "off", Next: "Wait."},
	}}
	for name, tc := range map[string]struct{ seen, language, want string }{
		"nothing known":       {"a line", "", "Try again. Add does."},
		"in another language": {"a line", "node", "Try again."},
		"the first that is":   {"broken\noff", "", "Wait longer. WithoutCancel does."},
		"the second":          {"off", "", "Wait."},
		"seen, in another":    {"broken off", "node", "Wait longer."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.Step(tc.seen, tc.language); got != tc.want {
				t.Errorf("the next step is %q, want %q", got, tc.want)
			}
		})
	}
}

// TestEndedInNode: an error that nobody awaits ends a process in JavaScript, and the next step
// says so. The words are those that Node.js ends with.
func TestEndedInNode(t *testing.T) {
	const seen = "reading Deployment demo was answered with 500; no line with lab/demo and \"failed\" within 7.5s; the last lines are:\n" +
		"    }\n    \n    Node.js v20.20.2"
	l, err := lab.Find(read(t), "03")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"rest/in-vain", "rest/tells"} {
		n := slices.IndexFunc(l.Checks, func(c lab.Check) bool { return c.ID == id })
		if step := l.Checks[n].Step(seen, "node"); !strings.Contains(step, "Await") {
			t.Errorf("the next step to %s is %q", id, step)
		}
	}
}
