package history

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestRead: a file is read as the recorder wrote it, also a merged one.
func TestRead(t *testing.T) {
	var file, merged bytes.Buffer
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	request := Request{
		Seq: 7, Time: at, Scenario: "a", Replica: "a-0", Verb: VerbUpdate, Method: "PUT", Path: "/x", Resource: "deployments",
		Name: "demo", Code: 409, Reason: "Conflict", Generation: 3, Owners: []Owner{{Kind: "WebApp", Name: "demo"}},
		Effect: EffectRefused, Duration: metav1.Duration{Duration: time.Second}, Finished: true, Fault: "late",
	}
	event := Event{
		Seq: 8, Time: at, Scenario: "a", Object: "Fault/late", Reason: FaultFired, Message: "#7", Election: true, Optional: true,
		Took: metav1.Duration{Duration: time.Minute},
	}
	for _, entry := range []any{request, event} {
		line, err := encode(entry)
		if err != nil {
			t.Fatal(err)
		}
		file.Write(line)
	}
	if err := Copy(&merged, 2, bytes.NewReader(file.Bytes())); err != nil {
		t.Fatal(err)
	}
	for part, text := range map[int]string{0: file.String(), 2: merged.String() + "\n\n"} {
		var got []Entry
		if err := Read(strings.NewReader(text), func(e Entry) { got = append(got, e) }); err != nil {
			t.Fatal(err)
		}
		want := []Entry{{Part: part, Request: &request}, {Part: part, Event: &event}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("part %d (-want +got):\n%s", part, diff)
		}
	}
}

// TestReadWhatIsBroken: the error names the line.
func TestReadWhatIsBroken(t *testing.T) {
	good := `{"type":"event","reason":"FaultArmed"}` + "\n"
	for name, tc := range map[string]struct{ text, want string }{
		"no JSON":      {good + "oops\n", "line 2: neither a request nor an event: "},
		"cut off":      {good + good + good[:20], "line 3: neither a request nor an event: "},
		"another type": {"\n" + `{"type":"x"}`, `line 2: neither a request nor an event: its type is "x"`},
		"no object":    {"[1]\n", "line 1: neither a request nor an event: "},
		"too long":     {good + strings.Repeat("x", mostLine+1), "line 2 is longer than 4 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Read(strings.NewReader(tc.text), func(Entry) {})
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}
