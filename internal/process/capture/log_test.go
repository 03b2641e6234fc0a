package capture

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLogOfSeveralProcesses: of all that the processes of a replica write, the first and
// the last part are kept, with the number of bytes between them.
func TestLogOfSeveralProcesses(t *testing.T) {
	const small, large = 1000, 3 << 20
	for name, sizes := range map[string][]int{
		"nothing":               {0},
		"little":                {small},
		"twice little":          {small, small},
		"just full":             {First},
		"a little more":         {First + small},
		"and once more":         {First + small, small},
		"much":                  {First + large},
		"much, then little":     {First + large, small, small},
		"much, and again":       {large, large, large, large},
		"much, then just a bit": {First + last + 1, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			var all []byte
			for process, size := range sizes {
				l, err := openLog(path)
				if err != nil {
					t.Fatal(err)
				}
				own := bytes.Repeat([]byte{byte('a' + process)}, size)
				for rest := own; len(rest) > 0; {
					n := min(len(rest), 7777)
					l.add(rest[:n])
					rest = rest[n:]
				}
				if got, want := l.end(l.own), own[max(0, len(own)-last):]; !bytes.Equal(got, want) {
					t.Errorf("the end of process %d has %d bytes, want %d", process, len(got), len(want))
				}
				if err := l.close(); err != nil {
					t.Fatal(err)
				}
				all = append(all, own...)
			}
			want := all
			if cut := len(all) - First - last; cut > 0 {
				want = fmt.Appendf(bytes.Clone(all[:First]), leftOut, cut)
				want = append(want, all[len(all)-last:]...)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the log has %d bytes, want %d; %.80q", len(got), len(want), strings.TrimLeft(string(got), "abcd"))
			}
		})
	}
}
