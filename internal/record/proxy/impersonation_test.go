package proxy_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestImpersonation: the rights that count are those of whom the replica acts for, as in the API
// server.
func TestImpersonation(t *testing.T) {
	for name, tc := range map[string]struct {
		users  map[string]string // who may list Pods, and their groups
		header []string
		code   int
	}{
		"itself":            {map[string]string{"system:serviceaccount:a:subject": "system:authenticated,system:serviceaccounts,system:serviceaccounts:a"}, nil, 200},
		"a user":            {map[string]string{"jane": "system:authenticated"}, []string{"Impersonate-User", "jane"}, 200},
		"one of a group":    {map[string]string{"jane": "system:authenticated,dev"}, []string{"Impersonate-User", "jane", "Impersonate-Group", "dev"}, 200},
		"a ServiceAccount":  {map[string]string{"system:serviceaccount:b:deployer": "system:authenticated,system:serviceaccounts,system:serviceaccounts:b"}, []string{"Impersonate-User", "system:serviceaccount:b:deployer"}, 200},
		"one who may not":   {map[string]string{"system:serviceaccount:a:subject": "system:authenticated,system:serviceaccounts,system:serviceaccounts:a"}, []string{"Impersonate-User", "jane"}, 403},
		"and the other way": {map[string]string{"jane": "system:authenticated"}, nil, 403},
	} {
		t.Run(name, func(t *testing.T) {
			server := newFakeServer(t)
			server.users = tc.users
			r := newReplica(t, server.config(), scopeA)
			// One who acts for itself and for another in turn is asked about each time.
			r.do(t, "GET", "/api/v1/pods", "", "Impersonate-User", "somebody-else")
			server.last()
			response, body := r.do(t, "GET", "/api/v1/pods", "", tc.header...)
			if response.StatusCode != tc.code {
				t.Errorf("answered with %d %s", response.StatusCode, body)
			}
			sent := server.last()
			if (sent != nil) != (tc.code == http.StatusOK) {
				t.Errorf("sent on: %v", sent)
			}
			if sent != nil && len(tc.header) > 0 && sent.Header.Get("Impersonate-User") != tc.header[1] {
				t.Errorf("sent on for %q", sent.Header.Get("Impersonate-User"))
			}
			if tc.code == http.StatusForbidden && len(tc.header) > 0 && !strings.Contains(body, tc.header[1]) {
				t.Errorf("it does not say who may not: %s", body)
			}
		})
	}
}
