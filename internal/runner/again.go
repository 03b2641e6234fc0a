package runner

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// quieter divides the number of scenarios that run at the same time, for a second look.
	quieter = 6
	// maxAgain is the largest number of scenarios that get a second look. If more fail,
	// either the machine is not the reason, or it is too busy for a second look, too.
	maxAgain = 12
	// maxLagging is the largest number of lagging scenarios that get a second look. If
	// more lag, the reason is the children that this controller makes.
	maxLagging = 2
)

// looker runs scenarios that were written into a folder, and judges each.
type looker func(ctx context.Context, dir string, scenarios []scenario, parallel int) ([]finding, error)

// lookAgain repeats scenarios that did not pass while the machine was so busy that the
// controller may not be to blame. Fewer of them run at the same time. If the first
// finding is excusable, the second result counts, and mentions the first. Otherwise the
// first finding stays; if the scenario passes at the second look, it is flaky. Two
// kinds of scenarios get no second look: those that are blocked by a failure that the
// machine does not excuse, and those whose Fault waits for requests that the controller
// sent in no scenario. A few scenarios that lag are repeated, too.
func (r *run) lookAgain(ctx context.Context, dir string, findings []finding, parallel int, look looker) error {
	var first, lagging []int
	for n, f := range findings {
		switch {
		case f.gaveUp:
		case r.neverSent(findings, f):
		case f.Again:
			first = append(first, n)
		case f.Lagging:
			lagging = append(lagging, n)
		}
	}
	if len(lagging) <= maxLagging {
		first = append(first, lagging...)
	}
	first = unblocked(findings, first)
	switch {
	case len(first) == 0:
		return nil
	case len(first) > maxAgain:
		r.options.Console.Printf("%d scenarios did not pass on a busy machine: too many for a second look", len(first))
		return nil
	}
	why := "the machine was busy: a second look at"
	if !slices.ContainsFunc(first, func(n int) bool { return findings[n].Again }) {
		why = "the cluster did not do its part: a second look at"
	}
	found, err := r.repeat(ctx, findings, first, "again", filepath.Join(dir, "again"), parallel, look, why)
	if err != nil {
		return err
	}
	for n, f := range found {
		if f.cut {
			continue
		}
		findings[first[n]] = findings[first[n]].after(f)
	}
	return nil
}

// neverSent tells whether a Fault of a scenario did not fire, and the controller sent
// no request that it waits for in any scenario. A second look would only wait again.
func (r *run) neverSent(findings []finding, of finding) bool {
	return slices.ContainsFunc(of.Unmet, func(match v1alpha1.RequestMatch) bool {
		return !slices.ContainsFunc(findings, func(f finding) bool {
			return f.scenario.implementation == of.scenario.implementation &&
				len(r.recorder.Requests(history.Query{Scenario: f.scenario.namespace, Match: match, Everything: true})) > 0
		})
	})
}

// unblocked leaves out those scenarios that would be blocked by one that needs no second
// look.
func unblocked(findings []finding, places []int) []int {
	settled := settledNow(findings)
	firm := func(i *Implementation, id string) bool {
		return !slices.ContainsFunc(findings, func(f finding) bool {
			return f.scenario.implementation == i && f.scenario.requirement.ID == id && f.Again
		})
	}
	return slices.DeleteFunc(slices.Clone(places), func(n int) bool {
		by := settled[n].result.BlockedBy
		return by != "" && firm(findings[n].scenario.implementation, by)
	})
}

// repeat runs some of the scenarios again, in namespaces of their own. Fewer of them
// run at the same time. The message to the user begins with why.
func (r *run) repeat(
	ctx context.Context, findings []finding, places []int, suffix, dir string, parallel int, look looker, why string,
) ([]finding, error) {
	var again []scenario
	var titles []string
	for _, n := range places {
		s := findings[n].scenario
		s.namespace += "-" + suffix // it begins like the scenario's own name, so it belongs to the scenario
		if err := s.write(dir, r.options); err != nil {
			return nil, err
		}
		again, titles = append(again, s), append(titles, s.title())
	}
	parallel = max(1, parallel/quieter)
	r.options.Console.Printf("%s %s, at most %d at a time", why, strings.Join(titles, ", "), parallel)
	began, slow := time.Now(), r.slow
	found, err := look(ctx, dir, again, parallel)
	if err != nil {
		return nil, err
	}
	r.slow, r.again = slow, r.again+time.Since(began) // do not count this time twice
	return found, nil
}

// after combines the findings of two looks.
func (f finding) after(second finding) finding {
	switch {
	case f.Excusable || f.Lagging || second.result.Verdict == v1alpha1.Failed:
		second.result.FirstLook = strings.ToLower(string(f.result.Verdict)) + ": " + f.result.Reason
		return second
	case second.result.Verdict == v1alpha1.Passed:
		f.Verdict, f.result.Verdict = v1alpha1.Flaky, v1alpha1.Flaky
		f.result.Reason += "; at a second look it passed"
	}
	return f
}
