package verdict

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

const maxUnordered = 5

// Case is everything by which one scenario is judged. It is complete: nothing in it changes
// any more.
type Case struct {
	// Requirement that the scenario proves.
	Requirement catalogue.Requirement
	// Unclaimed are the features that the requirement is about and that the implementation
	// does not claim. The requirement is judged only if these features are seen.
	Unclaimed []v1alpha1.Feature
	// Contract of the implementation.
	Contract invariant.Contract
	// Test is what Chainsaw reported. It is nil if the test never ran.
	Test *chainsaw.Test
	// Ended is when the test ended or was given up.
	Ended time.Time
	// Broken says which part of the bench or of the cluster broke in the meantime, or nil.
	Broken error
	// Account of what was recorded in the scenario.
	Account history.Account
	// Slowest is the slowest answer of the API server to anybody during the test, or nil.
	Slowest *history.Request
	// Unreached are the Pods and Services of the scenario that the subject tried to reach, and
	// nothing answered, because Pods do not really run on the local control plane.
	Unreached []string
	// TimeoutScale multiplies the time that the API server may take to answer.
	TimeoutScale float64
}

// Finding is the result of judging a case.
type Finding struct {
	// Verdict, and its reason if it is not Passed.
	Verdict v1alpha1.ResultVerdict
	Reason  string
	// Violations of what must never happen, except those that the scenario provokes.
	Violations []v1alpha1.Violation
	// Excusable is true if the scenario may have failed because the machine was too busy.
	// A second run may find something else.
	Excusable bool
	// Again is true if the scenario should run once more because the machine was busy. That
	// does not excuse what is proved.
	Again bool
	// Lagging is true if the step that failed waited only for the status of children, which
	// the cluster's own controllers write. These controllers may sometimes be late. If they
	// are late in only a few scenarios, these should run once more.
	Lagging bool
	// Exercised says how many of the scenario's Faults fired. It is empty if it has no
	// Faults.
	Exercised string
	// Idle are the Faults that did not have to fire, and did not.
	Idle []string
	// Unmet are the requests that Faults waited for, if they had to fire and did not. It is
	// empty if the scenario failed because of that.
	Unmet []v1alpha1.RequestMatch
	// Failure names the step that failed, and why. It is empty if none failed. If there
	// are violations too, the failure may be their consequence.
	Failure string
	// Symptoms of the failed step, whether that step judges or not.
	Symptoms []v1alpha1.Symptom
	// Happened says which request led to the failure of the step. It is empty if that is not
	// known.
	Happened string
	// Before says what may explain it: what was refused before, or the last write of the
	// object.
	Before []string
	// Mistake and Hint take the place of what the requirement says of itself, if the
	// requests show another cause. Otherwise they are empty.
	Mistake, Hint string
	// Without is the verdict if the violations are left out. It is nil if there are no
	// violations, or if a step that judges failed as well, unless a busy machine excuses it.
	Without *v1alpha1.Itself
	// Excused is true if nothing can be concluded because of the bench, the machine or the
	// profile.
	Excused bool
}

// Judge judges a case.
func Judge(c Case) Finding {
	facts := c.facts()
	f := Finding{Violations: facts.Violations, Failure: facts.Failure, Without: facts.without()}
	f.Verdict, f.Reason = facts.verdict()
	f.Excused = f.Verdict == v1alpha1.ResultInconclusive && facts.excused()
	if c.Test != nil && len(c.Test.Failures) > 0 && NeedsLook(f.Verdict) {
		first := c.Test.Failures[0]
		f.Symptoms = c.symptoms(first)
		var at int64
		if len(f.Violations) == 0 {
			f.Happened, at = c.happened(first)
		}
		f.Before = c.before(first, f.Violations, at, f.Symptoms)
		f.Mistake, f.Hint = c.mistake(first, &f)
	}
	f.Again = facts.repeatable() && c.crowded(facts) && NeedsLook(f.Verdict)
	f.Excusable = f.Again && !facts.Proved
	f.Lagging = facts.repeatable() && !facts.Proved && len(f.Violations) == 0 && NeedsLook(f.Verdict) && lagging(f.Symptoms)
	f.Exercised, f.Idle = facts.Faults.exercised()
	f.Unmet = facts.Faults.unmet()
	return c.whereSeen(f)
}

