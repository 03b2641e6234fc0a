package traffic

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
)

const (
	// trendOf is a number of pauses: this many at the beginning are compared with this
	// many at the end.
	trendOf = 3
	// longEnough is a pause that is never too short, in milliseconds.
	longEnough = 500
	// shortened: a pause counts as shorter than another if it is less than this part of
	// it.
	shortened = 0.8
)

// part is one number that is judged.
type part struct {
	field, name string
	bounds      *v1alpha1.NumberBound
	of          func(v1alpha1.TrafficStatus) int64
}

// parts returns the numbers that an expectation limits, in the order in which messages
// name them.
func parts(e *v1alpha1.TrafficExpectation) []part {
	if e == nil {
		return nil
	}
	all := []part{
		{"requests", "requests", e.Requests, func(s v1alpha1.TrafficStatus) int64 { return s.Requests }},
		{"effective", "effective writes", e.Effective, func(s v1alpha1.TrafficStatus) int64 { return s.Effective }},
		{"changing", "effective writes of more than managed fields, starts of Pods not counted", e.Changing, func(s v1alpha1.TrafficStatus) int64 { return s.Effective - s.Managed - s.Starts }},
		{"noop", "no-op writes", e.Noop, func(s v1alpha1.TrafficStatus) int64 { return s.Noop }},
		{"accepted", "accepted writes", e.Accepted, func(s v1alpha1.TrafficStatus) int64 { return s.Effective + s.Noop }},
		{"refused", "refused requests", e.Refused, func(s v1alpha1.TrafficStatus) int64 { return s.Refused }},
		{"futile", "no-op or refused writes", e.Futile, func(s v1alpha1.TrafficStatus) int64 { return s.Futile }},
		{"unguarded", "requests other than refused applies", e.Unguarded, func(s v1alpha1.TrafficStatus) int64 { return s.Requests - s.Guarded }},
		{"left", "objects that nobody removes", e.Left, func(s v1alpha1.TrafficStatus) int64 { return s.Left }},
		{"openWatches", "open watches", e.OpenWatches, func(s v1alpha1.TrafficStatus) int64 { return s.OpenWatches }},
		{"connections", "open connections", e.Connections, func(s v1alpha1.TrafficStatus) int64 { return s.Connections }},
		{"memoryMiB", "MiB of memory", e.MemoryMiB, func(s v1alpha1.TrafficStatus) int64 { return s.MemoryMiB }},
		{"descriptors", "open descriptors", e.Descriptors, func(s v1alpha1.TrafficStatus) int64 { return s.Descriptors }},
	}
	for _, verb := range slices.Sorted(maps.Keys(e.ByVerb)) {
		bounds := e.ByVerb[verb]
		of := func(s v1alpha1.TrafficStatus) int64 { return s.ByVerb[verb] }
		all = append(all, part{"byVerb." + verb, verb + " requests", &bounds, of})
	}
	return slices.DeleteFunc(all, func(p part) bool { return p.bounds == nil })
}

// limits are numbers of other objects that are added to bounds, by the names of the
// objects.
type limits struct {
	traffic  map[string]v1alpha1.TrafficStatus
	statuses map[string]int64
}

// spill is how many earlier writes may still be under way on a slow machine, and so fall
// into a window in which nothing is expected.
const spill = 2

// usualObjects is how many objects a bound allows for without more: a Deployment and a
// Service.
const usualObjects = 2

// judged is the judgement on the numbers.
type judged struct {
	verdict v1alpha1.Judgement
	// message says what was expected, what was found, and the requests.
	message string
	// proved is true if more was found than is allowed, even on the slowest machine.
	proved bool
}

