package envtest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLateness: a process that did not start in time may be right, on a busy machine.
func TestLateness(t *testing.T) {
	for _, tc := range []struct{ err, want string }{
		{"starting it: timeout waiting for process kube-apiserver to start", "starting it: timeout waiting for process kube-apiserver to start (it has 1m0s: if this machine was busy, try again)"},
		{"starting it: no such file", "starting it: no such file"},
	} {
		if diff := cmp.Diff(tc.want, fmt.Sprint(lateness(errors.New(tc.err)))); diff != "" {
			t.Errorf("what is said (-want +got):\n%s", diff)
		}
	}
	if lateness(nil) != nil {
		t.Error("no error became one")
	}
}
