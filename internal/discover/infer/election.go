package infer

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/verdict/seen"
)

// election returns the election that counts: the one whose Lease is held, or the only one.
func (r *Record) election() (seen.Election, bool) {
	account := r.Account
	if end, ok := r.act(Terminate); ok { // later requests belong to another process
		account.Requests = slices.DeleteFunc(slices.Clone(account.Requests), func(q history.Request) bool { return q.Seq > end.UntilSeq })
	}
	all := seen.Elections(account, r.Home)
	n := slices.IndexFunc(all, func(e seen.Election) bool { return e.Held })
	if n < 0 {
		return seen.Election{}, false
	}
	e := all[n]
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
	return e, true
}

// electionFlags are the usual flags that switch elections on.
var electionFlags = map[string]bool{
	"leader-elect": true, "leader-election": true, "enable-leader-election": true, "enable-leader-elect": true,
	"elect": true, "leaderelect": true, "leaderelection": true, "election": true,
}

// electionFlag finds the argument that switches an election on. It returns its index, and
// the arguments that switch the election on and off.
func electionFlag(command []string) (at int, on, off string) {
	for n, arg := range command[min(1, len(command)):] {
		name, value, given := strings.Cut(arg, "=")
		if electionFlags[strings.ToLower(strings.TrimLeft(name, "-"))] && (!given || value == "true") {
			return n + 1, arg, name + "=false"
		}
	}
	return -1, "", ""
}
