package verdict

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/catalogue"
	"reconform.dev/reconform/internal/chainsaw"
	"reconform.dev/reconform/internal/history"
	"reconform.dev/reconform/internal/invariant"
)

const maxUnordered = 5

// Case is all that one scenario is judged by. Nothing of it changes any more.
type Case struct {
	// Requirement that the scenario proves.
	Requirement catalogue.Requirement
	// Unclaimed are the features that it is about, and that the implementation does not
	// claim. It is judged only where they are seen.
	Unclaimed []v1alpha1.Feature
	// Contract of the implementation.
	Contract invariant.Contract
	// Test is what Chainsaw said of it; nil where it never ran.
	Test *chainsaw.Test
	// Ended is when the test did, or was given up.
	Ended time.Time
	// Broken is what broke meanwhile that is not the subject's; nil where nothing did.
	Broken error
	// Account of what was recorded of it.
	Account history.Account
	// Slowest answer of the API server during the test, whoever asked; nil where there
	// was none.
	Slowest *history.Request
	// TimeoutScale multiplies what the API server may take to answer.
	TimeoutScale float64
}

// Finding is what a case comes to.
type Finding struct {
	// Verdict, and the reason where it is not Passed.
	Verdict v1alpha1.ResultVerdict
	Reason  string
	// Violations of what must never happen, those aside that the scenario provokes.
	Violations []v1alpha1.Violation
	// Excusable is true where the machine was too busy for it to pass: a second look
	// may find another.
	Excusable bool
	// Again is true where a second look is worth while: the machine was busy. What is
	// proved is not excused by that.
	Again bool
	// Exercised tells how many of the scenario's Faults fired; empty where it has none.
	Exercised string
	// Idle are the Faults that need not fire, and did not.
	Idle []string
	// Failure names the step that failed, and why; empty where none did. Beside
	// violations, it may be their consequence.
	Failure string
	// Symptoms of the step that failed, whether it judges or not.
	Symptoms []v1alpha1.Symptom
	// Without is what the verdict is if the violations are left out. It is nil where there
	// are none, or a step that judges failed as well.
	Without *v1alpha1.Itself
}

// Judge a case.
func Judge(c Case) Finding {
	known := c.facts()
	f := Finding{Violations: known.Violations, Failure: known.Failure, Without: known.without()}
	f.Verdict, f.Reason = known.verdict()
	if c.Test != nil && len(c.Test.Failures) > 0 && Accuses(f.Verdict) {
		f.Symptoms = c.symptoms(c.Test.Failures[0])
	}
	f.Again = known.repeatable() && c.crowded(known) && Accuses(f.Verdict)
	f.Excusable = f.Again && !known.Proved
	f.Exercised, f.Idle = known.Faults.exercised()
	return c.whereSeen(f)
}

// facts of what Chainsaw said of the scenario, what was recorded, and what broke
// meanwhile.
func (c *Case) facts() facts {
	test := c.Test
	f := facts{}
	if c.Broken != nil {
		f.BenchFailure = c.Broken.Error()
	}
	if test != nil {
		f.Ran, f.Finished, f.Passed = true, test.Finished, test.Passed
		if !test.Passed && len(test.Failures) > 0 {
			first := test.Failures[0]
			switch text := reason(first); {
			case c.misfits(first):
				f.Misfit = text
			case first.Refused && ofBench(first):
				f.Refused = "bench error: an object of the bench was refused: " + text
			case first.Refused:
				f.Refused = "the API server refused what the scenario asked for: " + text
			case unanswered(first):
				f.Unanswered = text
			case !accuses(first):
				f.Unprepared = text
			default:
				f.Failure = text
				// A replica that gets no time loses its Lease, and others act.
				f.Proved = first.Proved && !elects(c.Account.Events)
			}
		}
	}
	started, crash := subjectEvents(c.Account.Events)
	f.NoTraffic = started && !c.Account.Seen(subjectName)
	f.Lost = lost(c.Account.Events)
	f.NoBystanders, f.InTheWay = c.noBystanders(), inTheWay(c.Account)
	f.Violations = c.violations()
	f.Unordered, f.Late = c.unordered(f.Violations)
	f.Barred = barred(c.Account.Requests)
	f.Faults = firings(c.Account.Events)
	f.Optional = c.Requirement.Level == catalogue.Core && f.Faults.onlyOptional()
	f.Exempted, f.Declared = c.exempted(), c.declared()
	if test != nil && (!test.Passed || len(f.Violations) > 0) {
		if waits := c.busy(starving); waits != "" {
			f.Starved = "the machine was too busy to judge (use --parallel, --timeout-scale, or less beside it): " + waits
		}
	}
	if f.Failure != "" && crash != "" && len(f.Violations) == 0 {
		f.Failure += "; the subject ended by itself: " + crash
	}
	return f
}

// noAnswer is how client-go words a request that it got no answer to.
var noAnswer = regexp.MustCompile(`^(?:(?:Get|Post|Put|Patch|Delete) "https?://|client rate limiter Wait returned an error)`)

// unanswered tells whether an operation failed because a request of its own had no
// answer in time. That says nothing of the subject, least of all on a busy machine.
func unanswered(failure chainsaw.Failure) bool {
	return noAnswer.MatchString(strings.TrimSpace(failure.Message))
}

// ofBench tells whether an operation was about an object of the bench.
func ofBench(failure chainsaw.Failure) bool {
	return strings.HasPrefix(failure.Object, v1alpha1.GroupVersion.Group+"/")
}

// misfits tells whether a step that prepares failed because the schema of the subject's
// resource refused the scenario's object: Chainsaw's own request, or kubectl's.
func (c *Case) misfits(failure chainsaw.Failure) bool {
	if role := catalogue.RoleOf(failure.Step); role == catalogue.Then && !failure.Refused || c.Contract.Kind == "" {
		return false
	}
	kind := regexp.QuoteMeta(c.Contract.Kind)
	return regexp.MustCompile(`\b` + kind + `(\.` + regexp.QuoteMeta(c.Contract.Primary.Group) + `)? "[^"]*" is invalid: `).MatchString(failure.Message)
}

// accuses tells whether a failed operation says something of the subject: it does in a
// step that judges, unless the bench could not judge.
func accuses(failure chainsaw.Failure) bool {
	role := catalogue.RoleOf(failure.Step)
	return role != catalogue.Given && role != catalogue.When && !failure.CannotBeJudged()
}

// reason is a failed operation in a line: the step, and the findings that
// Chainsaw lists with a star before its long difference.
func reason(failure chainsaw.Failure) string {
	var findings []string
	for line := range strings.SplitSeq(failure.Message, "\n") {
		if finding, ok := strings.CutPrefix(strings.TrimSpace(line), "* "); ok {
			findings = append(findings, finding)
		}
	}
	if len(findings) == 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(failure.Message), "\n")
		findings = []string{first}
	}
	operation := strings.TrimSpace(failure.Operation + " " + failure.Object)
	return fmt.Sprintf("at %q (%s): %s", failure.Step, operation, strings.Join(findings, "; "))
}

// unordered are the errors of the API server that nothing in the scenario asked for. One
// that changes a definition has asked for what follows: until the cache of that resource
// is filled anew, watches of it are told to come back later. What comes after the last
// step, when Chainsaw cleans up, changes no result. But it may be why something is
// violated after it: these errors are late.
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

// comesAfter tells whether a violation has something that came after number seq.
func comesAfter(seq int64) func(v1alpha1.Violation) bool {
	return func(violation v1alpha1.Violation) bool {
		return slices.ContainsFunc(violation.Requests, func(proof int64) bool { return proof > seq })
	}
}
