package runner

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/internal/record/history"
)

// mostRecent is the largest number of requests before a failed step that are shown.
const mostRecent = 5

// mostEvents is how many of them may be writes of Events. A controller that records an Event
// at each reconcile would leave no room for what it did to objects.
const mostEvents = 2

// recent returns the last writes of a subject before a step of its scenario failed, and its
// last requests that were refused, in words. They show what it did if it should have
// written something and did not. Leases are left out. Of writes of an object that changed
// nothing it names the last. If no step failed, there are none.
func recent(account history.Account) []string {
	failed, found := failure(account)
	if !found {
		return nil
	}
	var lines []string
	events, idle := 0, map[string]bool{}
	for _, request := range slices.Backward(account.Requests) {
		if len(lines) == mostRecent {
			break
		}
		if !request.Time.Before(failed) || !tells(&request) {
			continue
		}
		if request.Resource == "events" {
			if events++; events > mostEvents {
				continue
			}
		}
		if request.Effect == history.EffectNoop {
			unnumbered := request
			unnumbered.Seq = 0
			if idle[unnumbered.InWords()] {
				continue
			}
			idle[unnumbered.InWords()] = true
		}
		lines = append(lines, fmt.Sprintf("%s by %s, %s before: %s", request.InWords(), request.Replica,
			failed.Sub(request.Time).Round(10*time.Millisecond), answer(&request)))
	}
	slices.Reverse(lines)
	return lines
}

// failure returns the time at which the first step failed.
func failure(account history.Account) (at time.Time, found bool) {
	for _, event := range account.Events {
		if event.Reason == history.StepFailed {
			return event.Time, true
		}
	}
	return time.Time{}, false
}

// tells tells whether a request shows what a subject does: it writes, or something goes
// wrong.
func tells(request *history.Request) bool {
	if request.IsElection() {
		return false
	}
	switch request.Verb {
	case history.VerbCreate, history.VerbUpdate, history.VerbDelete:
		return true
	default:
		return request.Failed() && request.Code != 404
	}
}

// answer describes the answer to a request in words.
func answer(request *history.Request) string {
	text := fmt.Sprintf("%d, %s", request.Code, request.Effect)
	if request.Code == 0 {
		text = "no answer"
	}
	if request.Failed() && request.Reason != "" {
		text += ", " + request.Reason
	}
	if len(request.Changed) > 0 {
		text += ", changed " + strings.Join(oncePerList(request.Changed), ", ")
	}
	if request.EventReason != "" {
		text += ", reason " + request.EventReason
	}
	if request.Fault != "" {
		text += ", by the Fault " + request.Fault
	}
	return text
}

// index matches the index of an entry in the path of a field.
var index = regexp.MustCompile(`\[\d+\]`)

// oncePerList names a field that was changed in several entries of a list once, without their
// indexes.
func oncePerList(paths []string) []string {
	times := map[string]int{}
	for _, path := range paths {
		times[index.ReplaceAllString(path, "[]")]++
	}
	var told []string
	for _, path := range paths {
		if ofAll := index.ReplaceAllString(path, "[]"); times[ofAll] > 1 {
			path = ofAll
		}
		if !slices.Contains(told, path) {
			told = append(told, path)
		}
	}
	return told
}
