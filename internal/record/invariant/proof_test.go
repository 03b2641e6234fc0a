package invariant

import (
	"fmt"
	"testing"
)

// TestManyKinds: if a rule is broken in a thousand different ways, fifty violations are
// kept.
func TestManyKinds(t *testing.T) {
	record := View{}
	proofs := record.proofs()
	for n := range 1000 {
		proofs.add(kind{about: fmt.Sprint("get of ", n)}, int64(n+1), "no right to %d", n)
	}
	proofs.add(kind{about: "get of 0"}, 2000, "again")
	found := proofs.violations(forbidden{})
	if len(found) != mostKinds {
		t.Fatalf("%d violations", len(found))
	}
	for n, want := range map[int]string{0: "no right to 0 (#1, #2000)", mostKinds - 1: "no right to 49 (#50); and 950 of other kinds"} {
		if found[n].Message != want {
			t.Errorf("violation %d is %q, want %q", n, found[n].Message, want)
		}
	}
}
