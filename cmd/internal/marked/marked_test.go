package marked

import "testing"

func TestReplace(t *testing.T) {
	const begin = "<!-- made by: make it -->\n"
	for name, tc := range map[string]struct{ page, want string }{
		"an old text":       {"a\n" + begin + "\nold\n\n" + End + "b\n", "a\n" + begin + "\nnew\n\n" + End + "b\n"},
		"none yet":          {begin + End, begin + "\nnew\n\n" + End},
		"no beginning":      {"a\n" + End, ""},
		"no end":            {begin + "a\n", ""},
		"the end is before": {End + begin, ""},
	} {
		got, err := Replace(tc.page, begin, "new\n")
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
