package invariant

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"reconform.dev/reconform/internal/record/history"
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

// TestLongNames: however long the names are that a subject asks for, its violations fit into
// the status of the Subject.
func TestLongNames(t *testing.T) {
	var account history.Account
	at := time.Now()
	for n := range 60 {
		name := strings.Repeat("x", 20<<10) + fmt.Sprint(n)
		for range mostIdentical + 1 {
			account.Requests = append(account.Requests, history.Request{
				Seq: int64(len(account.Requests) + 1), Time: at, Verb: history.VerbUpdate, Group: "apps", Resource: "deployments", Name: name, Code: 409,
			})
		}
	}
	var view View
	for n := range account.Requests {
		view.All = append(view.All, &account.Requests[n])
	}
	found := hotLoop{}.Broken(&view)
	if len(found) != mostKinds {
		t.Fatalf("%d violations", len(found))
	}
	encoded, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	if len(encoded) > 512<<10 {
		t.Errorf("%d violations have %d bytes", len(found), len(encoded))
	}
}
