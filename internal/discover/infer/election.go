package infer

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
