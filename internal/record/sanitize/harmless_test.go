package sanitize

import (
	"encoding/xml"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestText(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"nothing":                {"", ""},
		"as it is":               {"a line\n\tß 漢 👩‍💻 {\"a\": 1} #12 a::b ## [x]", "a line\n\tß 漢 👩‍💻 {\"a\": 1} #12 a::b ## [x]"},
		"colours":                {"\x1b[31mred\x1b[0m", "red"},
		"the cursor":             {"a\x1b[2J\x1b[1;1Hb\x1b[?25l", "ab"},
		"a title":                {"\x1b]0;owned\x07a\x1b]8;;http://x\x1b\\b", "ab"},
		"half a sequence":        {"\x1b[31", `\x1b[31`},
		"a sequence in another":  {"\x1b\x1b[0m[31m", `\x1b[31m`},
		"other controls":         {"\x00\a\b\v\f\x7f\u0085\u009b", `\x00\x07\x08\x0b\x0c\x7f\u0085\u009b`},
		"lines of Windows":       {"a\r\nb", "a\nb"},
		"a line over another":    {"passed\rfailed", `passed\x0dfailed`},
		"invalid UTF-8":          {"a\xff\xc3(", `a\xff\xc3(`},
		"somebody's replacement": {"a\ufffd", "a\ufffd"},
		"the other direction":    {"a\u202eb\u2066c", `a\u202eb\u2066c`},
		"not in XML":             {"a\uffff\ufffe", `a\uffff\ufffe`},
		"lines of JavaScript":    {"a\u2028::error::b", `a\u2028::error::b`},
		"GitHub":                 {"::error::no", ": :error::no"},
		"GitHub, later":          {"a\n \t\u00a0::set-output name=a::b\n::stop-commands::x", "a\n \t\u00a0: :set-output name=a::b\n: :stop-commands::x"},
		"GitHub, after a line":   {"a\r::error::b", `a\x0d::error::b`},
		"GitHub, disguised":      {"\x1b[0m:\x1b[0m:error::b", ": :error::b"},
		"GitHub, the old way":    {"a ##[error]b ###[x]", "a # #[error]b ## #[x]"},
		"Azure":                  {"a##vso[task.setvariable variable=x]y", "a# #vso[task.setvariable variable=x]y"},
		"TeamCity":               {"##teamcity[buildStop]", "# #teamcity[buildStop]"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Text(tc.text)); diff != "" {
				t.Errorf("Text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCut(t *testing.T) {
	long := "begin" + strings.Repeat("x", 1<<20) + "end"
	got := Cut(long, 1000)
	if !strings.HasPrefix(got, "beginx") || !strings.HasSuffix(got, "xend") || !strings.Contains(got, "x… (1047632 characters left out) …x") || len(got) > 1000 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	kept := strings.NewReplacer("begin", "", "end", "", "… (1047632 characters left out) …", "").Replace(got)
	if len(long)-len(kept)-len("beginend") != 1047632 {
		t.Errorf("what is left out is counted wrongly: %d are kept", len(kept))
	}
	for _, text := range []string{"", strings.Repeat("x", 1000), strings.Repeat("ü", 1000)} {
		if Cut(text, 1000) != text {
			t.Errorf("%d bytes were cut", len(text))
		}
	}
	words := Cut(strings.Repeat("fourteen words ", 30), 100)
	if want := "fourteen words fourteen words fourteen… (406 characters left out) …words "; words != want {
		t.Errorf("got %q, want %q", words, want)
	}
}

func TestCutEnd(t *testing.T) {
	long := strings.Repeat("x", 50)
	for name, tc := range map[string]struct {
		text string
		most int
		want string
	}{
		"short":              {"zwölf Wörter", 12, "zwölf Wörter"},
		"at a space":         {"zwölf Wörter", 6, "zwölf…"},
		"in a word":          {"zwölf Wörter", 10, "zwölf…"},
		"in the first word":  {"zwölf Wörter", 4, "zwö…"},
		"no space near":      {"a " + long, 30, "a " + long[:27] + "…"},
		"no room":            {"zwölf", 0, "…"},
		"a space at the cut": {"a  b", 3, "a…"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := CutEnd(tc.text, tc.most); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestCutList(t *testing.T) {
	for name, tc := range map[string]struct {
		separator string
		texts     []string
		want      string
	}{
		"none":               {", ", nil, ""},
		"as many as allowed": {", ", []string{"a", "b"}, "a, b"},
		"one too many":       {", ", []string{"a", "b", "c"}, "a, b and 1 more"},
		"parts of sentences": {"; ", []string{"a", "b", "c", "d"}, "a; b; and 2 more"},
		"lines":              {"\n", []string{"a", "b", "c", "d"}, "a\nb\nand 2 more"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := CutList(tc.texts, 2, tc.separator); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAll(t *testing.T) {
	type inner struct{ Text string }
	type outer struct {
		Text    string
		Inner   *inner
		Several []inner
		Lines   []string
		Numbers []int
		None    *inner
		hidden  string
	}
	lines := make([]string, 1000)
	for i := range lines {
		lines[i] = "\a"
	}
	lines[0] = strings.Repeat("x", 1<<20)
	value := &outer{
		Text: "\a", Inner: &inner{"::error::"}, Several: []inner{{"ok"}, {strings.Repeat("\x00", 1<<20)}},
		Lines: lines, Numbers: []int{1}, hidden: "\a",
	}
	All(value)
	long, first, kept := value.Several[1].Text, value.Lines[0], value.Lines[1:]
	if len(long) > 4*mostText || len(first) > MostLine || len(kept) != mostLines || kept[99] != "… (800 lines left out) …" {
		t.Errorf("%d bytes, a line of %d, %d lines, %q", len(long), len(first), len(kept), kept[99])
	}
	value.Several[1].Text, value.Lines = "", nil
	want := &outer{Text: `\x07`, Inner: &inner{": :error::"}, Several: []inner{{"ok"}, {""}}, Numbers: []int{1}, hidden: "\a"}
	if diff := cmp.Diff(want, value, cmp.AllowUnexported(outer{})); diff != "" {
		t.Errorf("All (-want +got):\n%s", diff)
	}
}

// These patterns are written differently from the code that they test.
var (
	github   = regexp.MustCompile(`^[\s\p{Z}]*::`)
	brackets = regexp.MustCompile(`##[A-Za-z0-9_]*\[`)
)

func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "\x1b[31mred\x1b[0m", "\x1b]0;x\x07", "a\r\n::error::b", "##vso[x]", "###[", "\xff\xfe\u202e", ":::\n\n :\x1b[m:", "\x1b\x1b[0m["} {
		f.Add(seed, 200)
	}
	f.Fuzz(func(t *testing.T, text string, most int) {
		got := Text(text)
		if !utf8.ValidString(got) {
			t.Errorf("invalid UTF-8: %q", got)
		}
		if strings.ContainsFunc(got, func(r rune) bool {
			return r != '\n' && r != '\t' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r))
		}) {
			t.Errorf("it holds what is obeyed: %q", got)
		}
		if brackets.MatchString(got) {
			t.Errorf("it holds a command: %q", got)
		}
		for line := range strings.Lines(got) {
			if github.MatchString(line) {
				t.Errorf("a line is a command: %q", line)
			}
		}
		if again := Text(got); again != got {
			t.Errorf("it is %q, and once more %q", got, again)
		}
		var back struct {
			Text string `xml:",chardata"`
		}
		encoded, err := xml.Marshal(struct {
			XMLName xml.Name `xml:"x"`
			Text    string   `xml:",chardata"`
		}{Text: got})
		if err != nil || xml.Unmarshal(encoded, &back) != nil || back.Text != got {
			t.Errorf("XML has %q for %q: %v", back.Text, got, err)
		}
		most = 100 + max(0, most%10000)
		if cut := Cut(text, most); utf8.RuneCountInString(cut) > most {
			t.Errorf("Cut to %d has %d", most, len(cut))
		} else if Cut(cut, most) != cut {
			t.Errorf("it is cut again: %q", cut)
		} else if utf8.ValidString(text) && !utf8.ValidString(cut) {
			t.Errorf("a character is cut: %q", cut)
		}
		if cut := CutEnd(text, most); utf8.RuneCountInString(cut) > most {
			t.Errorf("CutEnd to %d has %d", most, utf8.RuneCountInString(cut))
		} else if utf8.ValidString(text) && !utf8.ValidString(cut) {
			t.Errorf("a character is cut: %q", cut)
		}
	})
}
