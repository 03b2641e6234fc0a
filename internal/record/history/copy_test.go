package history

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCopy: each line is copied with all its fields, and with the part of the run that
// it is from. A broken line does not spoil the others.
func TestCopy(t *testing.T) {
	long := `{"type":"request","path":"` + strings.Repeat("x", mostLine) + `"}`
	for name, tc := range map[string]struct {
		from string
		want []string
	}{
		"nothing":     {"", nil},
		"two lines":   {"{\"seq\":1}\n{\"seq\":2}\n", []string{`{"part":2,"seq":1}`, `{"part":2,"seq":2}`}},
		"no last end": {"{\"seq\":1}\n{\"seq\":2}", []string{`{"part":2,"seq":1}`, `{"part":2,"seq":2}`}},
		"half a line": {"{\"seq\":1}\n{\"se", []string{`{"part":2,"seq":1}`, "1 lines could not be read"}},
		"no objects":  {"7\n[]\n{}\n\n{ }\n", []string{"4 lines could not be read"}},
		"a long line": {long + "\n{\"seq\":1}\n", []string{`{"part":2,"seq":1}`, "2 lines could not be read"}},
	} {
		t.Run(name, func(t *testing.T) {
			var to bytes.Buffer
			if err := Copy(&to, 2, strings.NewReader(tc.from)); err != nil {
				t.Fatal(err)
			}
			got := strings.FieldsFunc(to.String(), func(r rune) bool { return r == '\n' })
			for n := range got {
				if n < len(tc.want) && strings.Contains(got[n], HistoryCut) && strings.Contains(got[n], tc.want[n]) {
					got[n] = tc.want[n]
				}
			}
			if diff := cmp.Diff(strings.Join(tc.want, "\n"), strings.Join(got, "\n")); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
	full := errors.New("disk full")
	if err := Copy(failing{full}, 1, strings.NewReader("{\"seq\":1}\n")); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }
