package check

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/play"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/labs"
)

const labsDir = "../../../labs"

// mistake is one that students make: a patch in labs/mistakes, of the lab's solution, or of
// what a debug lab gives.
type mistake struct {
	name    string // the path of the patch
	lab     string // the folder of the lab
	mistake string // in a sentence: the header Mistake
	fails   []string
	because *regexp.Regexp // what the student is told of the first that fails
	next    *regexp.Regexp // and as the next step; nil: any
	patch   mutant.Patch
}

// mistakes in the repository.
func mistakes(t *testing.T) (all []mistake) {
	t.Helper()
	for _, pattern := range []string{"*/*.patch", "*/*/*.patch"} {
		files, err := filepath.Glob(filepath.Join(labsDir, "mistakes", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			m, err := readMistake(file)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, m)
		}
	}
	return all
}

func readMistake(file string) (m mistake, err error) {
	name, err := filepath.Rel(filepath.Join(labsDir, "mistakes"), file)
	if err != nil {
		return m, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return m, err
	}
	patch, above, err := mutant.ParsePatch(text)
	if err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	headers, err := textproto.NewReader(bufio.NewReader(strings.NewReader(above))).ReadMIMEHeader()
	if err != nil && !errors.Is(err, io.EOF) {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	for _, key := range []string{"Mistake", "Fails", "Because"} {
		if headers.Get(key) == "" {
			return m, fmt.Errorf("%s: it needs the headers Mistake, Fails and Because, and may have Next, and has %v", file, headers)
		}
	}
	m = mistake{
		name: strings.TrimSuffix(name, ".patch"), lab: path.Dir(filepath.ToSlash(name)), mistake: headers.Get("Mistake"),
		fails: strings.Split(headers.Get("Fails"), ", "), patch: patch,
	}
	if m.because, err = regexp.Compile("(?s)" + headers.Get("Because")); err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	if next := headers.Get("Next"); next != "" {
		m.next, err = regexp.Compile(next)
	}
	return m, err
}

// base of the patch: the lab and the point that it changes.
func (m *mistake) base(l *lab.Lab) (folder, point string) {
	switch l.Kind {
	case lab.Debug:
		return l.Folder, "start" // A partial repair is applied to the mistake, and must still fail.
	case lab.Exercise:
		return "11-graceful-shutdown", "solution" // the last part that the exercise asks for
	default:
		return l.Folder, "solution"
	}
}

// oneForEach returns the mistakes that are tried each time: the first that each check refuses.
func oneForEach(all []mistake) []mistake {
	refused := map[string]bool{}
	return slices.DeleteFunc(all, func(m mistake) bool {
		check := m.fails[0]
		if !m.quick() || refused[check] {
			return true
		}
		refused[check] = true
		return false
	})
}

// quick tells whether the mistake can be tried each time. Partial repairs of debug labs
// take minutes more, and so do mistakes in the labs beyond that a requirement refuses.
func (m *mistake) quick() bool {
	switch path.Dir(m.lab) {
	case "debug":
		return false
	case "beyond":
		_, played := play.Of(m.fails[0])
		return played
	default:
		return true
	}
}

// files of a student who has made the mistake.
func (m *mistake) files(l *lab.Lab) (map[string]string, error) {
	folder, point := m.base(l)
	files, err := student.Files(labs.FS, folder, point)
	if err != nil {
		return nil, err
	}
	if err := m.patch.Change(files); err != nil {
		return nil, fmt.Errorf("%s: %w", m.name, err)
	}
	return files, nil
}

// TestMistakesAreTold: the table for teachers has a row for each mistake, with the
// checks that refuse it, and no other rows. Partial repairs of debug labs are not in
// it.
func TestMistakesAreTold(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(labsDir, "TEACHING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| lab | shows | the usual mistakes | by which they are seen |\n|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	told, number := []string{}, ""
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 {
			t.Fatalf("a row of %d cells: %s", len(cells), line)
		}
		if first := strings.TrimSpace(cells[0]); first != "" {
			number = first
		}
		told = append(told, fmt.Sprintf("%s: %s: %s", number, strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])))
	}
	all, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	made, partialRepairs := []string{}, map[string]int{}
	for _, m := range mistakes(t) {
		l, err := lab.Find(all, m.lab)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.files(l); err != nil {
			t.Error(err)
		}
		if l.Kind == lab.Debug {
			partialRepairs[l.Folder]++
			continue
		}
		made = append(made, fmt.Sprintf("%s: %s: %s", l.Number(), m.mistake, strings.Join(m.fails, ", ")))
	}
	slices.Sort(told)
	slices.Sort(made)
	if diff := cmp.Diff(made, told); diff != "" {
		t.Errorf("mistakes (-labs/mistakes +TEACHING.md):\n%s", diff)
	}
	for _, l := range all {
		if l.Kind == lab.Debug && partialRepairs[l.Folder] < 2 {
			t.Errorf("%s has %d partial repairs, want at least 2", l.Folder, partialRepairs[l.Folder])
		}
	}
}

// TestMistakesAreRefused: the check of the lab refuses each usual mistake, and says
// why. Without -every, each check refuses one.
func TestMistakesAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	all := slices.DeleteFunc(mistakes(t), func(m mistake) bool { return !regexp.MustCompile(*only).MatchString(m.name) })
	if !*every {
		all = oneForEach(all)
	}
	bundled := newBundle(t)
	var made []subject
	for _, m := range all {
		made = append(made, m.make(t, bundled))
	}
	bundled.build(t)
	for n, findings := range judgedForSure(t, 0.5, made, func(n int, f Finding) bool { return all[n].refused(f) }) {
		t.Run(made[n].name, func(t *testing.T) {
			for _, f := range findings {
				t.Logf("%s: %s %s", f.ID, f.Verdict, f.Found())
				if !all[n].refused(f) {
					t.Errorf("%s is %s, want Failed because of %q: %s", f.ID, f.Verdict, all[n].because, f.Found())
				}
				if next := all[n].next; f.ID == all[n].fails[0] && next != nil && !next.MatchString(f.Step(f.Found(), "")) {
					t.Errorf("the next step by %s is %q, want %q: %s", f.ID, f.Step(f.Found(), ""), next, f.Found())
				}
			}
		})
	}
}

// refused tells whether a finding refuses the mistake, and the first for the right reason.
func (m *mistake) refused(f Finding) bool {
	return f.Verdict == v1alpha1.Failed && (f.ID != m.fails[0] || m.because.MatchString(f.Found()))
}

// make makes the controller with the mistake, to be judged by what must refuse it.
func (m *mistake) make(t *testing.T, bundled *bundle) subject {
	t.Helper()
	all, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	l, err := lab.Find(all, m.lab)
	if err != nil {
		t.Fatal(err)
	}
	asked := *l
	asked.Checks = nil
	for _, id := range m.fails {
		n := slices.IndexFunc(l.Checks, func(c lab.Check) bool { return c.ID == id })
		if n < 0 {
			t.Fatalf("%s: %s does not ask for %s", m.name, l.Folder, id)
		}
		asked.Checks = append(asked.Checks, l.Checks[n])
	}
	files, err := m.files(l)
	if err != nil {
		t.Fatal(err)
	}
	return subject{m.name, l, Submission{bundled.add(t, files), []*lab.Lab{&asked}}}
}
