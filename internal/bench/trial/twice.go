package trial

import (
	"fmt"
	"net/url"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// HarmTwice is the path of a Divergence that reports a child that one process wrote twice at the
// same time.
const HarmTwice = "two writes at once"

// twiceHarm returns the children that one process wrote again while it still waited for the
// answer to a write of the same fields: two workers have the same key. These do not count:
//
//   - a child without an owner, or with several: each owner may have a worker of its own
//   - writes of different fields, by several controllers in one process
//   - a first request that the client has given up
//   - a status, because several controllers may write into it in turn
//   - a deletion, because the second one does nothing
func twiceHarm(account history.Account) []v1alpha1.Divergence {
	var all []v1alpha1.Divergence
	open := map[string][]history.Request{} // by replica and object: those before that may be open
	told := map[string]bool{}
	for _, q := range account.Requests {
		if !mayCollide(q) {
			continue
		}
		object := objectOf(q)
		key := q.Replica + " " + q.Namespace + " " + object
		before := slices.DeleteFunc(open[key], func(first history.Request) bool {
			return !first.End().After(q.Time) || restartedBetween(account.Events, first, q)
		})
		at := slices.IndexFunc(before, func(first history.Request) bool { return collide(first, q) })
		if at >= 0 && !told[object] {
			told[object] = true
			all = append(all, v1alpha1.Divergence{
				Kind: v1alpha1.DivergenceHarm, Object: object, Path: HarmTwice,
				Expected: "one worker at a time works on an object",
				Found:    fmt.Sprintf("%s came while %s waited for its answer", q.InWords(), before[at].InWords()),
			})
		}
		open[key] = append(before, q)
	}
	return all
}

// mayCollide says whether a request is a write of an object that its sender waited for.
func mayCollide(q history.Request) bool {
	return (q.Verb == history.VerbCreate || q.Verb == history.VerbUpdate) && q.Subresource != "status" && q.Name != "" && q.Finished && q.Code != 0 &&
		!q.Unawaited() && !q.Dropped() && !q.Bystander && history.Matches(v1alpha1.RequestMatch{}, q)
}

// collide says whether two writes of one object are about the same: both create it, or both
// changed the same field of it.
func collide(first, second history.Request) bool {
	if first.Verb != second.Verb || first.Subresource != second.Subresource || !ofOneOwner(first, second) || byOthers(first, second) {
		return false
	}
	one, other := first.Effect == history.EffectEffective, second.Effect == history.EffectEffective
	if first.Verb == history.VerbCreate {
		return one || other
	}
	return one && other && slices.ContainsFunc(first.Changed, func(path string) bool { return slices.Contains(second.Changed, path) })
}

// ofOneOwner says whether the object of two writes has one owner, which controls it. What both
// were refused is not known.
func ofOneOwner(writes ...history.Request) bool {
	known := false
	for _, q := range writes {
		if len(q.Owners) > 1 || len(q.Owners) == 1 && !q.Owners[0].Controller {
			return false
		}
		known = known || len(q.Owners) == 1
	}
	return known
}

// byOthers says whether two writes name different field managers.
func byOthers(first, second history.Request) bool {
	one, other := managerOf(first), managerOf(second)
	return one != other && one != "" && other != ""
}

// managerOf returns the field manager that a request names, or "".
func managerOf(q history.Request) string {
	path, err := url.Parse(q.Path)
	if err != nil {
		return ""
	}
	return path.Query().Get("fieldManager")
}

// restartedBetween says whether a new process of the replica began between two of its requests.
func restartedBetween(events []history.Event, first, second history.Request) bool {
	return slices.ContainsFunc(events, func(e history.Event) bool {
		return e.Reason == history.ReplicaStarted && e.Replica == first.Replica && first.Seq < e.Seq && e.Seq < second.Seq
	})
}