// facts collects the facts: what Chainsaw reported about the scenario, what was recorded,
// and what broke in the meantime.
func (c *Case) facts() facts {
	test := c.Test
	f := facts{}
	if c.Broken != nil {
		f.BenchFailure = c.Broken.Error()
	}
	if test != nil {
		f.Ran, f.Finished, f.Passed = true, test.Finished, test.Passed
		if !test.Passed && len(test.Failures) > 0 {
			c.failed(&f, test.Failures[0])
		}
	}
	started, crash := subjectEvents(c.Account.Events)
	f.NoTraffic = started && !c.Account.Seen(subjectName)
	f.Lost = lost(c.Account.Events)
	f.NoBystanders, f.InTheWay = c.noBystanders(), inTheWay(c.Account)
	f.Violations = c.violations()
	f.Unordered, f.Late = c.unordered(f.Violations)
	f.Barred = c.barred()
	if what := c.unserved(); what != "" && f.Failure+f.Unprepared != "" {
		f.Unserved = "the bench could not serve what the controller may need: " + what + "; the scenario failed " + f.Failure + f.Unprepared
		f.Failure, f.Unprepared, f.Proved = "", "", false
	}
	if failed := f.Failure + f.Unprepared; failed != "" {
		f.Excuse = cmp.Or(c.undue(test.Failures[0], failed), c.unreached(test.Failures[0], failed), c.scheduled(test.Failures[0], failed))
		if f.Excuse != "" {
			f.Failure, f.Unprepared, f.Proved = "", "", false
		}
	}
	f.Faults = firings(c.Account.Events)
	if f.Failure != "" {
		f.Faults.noteOwed(test.Failures[0].Of)
	}
	f.Polled = f.Faults.polled(c.Account.Requests)
	f.Optional = c.Requirement.Level == catalogue.Core && f.Faults.onlyOptional()
	f.Exempted, f.Declared = c.exempted(), c.declared()
	if test != nil && (!test.Passed || len(f.Violations) > 0) {
		if waits := c.busy(starving); waits != "" {
			f.Starved = "the machine was too busy to judge (lower --parallel, raise --timeout-scale, or run less beside it): " + waits
		}
	}
	if f.Failure != "" && len(f.Violations) > 0 && !c.hadTime() {
		if waits := c.busy(crowding); waits != "" {
			f.Crowded = "the machine was busy, and what else was violated rules out a second look (lower --parallel, or run less beside it): " + waits
		}
	}
	if f.Failure != "" && crash != "" && len(f.Violations) == 0 {
		f.Failure += "; the subject ended by itself: " + crash
	}
	return f
}

// failed notes what the first failure is about: the subject, the bench or the profile.
func (c *Case) failed(f *facts, first chainsaw.Failure) {
	switch text := c.reason(first); {
	case c.misfits(first):
		f.Misfit = text
	case first.Refused && ofBench(first):
		f.Refused = "bench error: an object of the bench was refused: " + text
	case first.Refused:
		f.Refused = "the API server refused what the scenario asked for: " + text
	case unanswered(first):
		f.Unanswered = text
	case first.Unscheduled != "" && !first.Proved:
		// A step that waited for Pods has failed with the same words.
		f.Unscheduled = first.Unscheduled + "; the scenario failed " + strings.TrimSuffix(text, ": "+first.Unscheduled)
	case !accuses(first):
		f.Unprepared = text + c.stuckInWords(first)
	default:
		f.Failure = text + c.stuckInWords(first) + c.undoneInWords(first)
		// A replica that gets no CPU time loses its Lease, and others act instead.
		f.Proved = first.Proved && !elects(c.Account.Events)
	}
}

// noAnswer matches client-go's error for a request that got no answer.
var noAnswer = regexp.MustCompile(`^(?:(?:Get|Post|Put|Patch|Delete) "https?://|client rate limiter Wait returned an error|unexpected error when reading response body\. )`)

// unanswered says whether an operation failed because the scenario's own request got no
// answer in time. That says nothing about the subject, especially on a busy machine.
func unanswered(failure chainsaw.Failure) bool {
	return noAnswer.MatchString(strings.TrimSpace(failure.Message))
}

// ofBench says whether an operation was about an object of the bench.
func ofBench(failure chainsaw.Failure) bool {
	return strings.HasPrefix(failure.Object, v1alpha1.GroupVersion.Group+"/")
}

