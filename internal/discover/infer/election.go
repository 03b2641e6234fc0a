package infer

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/verdict/seen"
)

// election returns the election that counts: the one whose Lease is held. A program with several
// controllers may have a Lease for each: then it is the one with the kind in its name. others are
// the further Leases that it held.
func (r *Record) election() (of seen.Election, others []string, ok bool) {
	account := r.Account
	if end, ok := r.act(Terminate); ok { // later requests belong to another process
		account.Requests = slices.DeleteFunc(slices.Clone(account.Requests), func(q history.Request) bool { return q.Seq > end.UntilSeq })
	}
	all := seen.Elections(account, r.Home)
	all = slices.DeleteFunc(all, func(e seen.Election) bool { return !e.Held })
	if len(all) == 0 {
		return seen.Election{}, nil, false
	}
	n := max(slices.IndexFunc(all, func(e seen.Election) bool { return r.isNamedAfterKind(e.Lease.Name) }), 0)
	e := all[n]
	for i, other := range all {
		if i != n {
			others = append(others, other.Lease.Name)
		}
	}
	for _, object := range r.Leases {
		seconds, ok := whole(At(object.Object, "spec.leaseDurationSeconds"))
		namespace := e.Lease.Namespace
		if namespace == "" {
			namespace = r.Home
		}
		if ok && object.GetName() == e.Lease.Name && object.GetNamespace() == namespace {
			e.Times.Duration = metav1.Duration{Duration: time.Duration(seconds) * time.Second}
		}
	}
	return e, others, true
}

// isNamedAfterKind tells whether a name has the kind, or its plural, as a word.
func (r *Record) isNamedAfterKind(name string) bool {
	if r.CRD == nil {
		return false
	}
	names := r.CRD.Spec.Names
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	return slices.Contains(words, strings.ToLower(names.Kind)) || slices.Contains(words, names.Plural)
}

// electionFlags are the usual flags that switch elections on.
var electionFlags = map[string]bool{
	"leader-elect": true, "leader-election": true, "enable-leader-election": true, "enable-leader-elect": true,
	"elect": true, "leaderelect": true, "leaderelection": true, "election": true,
}

// electionFlag finds the arguments that switch an election on: a flag, and in some languages
// its value as an argument of its own. It returns the index of the flag, and what switches
// the election on and off.
func electionFlag(command []string) (at int, on []string, off string) {
	for n := 1; n < len(command); n++ {
		name, value, given := strings.Cut(command[n], "=")
		if !strings.HasPrefix(name, "-") || !electionFlags[strings.ToLower(strings.TrimLeft(name, "-"))] {
			continue
		}
		on = command[n : n+1]
		if !given && n+1 < len(command) && isBool(command[n+1]) {
			on, value, given = command[n:n+2], command[n+1], true
		}
		if yes, err := strconv.ParseBool(value); !given || err == nil && yes {
			return n, slices.Clone(on), name + "=false"
		}
	}
	return -1, nil, ""
}

// isBool tells whether an argument is a word for true or false. A number may be something else.
func isBool(argument string) bool {
	_, err := strconv.ParseBool(argument)
	return err == nil && len(argument) > 1
}

// findElection finds the Lease, and how it is switched on and off.
func (f *finder) findElection() {
	e, others, ok := f.election()
	if !ok {
		f.ask("launch.leaderElection", "it held no Lease, with the flags that it was given: where it can elect a leader, run init again with its flag")
		return
	}
	election := &v1alpha1.LaunchLeaderElection{Lease: e.Lease}
	f.note("launch.leaderElection.lease", Seen, "it held this Lease")
	switch {
	case len(others) > 0 && f.isNamedAfterKind(e.Lease.Name):
		f.note("launch.leaderElection.lease", Seen, "it held this Lease, which has the kind in its name, and %s", strings.Join(others, ", "))
	case len(others) > 0:
		f.note("launch.leaderElection.lease", Guessed, "it held this Lease, and %s", strings.Join(others, ", "))
		f.ask("launch.leaderElection.lease", "it held several Leases (%s, too): which of them must it hold to serve %s?", strings.Join(others, ", "), profile.WithArticle(f.Kind))
	}
	if e.Lease.Namespace != "" {
		f.Spec.Launch.Serial = true
		f.note("launch.serial", Seen, "its Lease is in a namespace that all scenarios would share; until then one at a time runs, so a run takes several times as long. Give it a flag for the namespace, {{ .namespace }}, and they run side by side")
	}
	at, on, off := electionFlag(f.Command)
	if at > 0 {
		f.Spec.Launch.Command = slices.Delete(slices.Clone(f.Spec.Launch.Command), at, at+len(on))
		election.Enabled = on
		f.note("launch.leaderElection.enabled", Seen, "with it, it held the Lease")
		if f.GoProgram { // Go's flags accept =false
			election.Disabled = []string{off}
			f.note("launch.leaderElection.disabled", Guessed, "is it off so?")
		} else {
			f.ask("launch.leaderElection.disabled", "which arguments switch it off, if it is not off without those that switch it on?")
		}
	} else {
		f.ask("launch.leaderElection.disabled", "which arguments switch it off? Without them each start waits for the Lease of the process before")
	}
	f.Spec.Launch.LeaderElection = election
}
