package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reconform.dev/reconform/cmd/internal/marked"
)

// TestFit: plans that are made of writes and watches are taken apart again.
func TestFit(t *testing.T) {
	made := func(pairs ...[2]int) (all []explored) {
		for _, p := range pairs {
			all = append(all, explored{writes: p[0], watches: p[1], plans: 13*p[0] + 2*p[1]})
		}
		return all
	}
	for name, tc := range map[string]struct {
		all             []explored
		perWrite, watch float64
	}{
		"of both":            {made([2]int{1, 3}, [2]int{4, 3}, [2]int{0, 2}, [2]int{7, 5}), 13, 2},
		"of writes only":     {made([2]int{1, 0}, [2]int{4, 0}), 13, 0},
		"always as many":     {[]explored{{writes: 2, watches: 2, plans: 30}, {writes: 4, watches: 4, plans: 60}}, 15, 0},
		"nothing was found":  {nil, 0, 0},
		"nothing is written": {[]explored{{}}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			perWrite, perWatch := fit(tc.all)
			if math.Abs(perWrite-tc.perWrite) > 1e-9 || math.Abs(perWatch-tc.watch) > 1e-9 {
				t.Errorf("%g and %g, want %g and %g", perWrite, perWatch, tc.perWrite, tc.watch)
			}
		})
	}
}

// TestWrite: what stands around the table stays, and the picture has a dot for each controller.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "explore.md")
	found := []explored{{"<mine>", 2, 4, 2, 55}, {"other", 1, 1, 2, 15}}
	if err := write(dir, table(found), found); err == nil {
		t.Error("no error without a page")
	}
	if err := os.WriteFile(page, []byte("before\n"+begin+"old\n"+marked.End+"after\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write(dir, table(found), found); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"before\n", "| <mine> | 2 | 4 | 2 | 55 | 13.8 |", "after\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("without %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "old") {
		t.Errorf("the old table is still there:\n%s", text)
	}
	picture, err := os.ReadFile(filepath.Join(dir, "explore.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(picture), "<circle") != 2 || strings.Contains(string(picture), "<mine>") {
		t.Errorf("two dots, with titles that are escaped:\n%s", picture)
	}
}
