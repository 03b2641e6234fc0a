package fault

import (
	"net/url"
	"testing"
)

// TestStartsWithList: whether a watch asks for the existing objects, or declines them, is read
// as the API server reads it.
func TestStartsWithList(t *testing.T) {
	for query, want := range map[string]struct{ starts, declines bool }{
		"watch=true":              {false, false},
		"sendInitialEvents=true":  {true, false},
		"sendInitialEvents=":      {true, false},
		"sendInitialEvents=1":     {true, false},
		"sendInitialEvents=false": {false, true},
		"sendInitialEvents=fAlse": {false, true},
		"sendInitialEvents=0":     {false, true},
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if starts, declines := startsWithList(values), declinesList(values); starts != want.starts || declines != want.declines {
			t.Errorf("%s: starts with a list %t, want %t; declines it %t, want %t", query, starts, want.starts, declines, want.declines)
		}
	}
}
