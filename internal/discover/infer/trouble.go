package infer

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// StrangerLabel marks a workload that nobody owns.
const StrangerLabel = "reconform.dev/stranger"

// trouble is what shows while something fails, and does not show when all is well.
type trouble struct {
	condition *v1alpha1.ConditionStatus
	// ambiguous is a condition that told of a failure, with a status that it also had while
	// nothing failed. It is nil if there is a condition without that doubt.
	ambiguous *v1alpha1.ConditionStatus
	// gone is true if the condition disappeared with its cause.
	gone bool
	// failed is the reason of the Warning about a name that is taken, if the reason was
	// the same each time. refused is the reason of the Warning about a child that
	// cannot be made.
	failed, refused string
	// various are the reasons of Warnings about a name that is taken, if the reason was
	// not the same each time.
	various []string
	phase   string
}

// troubles returns what showed during the acts in which something failed. The first that
// shows counts.
func (r *Record) troubles(status Status) trouble {
	var t trouble
	for _, pair := range [][2]Deed{{Hinder, Unhinder}, {Occupy, Vacate}, {Foreign, ""}} {
		act, ok := r.act(pair[0])
		if !ok || pair[0] == Occupy && !r.LeavesStrangers() {
			continue
		}
		bad := r.Film.At(act.Until)[Ref{r.Kind, act.Object}]
		var good *unstructured.Unstructured
		if after, ok := r.act(pair[1]); ok && pair[1] != "" {
			good = r.Film.At(after.Until)[Ref{r.Kind, act.Object}]
		}
		if status.Conditions != "" && bad != nil && t.condition == nil {
			var ambiguous *v1alpha1.ConditionStatus
			t.condition, ambiguous = r.failing(act, bad, status.Conditions)
			t.ambiguous = cmp.Or(t.ambiguous, ambiguous)
			t.gone = t.condition != nil && good != nil && conditionsOf(good, status.Conditions)[t.condition.Type] != t.condition.Status
		}
		if status.Phase != "" && bad != nil && t.phase == "" {
			t.phase, _ = At(bad.Object, status.Phase).(string)
		}
		if warned := r.warnings(act); act.Deed == Hinder && len(warned) > 0 {
			t.refused = warned[0]
		}
	}
	if t.condition != nil {
		t.ambiguous = nil
	}
	t.failed, t.various = r.failures()
	return t
}

// failures returns the reason of the Warnings about a name that is taken by a child of
// another controller, if it is the same each time. Otherwise it returns all reasons
// that were seen. A name that is taken by an object without an owner counts only if the
// other case was not tried.
func (r *Record) failures() (each string, various []string) {
	taken := r.acts(Foreign)
	if len(taken) == 0 && r.LeavesStrangers() {
		taken = r.acts(Occupy)
	}
	count := map[string]int{}
	for _, act := range taken {
		for _, reason := range r.warnings(act) {
			if count[reason]++; count[reason] == 1 {
				various = append(various, reason)
			}
		}
	}
	for _, reason := range various {
		if count[reason] == len(taken) {
			return reason, nil
		}
	}
	return "", various
}

// warnings returns the reasons of the Warnings during an act, each once, in the order in
// which they came. A reason that also came while all was well does not count.
func (r *Record) warnings(act Act) []string {
	var usual, reasons []string
	for _, well := range r.acts(Create, Rest) {
		for _, e := range r.eventsDuring(well) {
			usual = append(usual, e.reason)
		}
	}
	for _, e := range r.eventsDuring(act) {
		if e.kind == "Warning" && !slices.Contains(usual, e.reason) && !slices.Contains(reasons, e.reason) {
			reasons = append(reasons, e.reason)
		}
	}
	return reasons
}

