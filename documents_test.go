package reconform_test

import (
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"reconform.dev/reconform/envtest"
)

// TestNumbersInREADME: numbers that the README gives are those of the repository.
func TestNumbersInREADME(t *testing.T) {
	readme := read(t, "README.md")
	for what, pattern := range map[string]string{
		"requirements": "scenarios/*/*/chainsaw-test.yaml",
		"mutants":      "fixtures/mutants/*/*.patch",
	} {
		files := glob(t, pattern)
		// The README may say fewer, so that a new one needs no change there, but not by more
		// than a fifth.
		said := number(t, readme, `[Mm]ore than (\d+) `+what)
		if count := len(files); count <= said || said*10 < count*8 {
			t.Errorf("the README says more than %d %s, and there are %d", said, what, count)
		}
	}
	anyone := 0
	for _, file := range glob(t, "scenarios/*/*/chainsaw-test.yaml") {
		if strings.Contains(read(t, file), "    reconform.dev/any:") {
			anyone++
		}
	}
	if said := number(t, readme, `about (\d+) requirements need no`); said*10 < anyone*8 || said*10 > anyone*12 {
		t.Errorf("the README says that about %d requirements need no contract, and it is %d", said, anyone)
	}
	trial := regexp.MustCompile(`Of (\d+) failed rows (\d+) are true, (\d+) name another cause, and (\d+) are false`).FindStringSubmatch(read(t, "docs/field-reports.md"))
	said := regexp.MustCompile(`Of (\d+) failed requirements (\d+) were\s[^,]*, (\d+) were\s[^,]*, and (\d+) were`).FindStringSubmatch(readme)
	if trial == nil || said == nil || !slices.Equal(trial[1:], said[1:]) {
		t.Errorf("the README says of the field trial %q, and docs/field-reports.md %q", said, trial)
	}
	blind := regexp.MustCompile(`(?m)^## [\d-]+: (\d+ of \d+)$`).FindStringSubmatch(read(t, "docs/blind-trial.md"))
	if blind == nil || !strings.Contains(readme, blind[1]) {
		t.Errorf("the README does not give the result of the last blind trial, %q", blind)
	}
}

// TestVersionsInREADME: the README names the versions of Kubernetes that the suite has, and
// is tried on.
func TestVersionsInREADME(t *testing.T) {
	readme := read(t, "README.md")
	versions := regexp.MustCompile(`(?m)^KUBERNETES_VERSION := (\S+)$|^ *- kubernetes: "(\S+)"$`)
	found := versions.FindAllStringSubmatch(read(t, "Makefile")+read(t, ".github/workflows/e2e.yml"), -1)
	if len(found) < 2 {
		t.Fatalf("the Makefile and e2e.yml name %d versions of Kubernetes", len(found))
	}
	for _, m := range found {
		if version := m[1] + m[2]; !strings.Contains(readme, version) {
			t.Errorf("the README does not name Kubernetes %s", version)
		}
	}
}

// TestVersionsOfNight: the nightly workflow tries each version of Kubernetes that the suite
// has beside its own, by targets that there are.
func TestVersionsOfNight(t *testing.T) {
	night := read(t, ".github/workflows/nightly.yml")
	lists := regexp.MustCompile(`(?m)^ +kubernetes: \[(.*)\]\n +target: \[(.*)\]$`).FindStringSubmatch(night)
	if lists == nil {
		t.Fatal("nightly.yml has no lists kubernetes and target, one below the other")
	}
	var want []string
	for _, version := range envtest.Versions() {
		if minor := strings.TrimPrefix(version[:strings.LastIndex(version, ".")], "v"); version != envtest.Version {
			want = append(want, strconv.Quote(minor))
		}
	}
	if all := strings.Join(want, ", "); lists[1] != all {
		t.Errorf("the nightly workflow tries the versions %s, and there are %s", lists[1], all)
	}
	for target := range strings.SplitSeq(lists[2], ", ") {
		if !strings.Contains(read(t, "Makefile"), "\n"+target+":") {
			t.Errorf("the nightly workflow runs make %s, which the Makefile does not have", target)
		}
	}
}

// TestPictureInREADME: the picture is there, says in words what it shows, and can be read.
func TestPictureInREADME(t *testing.T) {
	found := regexp.MustCompile(`!\[([^\]]+)\]\(([^)]+\.png)\)`).FindStringSubmatch(read(t, "README.md"))
	if found == nil {
		t.Fatal("README.md has no picture (make picture)")
	}
	file, err := os.Open(found[2])
	if err != nil {
		t.Fatalf("%v (make picture)", err)
	}
	defer file.Close()
	picture, err := png.DecodeConfig(file)
	if err != nil {
		t.Fatalf("%s: %v", found[2], err)
	}
	if picture.Width < 900 || picture.Height < 400 {
		t.Errorf("%s is %d × %d, too small to read", found[2], picture.Width, picture.Height)
	}
}

