package history

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestLongTexts: however long the texts that a subject sends, they are short in the
// file.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	many := make([]string, 1000)
	for i := range many {
		many[i] = long
	}
	var file bytes.Buffer
	recorder := New(&file, nil)
	recorder.Begin(Request{Path: "/" + long, Name: long, Namespace: long, Resource: long, Subresource: long}).Finish(func(r *Request) {
		r.Message, r.Note, r.Holder, r.Owners, r.StatusFields, r.Finalizers, r.Changed = long, long, long, make([]Owner, 1000), many, many, many
	})
	recorder.Event(Event{Message: long})
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", file.Len())
	if file.Len() > 400<<10 {
		t.Errorf("the file has %d bytes", file.Len())
	}
	if !strings.Contains(file.String(), "… (1044529 characters left out) …") {
		t.Errorf("it does not say what was left out of the path: %.5000s", file.String())
	}
}

// TestFullFile: when the file reaches its limit, the last line says so, and nothing
// more is written.
func TestFullFile(t *testing.T) {
	var file bytes.Buffer
	recorder := New(&file, nil)
	recorder.journal.most = 1000
	for range 100 {
		recorder.Event(Event{Reason: FaultFired})
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(file.String(), "\n"), "\n")
	var last Event
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if last.Reason != HistoryCut || !strings.Contains(last.Message, " lines were left out") || file.Len() > 1300 {
		t.Errorf("%d bytes, the last: %+v", file.Len(), last)
	}
}
