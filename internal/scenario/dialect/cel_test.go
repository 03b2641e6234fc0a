package dialect

import (
	"strings"
	"testing"
)

var rules = []string{
	"new.spec.replicas > 3 && !has(old.status)",
	`new.?status.?readyReplicas.orValue(0) < new.spec.replicas`,
	`new.spec.template.spec.containers.exists(c, c.name == "app" && c.image != "a:1")`,
	`new.status.exists(field, new.status[field] == "Running" || type(new.status[field]) == list)`,
	`(old == null || new == null) ? false : (new.metadata.labels["a"] in ["b", "c"])`,
	`size(new.spec.list.filter(x, x > 1 - 2 * 3)) == 0`,
}

func TestRulesAreWrittenAsTheyWereRead(t *testing.T) {
	for _, text := range rules {
		rule, err := ParseRule(text, "old", "new")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := rule.String(); err != nil || got != text {
			t.Errorf("%s is written as %s, %v", text, got, err)
		}
	}
}

func TestOutsideOfCEL(t *testing.T) {
	for text, want := range map[string]string{
		"new.":                          "Syntax error",
		"other.spec == 1":               "undeclared reference to 'other'",
		"new.a.reverse() == []":         "the function reverse is not allowed",
		"timestamp(new.a) == new.b":     "the function timestamp is not allowed",
		"new.list.exists(c, d == 1)":    "undeclared reference to 'd'",
		"new.a.map(x, x > 1, x) == [1]": "must be called as LIST.map(NAME, EXPRESSION)",
	} {
		if _, err := ParseRule(text, "old", "new"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func FuzzRule(f *testing.F) {
	for _, text := range rules {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rule, err := ParseRule(text, "old", "new")
		if err != nil {
			return
		}
		written, err := rule.String()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseRule(written, "old", "new")
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, written, err)
		}
		if twice, err := again.String(); err != nil || twice != written {
			t.Errorf("%q is written as %q, and then as %q, %v", text, written, twice, err)
		}
	})
}