// TestKindsByHand: docs/by-hand.md has a row for each kind of object that the bench serves.
func TestKindsByHand(t *testing.T) {
	page := read(t, "docs/by-hand.md")
	crds, err := filepath.Glob("conformance/api/crds/*.yaml")
	if err != nil || len(crds) == 0 {
		t.Fatalf("found %d CRDs of the bench: %v", len(crds), err)
	}
	for _, file := range crds {
		kind := regexp.MustCompile(`(?m)^    kind: (\w+)$`).FindStringSubmatch(read(t, file))
		if kind == nil {
			t.Fatalf("%s names no kind", file)
		}
		if kind[1] != "Profile" && !strings.Contains(page, "| `"+kind[1]+"` |") {
			t.Errorf("docs/by-hand.md has no row for %s", kind[1])
		}
	}
}

// TestProgramsInCONTRIBUTING: the row about cmd/ names each program there.
func TestProgramsInCONTRIBUTING(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `cmd/` \\|.*$").FindString(read(t, "CONTRIBUTING.md"))
	for _, folder := range glob(t, "cmd/*/") {
		name := filepath.Base(folder)
		if name == "reconform" || name == "internal" {
			continue
		}
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(row) {
			t.Errorf("the row about cmd/ in CONTRIBUTING.md does not name %s", name)
		}
	}
}

// TestLinksInDocuments: a link to another file of the repository, or to a heading, leads
// there.
func TestLinksInDocuments(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	anchors := map[string][]string{}
	for _, document := range documents(t) {
		for _, m := range links.FindAllStringSubmatch(withoutCode(read(t, document)), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := document
			if file != "" {
				target = filepath.Join(filepath.Dir(document), file)
			}
			info, err := os.Stat(target)
			if err != nil {
				t.Errorf("%s: there is no %s", document, m[1])
				continue
			}
			if anchor == "" || info.IsDir() || filepath.Ext(target) != ".md" {
				continue
			}
			if anchors[target] == nil {
				anchors[target] = headings(read(t, target))
			}
			if !slices.Contains(anchors[target], anchor) {
				t.Errorf("%s: there is no heading for %s", document, m[1])
			}
		}
	}
}

// documents returns the Markdown files of the repository.
func documents(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (slices.Contains([]string{"bin", "reports", "node_modules", "testdata"}, entry.Name()) || len(entry.Name()) > 1 && entry.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("found %d documents", len(files))
	}
	return files
}

// headings returns the anchors of a Markdown file, as GitHub makes them.
func headings(text string) []string {
	var anchors []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$|<a id="([^"]+)">`).FindAllStringSubmatch(withoutBlocks(text), -1) {
		name := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(m[1], "$1")
		name = regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(name), "")
		anchors = append(anchors, strings.ReplaceAll(name, " ", "-")+m[2])
	}
	return anchors
}

// withoutBlocks returns a text without its fenced blocks.
func withoutBlocks(text string) string {
	return regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(text, "")
}

// withoutCode returns a text without its fenced blocks and without code in a line.
func withoutCode(text string) string {
	return regexp.MustCompile("`[^`\n]*`").ReplaceAllString(withoutBlocks(text), "code")
}

// number returns the number that a pattern finds in a text.
func number(t *testing.T, text, pattern string) int {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("found no %s", pattern)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// glob returns the files of a pattern.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// read returns the content of a file.
func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestQuotesInComparison: the code that docs/comparison.md quotes stands in the file that
// it names before the quote, line by line and in that order.
func TestQuotesInComparison(t *testing.T) {
	const page = "docs/comparison.md"
	quotes := regexp.MustCompile("(?ms)\\[[^\\]]*\\]\\((\\.\\./[^)]*\\.go)\\):\n\n```go\n(.*?)^```$")
	text := read(t, page)
	found := quotes.FindAllStringSubmatch(text, -1)
	if blocks := strings.Count(text, "```go\n"); len(found) != blocks {
		t.Errorf("of %d quotes, %d follow the name of a file", blocks, len(found))
	}
	for _, quote := range found {
		rest := read(t, filepath.Join(filepath.Dir(page), quote[1]))
		for line := range strings.Lines(quote[2]) {
			line = strings.TrimSpace(line)
			if line == "" || line == "// …" {
				continue
			}
			_, after, ok := strings.Cut(rest, line)
			if !ok {
				t.Errorf("%s has no line %q, or it comes earlier than the quote says", quote[1], line)
				break
			}
			rest = after
		}
	}
}
