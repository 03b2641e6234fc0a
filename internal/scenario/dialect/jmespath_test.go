package dialect

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// expressions are written as the printer writes them.
var expressions = []string{
	"a", "a.b.c", `a."b.c/d"`, "@", "$x.y", "a[0].b", "a[-1]", "a[1:2].b", "a[::-1]", "a[:3]", "(a[*].b)[0]", "a[*].b[0]",
	"a[?b == 'c'].d", "a[?b == 'c'] | [0].d", "[?a]", "[]", "[*].a", "*", "a.*", "a.*[]", "a[].b[].c", "(a || b)[].c",
	"[a, b][][]", "{a: b, \"c d\": e.f}", "a.[b, c]", "a.{b: c}", "!a", "!(a.b)", "!contains(a, b)", "a && b || c",
	"(a || b) && c", "a || (b || c)", "a | b | c", "a | (b | c)", "a == b", "(a == b) == c", "(a || b) == c",
	"(a + b) * c", "a + (b * c)", "a.b * c", "-a", "-(a.b)", "map(&to_number(@), a)", "sort_by(a, &b.c)", "`1`", "`\"a\\\\\"`",
	"`[1, 2]`", "'a\\'b'", `'^[a-z]\d$'`, "join('', [a, 'b'])", "items(@, 'name')[].a", "a[].b[?c].d", "a[?b][?c]", "a[?b].c[]",
	"(a[?b])[?c]", "a.length(@)", "a[].length(@)", "[(*), a]", "a.[b][0]",
}

func TestPrintKeepsTheTree(t *testing.T) {
	for _, text := range expressions {
		n, err := ParseJMESPath(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		printed := PrintJMESPath(n)
		again, err := ParseJMESPath(printed)
		if err != nil {
			t.Errorf("%s: written as %s: %v", text, printed, err)
			continue
		}
		if diff := cmp.Diff(n, again); diff != "" {
			t.Errorf("%s: written as %s: %s", text, printed, diff)
		}
	}
}

func FuzzPrint(f *testing.F) {
	for _, text := range expressions {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseJMESPath(text)
		if err != nil {
			return
		}
		printed := PrintJMESPath(n)
		again, err := ParseJMESPath(printed)
		if err != nil {
			t.Fatalf("%q: written as %q: %v", text, printed, err)
		}
		if !reflect.DeepEqual(n, again) {
			t.Errorf("%q: written as %q, which is another tree", text, printed)
		}
	})
}

func TestOutsideOfJMESPath(t *testing.T) {
	for text, want := range map[string]string{
		"$.a":               "$ alone is not allowed",
		"let $a = b in $a":  "let and = are not allowed",
		"random('[a-z]')":   "the function random is not allowed",
		"x_k8s_get($c, 'a)": "Unclosed delimiter",
		"length()":          "length has 0 arguments, and needs 1",
		"a[":                "",
		"a ==":              "",
		"":                  "",
	} {
		if _, err := ParseJMESPath(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestTexts(t *testing.T) {
	for text, want := range map[string]Text{
		"plain":               {Plain: "plain"},
		"a.(b)":               {Plain: "a.(b)"},
		`\(not evaluated)\`:   {Plain: `\(not evaluated)\`},
		"~.list":              {Plain: "list", Foreach: true},
		"~i.list->x":          {Plain: "list", Foreach: true, Index: "i", Binding: "x"},
		"apps/v1":             {Plain: "apps/v1"},
		"kubernetes.io/thing": {Plain: "kubernetes.io/thing"},
	} {
		got, err := ParseKey(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if got.String() != text {
			t.Errorf("%s is written as %s", text, got)
		}
	}
	got, err := ParseKey("~i.(a.b) -> x")
	if err != nil || got.Expression == nil || got.String() != "~i.(a.b)->x" {
		t.Errorf("got %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"(cel;a == b)": "an expression of cel: write JMESPath",
		"(a\n)":        "over several lines",
		"(a b)":        "SyntaxError",
	} {
		if _, err := ParseValue(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
