package reconform_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// room is a row of the table in ARCHITECTURE.md.
type room struct {
	Packages, Uses []string
}

// apart are the folders of internal that are not rooms; ARCHITECTURE.md says why.
var apart = []string{"mutant"}

// The table in ARCHITECTURE.md is true: the rooms, the packages in them and the imports
// between them are those of the code, and imports point down.
func TestArchitecture(t *testing.T) {
	told, order := roomsOf(read(t, "ARCHITECTURE.md"))
	if len(order) == 0 {
		t.Fatal("ARCHITECTURE.md has no table of rooms")
	}
	for name, r := range told {
		for _, used := range r.Uses {
			if slices.Index(order, used) <= slices.Index(order, name) {
				t.Errorf("%s uses %s, which is not below it in the table", name, used)
			}
		}
	}
	if diff := cmp.Diff(imports(t, order), told, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the table of ARCHITECTURE.md is not as the code (-code +table):\n%s", diff)
	}
}

// The files and the functions that ARCHITECTURE.md names are in the code.
func TestArchitectureNamesWhatExists(t *testing.T) {
	tracked, err := exec.CommandContext(t.Context(), "git", "ls-files", "*.go").Output()
	if err != nil {
		t.Skipf("the files are known only in a checkout: git ls-files: %v", err)
	}
	files := strings.Fields(string(tracked))
	var code strings.Builder
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			code.WriteString(read(t, file))
		}
	}
	named := regexp.MustCompile("`([A-Za-z0-9_/.]+)`").FindAllStringSubmatch(read(t, "ARCHITECTURE.md"), -1)
	method := regexp.MustCompile(`^([A-Za-z]+)\.([A-Za-z]+)$`)
	checked := 0
	for _, name := range named {
		switch parts := method.FindStringSubmatch(name[1]); {
		case strings.HasSuffix(name[1], ".go"):
			checked++
			if !slices.ContainsFunc(files, func(file string) bool { return strings.HasSuffix("/"+file, "/"+name[1]) }) {
				t.Errorf("there is no file %s", name[1])
			}
		case parts != nil && parts[2] != "jsonl":
			checked++
			declared := regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\b` + parts[1] + `\) )?|type )` + parts[2] + `\b`)
			if !declared.MatchString(code.String()) {
				t.Errorf("there is no %s", name[1])
			}
		}
	}
	if checked < 30 {
		t.Errorf("only %d names were found in ARCHITECTURE.md", checked)
	}
}

// Each room says what comes in and what goes out, and what each package in it is for.
func TestRoomsSayWhatComesInAndOut(t *testing.T) {
	rooms, _ := roomsOf(read(t, "ARCHITECTURE.md"))
	folders, err := os.ReadDir("internal")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if slices.Contains(apart, folder.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join("internal", folder.Name(), "doc.go"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, line := range []string{"\n// In: ", "\n// Out: "} {
			if !strings.Contains(string(text), line) {
				t.Errorf("internal/%s/doc.go has no line %q", folder.Name(), strings.TrimSpace(line))
			}
		}
		said := regexp.MustCompile(`[a-z]+`).FindAllString(string(text), -1)
		for _, name := range rooms[folder.Name()].Packages {
			if !slices.Contains(said, name) {
				t.Errorf("internal/%s/doc.go does not say what the package %s is for", folder.Name(), name)
			}
		}
	}
}

// roomsOf reads the table of rooms, and their order.
func roomsOf(text string) (rooms map[string]room, order []string) {
	rooms = map[string]room{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|[^|]*\\|([^|]*)\\|([^|]*)\\|$").FindAllStringSubmatch(text, -1) {
		rooms[row[1]] = room{Packages: words(row[2]), Uses: words(row[3])}
		order = append(order, row[1])
	}
	return rooms, order
}

func words(list string) []string {
	found := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	slices.Sort(found)
	return found
}

// imports returns the rooms as the code has them. Packages below a package of a room are
// its own affair.
func imports(t *testing.T, order []string) map[string]room {
	t.Helper()
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-e", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./internal/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	const inside = "reconform.dev/reconform/internal/"
	rooms := map[string]room{}
	for line := range strings.Lines(string(listed)) {
		fields := strings.Fields(line)
		name, below, _ := strings.Cut(strings.TrimPrefix(fields[0], inside), "/")
		if slices.Contains(apart, name) {
			continue
		}
		r := rooms[name]
		if sub, _, _ := strings.Cut(below, "/"); sub != "" && !slices.Contains(r.Packages, sub) {
			r.Packages = append(r.Packages, sub)
			slices.Sort(r.Packages)
		}
		for _, imported := range fields[1:] {
			used, in := strings.CutPrefix(imported, inside)
			used, _, _ = strings.Cut(used, "/")
			if in && used != name && slices.Contains(order, used) && !slices.Contains(r.Uses, used) {
				r.Uses = append(r.Uses, used)
				slices.Sort(r.Uses)
			}
		}
		rooms[name] = r
	}
	return rooms
}
