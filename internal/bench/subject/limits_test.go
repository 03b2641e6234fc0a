package subject

import (
	"testing"

	"reconform.dev/reconform/internal/process/sandbox"
)

func TestExcess(t *testing.T) {
	for name, tc := range map[string]struct {
		usage sandbox.Usage
		want  string
	}{
		"within":             {sandbox.Usage{Memory: mostMemory, Processes: mostProcesses, Descriptors: 1 << 20}, ""},
		"too much memory":    {sandbox.Usage{Memory: mostMemory + 1<<20}, "it held 4097 MiB of memory, and at most 4096 are allowed"},
		"too many processes": {sandbox.Usage{Processes: mostProcesses + 1}, "it had 1001 processes, and at most 1000 are allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := excess(tc.usage); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
