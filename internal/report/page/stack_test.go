package page

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestStackedTables: a table whose rows are stacked on a narrow page has no heads there, so
// each cell has the head of its column.
func TestStackedTables(t *testing.T) {
	html, err := os.ReadFile("assets/page.html")
	if err != nil {
		t.Fatal(err)
	}
	tables := regexp.MustCompile(`(?s)<table[^>]*><thead>(.*?)</thead>(.*?)</table>`).FindAllStringSubmatch(string(html), -1)
	if len(tables) < 6 {
		t.Fatalf("found %d tables", len(tables))
	}
	firsts := func(pattern, text string) []string {
		var found []string
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			found = append(found, m[1])
		}
		return found
	}
	for _, table := range tables {
		heads, cells := firsts(`<th scope="col">(.*?)</th>`, table[1]), firsts(`<td(?: data-head="([^"]*)")?>`, table[2])
		if len(heads) == 0 || !slices.Equal(heads[1:], cells) {
			t.Errorf("a table with the heads %q has cells of %q", heads, cells)
		}
	}
}
