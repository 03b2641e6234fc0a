package trial

import "testing"

func TestInNamespace(t *testing.T) {
	got := string(inNamespace([]byte(`{"spec":{"namespace":"{{ .namespace }}","text":"in {{ .namespace }}, not {{ .name }}"}}`), "explore-7"))
	if want := `{"spec":{"namespace":"explore-7","text":"in explore-7, not {{ .name }}"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