// judge says whether the final numbers, and the pauses between the requests, are as
// expected.
func (m *measurement) judge(status v1alpha1.TrafficStatus, pauses []int64, l limits) judged {
	e := m.spec.Expect
	if e == nil {
		return judged{verdict: v1alpha1.JudgementMet, message: status.Message}
	}
	if unclaimed := expectation.CheckClaim(m.claims, e.Feature); unclaimed != "" {
		return judged{verdict: v1alpha1.JudgementMet, message: "nothing is expected: " + unclaimed}
	}
	var broken []string
	proved := false
	if e.SubjectQuiet && status.Phase == v1alpha1.TrafficNeverQuiet {
		broken = append(broken, fmt.Sprintf("expected the subject to fall quiet within %s", m.patience))
	}
	for _, p := range parts(e) {
		bounds := m.widen(p, status, l)
		if text := (expectation.Number{Name: p.name, Found: p.of(status), Bounds: &bounds}).Broken(); text != "" {
			if p.field == "openWatches" && len(m.watched) > 0 {
				text += fmt.Sprintf(" (%s)", watchedInWords(m.watched))
			}
			broken = append(broken, text)
			proved = proved || tooMany(p.of(status), bounds)
		}
	}
	broken = append(broken, judgePauses(e, pauses)...)
	if len(broken) == 0 {
		return judged{verdict: v1alpha1.JudgementMet, message: status.Message}
	}
	window := time.Duration(status.WindowMs) * time.Millisecond
	text := fmt.Sprintf("%s in %s", strings.Join(broken, "; "), window.Round(100*time.Millisecond))
	if status.Message != "" {
		text += ": " + status.Message
	}
	return judged{v1alpha1.JudgementNotMet, text, proved}
}

// tooMany says whether a number is so far above its limit that a slow machine cannot be
// the reason.
func tooMany(found int64, bounds v1alpha1.NumberBound) bool {
	return bounds.Max != nil && found > max(*bounds.Max, spill)
}

// widen adds the numbers of other objects to the bounds.
func (m *measurement) widen(p part, status v1alpha1.TrafficStatus, l limits) v1alpha1.NumberBound {
	bounds := *p.bounds
	var least, most int64
	if bounds.Beyond != "" {
		least = p.of(l.traffic[bounds.Beyond])
		most = least
	}
	if bounds.BeyondStatuses != "" {
		most += l.statuses[bounds.BeyondStatuses]
	}
	if resync := m.claims.Times.Resync.Duration; resync > 0 {
		most += int64(time.Duration(bounds.PerResync) * time.Duration(status.WindowMs) * time.Millisecond / resync)
	}
	most += bounds.PerObject * max(0, status.Objects-usualObjects)
	if bounds.Min != nil {
		bounds.Min = ptr.To(*bounds.Min + least)
	}
	if bounds.Max != nil {
		bounds.Max = ptr.To(*bounds.Max + most)
	}
	return bounds
}

// judgePauses says what is wrong with the pauses between the requests.
func judgePauses(e *v1alpha1.TrafficExpectation, pauses []int64) []string {
	var broken []string
	if e.Pauses != "" && len(pauses) > 1 {
		first := slices.Min(pauses[:min(trendOf, len(pauses))])
		last := pauses[max(0, len(pauses)-trendOf):]
		shortest, longest := slices.Min(last), slices.Max(last)
		switch {
		case e.Pauses == v1alpha1.PausesNeverShorter && shortest < longEnough && float64(shortest) < shortened*float64(first):
			broken = append(broken, fmt.Sprintf("expected the last pauses to be no shorter than the first, found %v ms", pauses))
		case e.Pauses == v1alpha1.PausesNotAllShorter && 2*longest < first:
			broken = append(broken,
				fmt.Sprintf("expected one of the last pauses to be as long as the first, found %v ms", pauses))
		}
	}
	if e.PauseMs != nil {
		for _, pause := range pauses {
			number := expectation.Number{Name: "ms between two requests", Found: pause, Bounds: e.PauseMs}
			if text := number.Broken(); text != "" {
				broken = append(broken, fmt.Sprintf("%s (all: %v)", text, pauses))
				break
			}
		}
	}
	return broken
}