// failing returns a condition that reports a failure, or else one that may do so. It has
// another status while something fails than when all is well, and it tells of the failure:
// by its type, by what its reason and its message say, or because it quotes the API server.
// Otherwise it may only say that the Pods are not ready: without Pods, that is so, too. A
// condition that had this status while nothing failed must quote the API server, and have a
// type that tells of failures.
func (r *Record) failing(act Act, bad *unstructured.Unstructured, path string) (found, ambiguous *v1alpha1.ConditionStatus) {
	created, _ := r.act(Create)
	well := map[string]string{}
	if object := r.Film.At(created.Until)[Ref{r.Kind, created.Object}]; object != nil {
		well = conditionsOf(object, path)
	}
	usual := r.usual(path)
	now := conditionsOf(bad, path)
	var kinds, unsure []string
	for kind, status := range now {
		if status != "True" && status != "False" || well[kind] == status {
			continue
		}
		named, said := failureRank(kind) < unnamed, saidIn(bad, path, kind)
		quotes := r.quotesRefusal(act, said)
		if quotes && named || (quotes || named || tellsOfFailure(said)) && !usual[kind][status] {
			kinds = append(kinds, kind)
		} else if quotes || tellsOfFailure(said) {
			unsure = append(unsure, kind)
		}
	}
	likeliest := func(kinds []string) *v1alpha1.ConditionStatus {
		if len(kinds) == 0 {
			return nil
		}
		kind := slices.MinFunc(kinds, func(a, b string) int {
			return cmp.Or(cmp.Compare(failureRank(a), failureRank(b)), cmp.Compare(a, b))
		})
		return &v1alpha1.ConditionStatus{Type: kind, Status: now[kind]}
	}
	if found = likeliest(kinds); found == nil {
		ambiguous = likeliest(unsure)
	}
	return found, ambiguous
}

// usual returns the statuses that the conditions had while nothing failed, by their types.
func (r *Record) usual(path string) map[string]map[string]bool {
	seen := map[string]map[string]bool{}
	for _, m := range r.moments() {
		if m.ineffective {
			continue // the change may be what failed
		}
		for kind, status := range conditionsOf(m.primary, path) {
			if seen[kind] == nil {
				seen[kind] = map[string]bool{}
			}
			seen[kind][status] = true
		}
	}
	return seen
}

// saidIn returns the reason and the message of a condition.
func saidIn(object *unstructured.Unstructured, path, kind string) string {
	list, _ := At(object.Object, path).([]any)
	for _, item := range list {
		if condition, _ := item.(map[string]any); condition["type"] == kind {
			reason, _ := condition["reason"].(string)
			message, _ := condition["message"].(string)
			return reason + ": " + message
		}
	}
	return ""
}

// quotesRefusal says whether a text contains what the API server said when it refused a write
// during an act.
func (r *Record) quotesRefusal(act Act, text string) bool {
	return slices.ContainsFunc(r.during(act), func(q history.Request) bool {
		return q.Effect == history.EffectRefused && q.Message != "" && strings.Contains(text, q.Message)
	})
}

// tellsOfFailure says whether a text tells of a write that failed, and not only of something
// that is not there yet: "cannot serve yet" says that there are no Pods.
func tellsOfFailure(text string) bool {
	return failedWrite.MatchString(text) || failure.MatchString(text) && !notYet.MatchString(text)
}

var (
	// failedWrite matches a refusal, and a write with the word that it failed.
	failedWrite = regexp.MustCompile(`(?i)refus|denied|forbidden|conflict|already exist|owned by|controlled by|quota|not allowed` +
		`|(?:fail|error|cannot|can't|could not|unable)\w*\W+(?:\w+\W+){0,3}?(?:` + writes + `)` +
		`|(?:` + writes + `)[a-z]*(?:fail|error)`)
	// failure matches words that tell of any failure.
	failure = regexp.MustCompile(`(?i)fail|error|already|invalid|\bowned`)
	// notYet matches words that tell of Pods that are not ready.
	notYet = regexp.MustCompile(`(?i)\byet\b|not ?ready|unready|unavailable|waiting|in progress|probe|health ?check|\bno (?:ready |healthy )?(?:pods|replicas|endpoints)`)
)

// writes are the words for writes, as they begin.
const writes = "creat|updat|patch|appl|delet|reconcil|writ|made|mak|sync|adopt|tak"

// failureRank says how likely a type of condition tells of failures, the likeliest first.
func failureRank(kind string) int {
	for n, hint := range []string{"degraded", "fail", "error", "reconcil", "sync"} {
		if strings.Contains(strings.ToLower(kind), hint) {
			return n
		}
	}
	return unnamed
}

// unnamed is the rank of a type whose name says nothing about failures.
const unnamed = 9
