package history

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// TestEachTextOfASubject: each text in a request may be a subject's own words, so none of them
// is long in the file, and none has a token.
func TestEachTextOfASubject(t *testing.T) {
	const token = "eyJhbGciOiJSUzI1NiIsImtpZCI6IiJ9.e30.signature"
	own := map[string]bool{"Scenario": true, "Subject": true, "Replica": true, "Fault": true, "Fixed": true} // the bench's own words
	kind := reflect.TypeFor[Request]()
	for n := range kind.NumField() {
		field := kind.Field(n)
		if field.Type != reflect.TypeFor[string]() || own[field.Name] {
			continue
		}
		t.Run(field.Name, func(t *testing.T) {
			var file bytes.Buffer
			recorder := New(&file, nil)
			set := func(r *Request) { reflect.ValueOf(r).Elem().Field(n).SetString(strings.Repeat("x ", 1<<14) + token) }
			var request Request
			set(&request)
			recorder.Begin(request).Finish(set)
			if err := recorder.Close(); err != nil {
				t.Fatal(err)
			}
			if file.Len() > 2*mostPath || strings.Contains(file.String(), "signature") {
				t.Errorf("the line has %d bytes: %.2000s", file.Len(), file.String())
			}
		})
	}
}
