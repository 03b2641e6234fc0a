package nearest

import "testing"

func TestQuestion(t *testing.T) {
	for word, want := range map[string]string{
		"nevr": ` (did you mean "never"?)`, "SH-04": ` (did you mean "SH-004"?)`, "Replica": ` (did you mean "replicas"?)`, "colour": "",
	} {
		if got := Question(word, []string{"never", "eventually", "SH-004", "replicas"}); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
