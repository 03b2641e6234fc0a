package scenarios_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/scenario/catalogue"
)

// TestAnyControllerInDocs: docs/verdict.md says which requirements need a contract.
func TestAnyControllerInDocs(t *testing.T) {
	requirements, err := catalogue.Read(os.DirFS("."), ".")
	if err != nil {
		t.Fatal(err)
	}
	var areas []string
	ids := map[string]map[string][]string{} // by area and column
	for _, r := range requirements {
		column := "workload"
		switch {
		case r.Any:
			column = "any"
		case r.Contract == catalogue.WebApps:
			column = "web app"
		case r.Contract != "":
			continue // of a contract of its own
		}
		if ids[r.Area] == nil {
			ids[r.Area] = map[string][]string{}
			areas = append(areas, r.Area)
		}
		ids[r.Area][column] = append(ids[r.Area][column], r.ID)
	}
	docs, err := os.ReadFile("../docs/verdict.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| area | any controller | any workload | only web apps |\n|---|---|---|---|\n"
	for _, area := range areas {
		row := fmt.Sprintf("| %s | %s | %s | %s |\n", area, inWords(ids[area]["any"]), inWords(ids[area]["workload"]), inWords(ids[area]["web app"]))
		if table += row; !strings.Contains(string(docs), row) {
			t.Errorf("docs/verdict.md, \"Any controller\": a row of the table should be\n%s", row)
		}
	}
	if !t.Failed() && !strings.Contains(string(docs), table+"\n") {
		t.Errorf("docs/verdict.md, \"Any controller\": the rows should be in this order, without others\n%s", table)
	}
}

// inWords writes a list of IDs of one area, in which those that follow each other are joined.
func inWords(ids []string) string {
	slices.Sort(ids)
	var parts []string
	for i := 0; i < len(ids); {
		j := i
		for j+1 < len(ids) && next(ids[j]) == ids[j+1] {
			j++
		}
		switch {
		case j == i:
			parts = append(parts, ids[i])
		case j == i+1:
			parts = append(parts, ids[i], ids[j])
		default:
			parts = append(parts, ids[i]+" to "+ids[j])
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// next returns the ID after another one.
func next(id string) string {
	prefix, digits, _ := strings.Cut(id, "-")
	var n int
	if _, err := fmt.Sscanf(digits, "%d", &n); err != nil {
		return ""
	}
	return fmt.Sprintf("%s-%03d", prefix, n+1)
}
