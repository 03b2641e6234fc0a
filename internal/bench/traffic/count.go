package traffic

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

const (
	maxGaps  = 50
	maxNamed = 8
)

// object is what a request creates.
type object struct {
	resource        schema.GroupResource
	namespace, name string
}

// count counts the requests, which are in order.
func count(requests []history.Request) v1alpha1.TrafficStatus {
	status := v1alpha1.TrafficStatus{Requests: int64(len(requests))}
	var named []string
	made := map[object]bool{}
	oldest := 0
	for i, r := range requests {
		switch r.Effect {
		case history.EffectEffective:
			status.Effective++
		case history.EffectNoop:
			status.Noop++
			status.Futile++
		case history.EffectRefused:
			status.Futile++
		}
		if r.Failed() {
			status.Refused++
		}
		if r.OnlyManaged() {
			status.Managed++
		}
		if r.OnlyStarts() {
			status.Starts++
		}
		if r.Guarded() {
			status.Guarded++
		}
		if r.Verb == history.VerbCreate {
			made[object{r.GroupResource(), r.Namespace, r.Name}] = true
		}
		if status.ByVerb == nil {
			status.ByVerb = map[string]int64{}
		}
		status.ByVerb[r.Verb]++
		for r.Time.Sub(requests[oldest].Time) >= time.Second {
			oldest++
		}
		status.MaxPerSecond = max(status.MaxPerSecond, int64(i-oldest+1))
		if len(named) < maxNamed {
			named = append(named, describe(r))
		}
	}
	status.Objects = int64(len(made))
	status.Message = strings.Join(named, "; ")
	if more := len(requests) - len(named); more > 0 {
		status.Message += fmt.Sprintf("; and %d more%s", more, mostOften(requests))
	}
	return status
}

// mostOften names the most frequent requests, because the first ones of many do not show what
// is repeated. If they were about one object, it also says how long the pauses were. It returns
// "" if nothing was asked three times.
func mostOften(requests []history.Request) string {
	const few, most = 3, 3
	times := map[string]int{}
	named := map[string][]string{} // the names of the objects, each once
	first, last := map[string]time.Time{}, map[string]time.Time{}
	for _, r := range requests {
		of := r
		of.Name = ""
		kind := unnumbered(of)
		if times[kind] == 0 {
			first[kind] = r.Time
		}
		last[kind] = r.Time
		times[kind]++
		if !slices.Contains(named[kind], r.Name) {
			named[kind] = append(named[kind], r.Name)
		}
	}
	var often []string
	for kind, n := range times {
		if n >= few {
			often = append(often, kind)
		}
	}
	if len(often) == 0 {
		return ""
	}
	slices.SortFunc(often, func(a, b string) int { return cmp.Or(times[b]-times[a], strings.Compare(a, b)) })
	for n, kind := range often {
		often[n] = fmt.Sprintf("%d × %s", times[kind], withNames(kind, named[kind]))
		if took := last[kind].Sub(first[kind]); len(named[kind]) == 1 && took > 0 {
			pause := took / time.Duration(times[kind]-1)
			often[n] += fmt.Sprintf(" every %s on average", pause.Round(10*time.Millisecond))
		}
	}
	return "; most often: " + strings.Join(often[:min(most, len(often))], ", ")
}

// maxObjects is how many objects of a kind are named.
const maxObjects = 3

// withNames adds the names of the objects to a kind of requests, as in create deployments
// (effective). A single name stands after the resource.
func withNames(kind string, names []string) string {
	if len(names) == 1 {
		what, result, found := strings.Cut(kind, " (")
		text := strings.TrimSpace(what + " " + names[0])
		if found {
			text += " (" + result
		}
		return text
	}
	text := kind + " of " + strings.Join(names[:min(maxObjects, len(names))], " and ")
	if more := len(names) - maxObjects; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// unnumbered describes a request without its number.
func unnumbered(r history.Request) string {
	_, what, _ := strings.Cut(describe(r), " ")
	return what
}

// pauses returns the pauses between the requests, in milliseconds.
func pauses(requests []history.Request) []int64 {
	var pauses []int64
	for i := 1; i < len(requests); i++ {
		pauses = append(pauses, requests[i].Time.Sub(requests[i-1].Time).Milliseconds())
	}
	return pauses
}

// describe names a request and its result.
func describe(r history.Request) string {
	switch {
	case r.OnlyManaged():
		return fmt.Sprintf("%s (%s: only metadata.managedFields)", r.InWords(), r.Effect)
	case r.OnlyStarts():
		return fmt.Sprintf("%s (%s: only to start more Pods)", r.InWords(), r.Effect)
	case r.Effect != history.EffectNone:
		return fmt.Sprintf("%s (%s)", r.InWords(), r.Effect)
	case r.Failed():
		return fmt.Sprintf("%s (%d)", r.InWords(), r.Code)
	default:
		return r.InWords()
	}
}

// openWatches counts the open watches, by what they watch.
func openWatches(recorder *history.Recorder, query history.Query) map[string]int {
	open := map[string]int{}
	for _, w := range recorder.OpenWatches(query.Scenario, "") {
		if w.Subject != query.Subject {
			continue
		}
		if len(query.Replicas) == 0 || slices.Contains(query.Replicas, w.Replica) {
			open[w.GroupResource().String()]++
		}
	}
	return open
}

// mostWatched is how many resources are named that are watched.
const mostWatched = 3

// watchedInWords says what the open watches watch, the most often watched resource first.
func watchedInWords(open map[string]int) string {
	names := slices.SortedFunc(maps.Keys(open), func(a, b string) int {
		return cmp.Or(cmp.Compare(open[b], open[a]), cmp.Compare(a, b))
	})
	var told []string
	for _, name := range names[:min(mostWatched, len(names))] {
		told = append(told, fmt.Sprintf("%d of %s", open[name], name))
	}
	if len(names) > mostWatched {
		told = append(told, "…")
	}
	return strings.Join(told, ", ")
}
