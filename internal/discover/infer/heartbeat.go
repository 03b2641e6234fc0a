package infer

import (
	"fmt"
	"strings"
	"time"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/verdict/seen"
)

// askHeartbeat asks whether the controller is meant to change the same fields of its objects by
// the clock. No requirement that waits for rest can be judged unless the profile declares that.
func (f *finder) askHeartbeat() {
	beats := map[seen.Beat][]history.Request{}
	for _, q := range f.Account.Requests {
		if !f.isPrimary(q) || q.Verb != history.VerbUpdate || q.Effect != history.EffectEffective || !ofHeartbeat(q) {
			continue
		}
		one := seen.BeatOf(q)
		beats[one] = append(beats[one], q)
		every, regular := seen.Pulse(beats[one])
		if !regular || len(beats[one]) < leastOfBeats || comesBack(beats[one]) {
			continue
		}
		f.offer("claims.exempt", []string{fmt.Sprintf("exempt: [{verbs: [update], resources: [%s], fields: ['%s'], why: a heartbeat}]",
			one.Resource, strings.Join(q.Changed, "', '"))},
			"it changed %s of %s %s every %s, and nothing else. Is that a heartbeat? SS-001 fails by it, and what waits for rest cannot be judged, unless the profile says so",
			one.Fields, one.Resource, one.Name, every.Round(time.Second))
		return
	}
}

// leastOfBeats is how many updates must have been seen. Two may be a coincidence, as many fields are
// changed one after the other.
const leastOfBeats = 3

// comesBack tells whether a field got a value that it had before. A heartbeat has another value
// each time, such as a time. A number of Pods comes back with the Pods.
func comesBack(beats []history.Request) bool {
	had := map[history.Change]bool{}
	for _, q := range beats {
		for _, change := range q.Values {
			had[history.Change{Path: change.Path, Is: change.Was}] = true
			value := history.Change{Path: change.Path, Is: change.Is}
			if had[value] {
				return true
			}
			had[value] = true
		}
	}
	return false
}

// ofHeartbeat tells whether an update changed only fields that an exemption may name, and those
// are few enough for a line. An observed generation follows changes of the spec, and not the clock.
func ofHeartbeat(q history.Request) bool {
	for _, path := range q.Changed {
		status, annotation := strings.HasPrefix(path, "status."), strings.HasPrefix(path, "metadata.annotations.")
		if !status && !annotation || strings.ContainsAny(path, " '") || strings.HasSuffix(path, "observedGeneration") {
			return false
		}
	}
	return len(q.Changed) > 0 && len(q.Changed) <= 3
}

// askSchedules asks about each schedule of the sample that comes due while a scenario runs.
func (f *finder) askSchedules() {
	for _, leaf := range Leaves(f.first.To, "spec") {
		if text, ok := leaf.Value.(string); ok && profile.DueOften(text) {
			f.ask("serves", "%s is %s, so it comes due while a scenario runs, and what the controller writes then is no write at rest. "+
				"Requirements about rest (SS-001, SS-016 and others) are skipped for it: to have them judged, give a sample that comes due once a year", leaf.Path, text)
		}
	}
}
