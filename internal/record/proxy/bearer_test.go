package proxy

import (
	"net/http"
	"testing"
)

// TestBearerInAnyCase: clients in other languages than Go may write the name of the
// scheme in lower case.
func TestBearerInAnyCase(t *testing.T) {
	tests := map[string]struct {
		header, token string
		ok            bool
	}{
		"Go":              {"Bearer abc.def.ghi", "abc.def.ghi", true},
		"Python":          {"bearer abc.def.ghi", "abc.def.ghi", true},
		"upper case":      {"BEARER abc.def.ghi", "abc.def.ghi", true},
		"two spaces":      {"Bearer  abc.def.ghi", "abc.def.ghi", true},
		"another scheme":  {"Basic abc", "abc", false},
		"a longer scheme": {"Bearers abc", "abc", false},
		"no token":        {"Bearer", "", false},
		"nothing":         {"", "", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			token, ok := bearer(http.Header{"Authorization": {test.header}})
			if token != test.token || ok != test.ok {
				t.Errorf("got %q, %v", token, ok)
			}
		})
	}
}
