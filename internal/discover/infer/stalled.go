package infer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// readyWhileStalled tells whether an object still said that it was ready while its rollout was
// stalled: it had got an image whose Pods never become ready, and the Pods of the old image had
// stayed. Some mean by ready that Pods serve, and not that the last change is rolled out. It is
// false if no stalled rollout was seen.
func (r *Record) readyWhileStalled(ready func(*unstructured.Unstructured) bool) bool {
	act, ok := r.act(Stall)
	if !ok {
		return false
	}
	before, after := r.Film.At(act.After), r.Film.At(act.Until)
	was, is := before[Ref{r.Kind, act.Object}], after[Ref{r.Kind, act.Object}]
	return was != nil && is != nil && r.Stalled(act) && ready(was) && ready(is)
}

// Stalled tells whether the rollout of an act's object had begun at the end of the act, and
// all its Pods were ready before. Nothing can end that rollout but another change.
func (r *Record) Stalled(act Act) bool {
	began, ended := r.Film.At(act.After), r.Film.At(act.Until)
	was, is := began[r.mainIn(began, act.Object)], ended[r.mainIn(ended, act.Object)]
	if was == nil || is == nil || fmt.Sprint(r.podTemplate(was)) == fmt.Sprint(r.podTemplate(is)) {
		return false
	}
	before := moment{deployment: was}
	return before.wanted() > 0 && before.rolledOut() && Begun(is.Object)
}

// Begun tells whether a workload has noticed its last change, and has a Pod that follows it.
func Begun(workload map[string]any) bool {
	updated, ok := whole(At(workload, "status.updatedReplicas"))
	if !ok {
		updated, _ = whole(At(workload, "status.updatedNumberScheduled")) // for a DaemonSet
	}
	return updated > 0 && same(At(workload, "status.observedGeneration"), At(workload, "metadata.generation"))
}

// IsReady tells whether an object says that it is ready, by the phase of a contract.
func IsReady(object *unstructured.Unstructured, contract v1alpha1.Contract) bool {
	phase := contract.Status.Phase
	if phase == nil {
		return false
	}
	if phase.Condition != nil {
		return contract.Status.Conditions != nil && conditionsOf(object, contract.Status.Conditions.Path)[phase.Condition.Type] == string(phase.Condition.Status)
	}
	return At(object.Object, phase.Path) == cmp.Or(contract.Phases["Running"], "Running")
}

// Sign is what says that an object is ready: a word at a path of the status, or a condition
// that is True. Phases are as in [Status].
type Sign struct {
	Path      string
	Phases    map[string]string
	Condition string
}

// seen says in words what showed that the object is ready.
func (s Sign) seen() string {
	if s.Condition != "" {
		return "the condition " + s.Condition + " was True"
	}
	return s.Path + " was " + cmp.Or(s.Phases["Running"], "Running")
}

// field is the line of a profile that takes the sign for the phase.
func (s Sign) field() string {
	if s.Condition != "" {
		return fmt.Sprintf("phase: {condition: {type: %s, status: \"True\"}}", s.Condition)
	}
	return fmt.Sprintf("phase: {path: %s}", s.Path)
}

// claim returns the lines of a profile with which the sign is judged as the phase.
func (s Sign) claim() string {
	claim := s.field()
	if len(s.Phases) == 0 {
		return claim
	}
	var words []string
	for _, reference := range sorted(s.Phases) {
		words = append(words, reference+": "+s.Phases[reference])
	}
	return fmt.Sprintf("%s and contract: {phases: {%s}}", claim, strings.Join(words, ", "))
}

// earlySigns returns what says, by its name, that an object is ready, and said so before its
// Pods were ready for the first time.
func earlySigns(moments []moment, conditions string) []Sign {
	var signs []Sign
	for _, m := range beforeRollout(moments) {
		for _, leaf := range Leaves(m.primary.Object["status"], "status") {
			word, isText := leaf.Value.(string)
			if !isText || strings.Contains(leaf.Path, "[") || !profile.CanName(leaf.Path) || !saysPhase(leaf.Path) || !slices.Contains([]string{"available", "healthy", "ready", "running"}, strings.ToLower(word)) {
				continue
			}
			sign := Sign{Path: leaf.Path}
			if word != "Running" {
				sign.Phases = map[string]string{"Running": word}
			}
			signs = append(signs, sign)
		}
		if conditions != "" && conditionsOf(m.primary, conditions)["Ready"] == "True" {
			signs = append(signs, Sign{Condition: "Ready"})
		}
	}
	slices.SortFunc(signs, func(a, b Sign) int { return strings.Compare(a.claim(), b.claim()) })
	return slices.CompactFunc(signs, func(a, b Sign) bool { return a.claim() == b.claim() })
}

// askEarly asks whether signs of readiness that came before the Pods were ready were meant
// to be about the Pods.
func (f *finder) askEarly(path string) {
	for _, sign := range f.status.Early {
		f.offer(path, []string{sign.field()}, "phase is not claimed, and no requirement judges when the %s is ready: %s before its Pods were ready. Is that a mistake? "+
			"If it must say that all Pods are ready, write %s, and features: phase; then ST-002 and ST-007 judge it. "+
			"If it says something else, such as that the children are made, leave it out", f.Kind, sign.seen(), sign.claim())
	}
}

// askOutlived asks whether signs of readiness that stayed while a rollout stalled were meant
// to say that it is done.
func (f *finder) askOutlived(path string) {
	for _, sign := range f.status.Outlived {
		f.offer(path, []string{sign.field()}, "phase is not claimed: %s once all Pods were ready, and stayed so when the object got an image whose Pods do not become ready: "+
			"it may say that Pods serve, and not that the last change is rolled out. If it must say that, write %s, and features: phase; then ST-002 and ST-007 judge it", sign.seen(), sign.claim())
	}
}