// misfits says whether a preparing step failed because the schema of the subject's
// resource refused the scenario's object: a request of Chainsaw itself, or of kubectl.
func (c *Case) misfits(failure chainsaw.Failure) bool {
	if role := catalogue.RoleOf(failure.Step); role == catalogue.Then && !failure.Refused || c.Contract.Kind == "" {
		return false
	}
	kind := regexp.QuoteMeta(c.Contract.Kind)
	return regexp.MustCompile(`\b` + kind + `(\.` + regexp.QuoteMeta(c.Contract.Primary.Group) + `)? "[^"]*" is invalid: `).MatchString(failure.Message)
}

// accuses says whether a failed operation says something about the subject. It does in a
// step that judges, unless the bench could not judge.
func accuses(failure chainsaw.Failure) bool {
	role := catalogue.RoleOf(failure.Step)
	return role != catalogue.Given && role != catalogue.When && !failure.CannotBeJudged()
}

// reason describes a failed operation in one line: the step, the findings that Chainsaw
// lists with a star before its long diff, and what the scenario says of the operation.
func (c *Case) reason(failure chainsaw.Failure) string {
	var findings []string
	for line := range strings.SplitSeq(failure.Message, "\n") {
		if finding, ok := strings.CutPrefix(strings.TrimSpace(line), "* "); ok {
			findings = append(findings, eachEntry(finding, failure.Message)...)
		}
	}
	if len(findings) == 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(failure.Message), "\n")
		findings = []string{first}
	}
	operation := strings.TrimSpace(failure.Operation + " " + failure.Object)
	text := fmt.Sprintf("at %q (%s): %s", failure.Step, operation, goList.ReplaceAllString(strings.Join(findings, "; "), "[$1]"))
	if said := c.described(failure); said != "" {
		text += "; what must hold: " + said
	}
	return text
}

// noEntries matches a finding about an object that has no labels, or no annotations, at all.
var noEntries = regexp.MustCompile(`^((?:[\w.]+\.)?metadata\.(labels|annotations))(: Required value: field not found.*)$`)

// eachEntry returns a finding for each label or annotation that was expected, if an object has
// none at all. Chainsaw's difference shows which were.
func eachEntry(finding, difference string) []string {
	m := noEntries.FindStringSubmatch(finding)
	if m == nil {
		return []string{finding}
	}
	var (
		found  []string
		inside bool
		indent = strings.Repeat("  ", strings.Count(m[1], "."))
	)
	for line := range strings.SplitSeq(difference, "\n") {
		expected, missing := strings.CutPrefix(line, "-")
		entry, within := strings.CutPrefix(expected, indent+"  ")
		switch key, _, isEntry := strings.Cut(entry, ": "); {
		case missing && expected == indent+m[2]+":":
			inside = true
		case !inside:
		case !missing || !within || !isEntry || strings.HasPrefix(entry, " "):
			inside = false
		default:
			found = append(found, m[1]+"."+strings.Trim(key, `"'`)+m[3])
		}
	}
	if len(found) == 0 {
		return []string{finding}
	}
	return found
}

// goList matches a list in the syntax of Go, in which Chainsaw tells what it expected.
var goList = regexp.MustCompile(`\[\]interface ?\{\}\{([^{}]*)\}`)

// unordered returns errors of the API server that nothing in the scenario asked for. A
// scenario that changes a definition has asked for what follows: until the cache of that
// resource is filled again, watches of it are refused for a time. Errors after the last
// step, when Chainsaw cleans up, change no result. But they may be the reason for a
// violation after them: these errors are late.
func (c *Case) unordered(violations []v1alpha1.Violation) (found, late []string) {
	over := func(e history.Request) bool {
		return c.Test != nil && !c.Test.Judged.IsZero() && e.Time.After(c.Test.Judged)
	}
	for _, e := range c.Account.ServerErrors() {
		if c.Requirement.Serial && strings.Contains(e.Message, "storage is (re)initializing") {
			continue
		}
		told := fmt.Sprintf("#%d %d on %s %s", e.Seq, e.Code, e.Verb, e.Path)
		switch {
		case !over(e) && len(found) < maxUnordered:
			found = append(found, told)
		case over(e) && len(late) < maxUnordered && slices.ContainsFunc(violations, comesAfter(e.Seq)):
			late = append(late, told)
		}
	}
	return found, late
}

// comesAfter returns a test for violations that have a request after number seq.
func comesAfter(seq int64) func(v1alpha1.Violation) bool {
	return func(violation v1alpha1.Violation) bool {
		return slices.ContainsFunc(violation.Requests, func(proof int64) bool { return proof > seq })
	}
}
