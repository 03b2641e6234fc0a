package infer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/profile"
)

// moment is a primary object and its main child as they were at the same time.
type moment struct {
	primary, deployment *unstructured.Unstructured
	// version of the store.
	version int64
	// settled is true if everything that was done before had had its effect.
	settled bool
	// ineffective is true if the last change had no effect on the children.
	ineffective bool
	// withheld is true if the Pods were kept from becoming ready.
	withheld bool
}

func (m moment) ready() int64 {
	ready, ok := whole(At(m.deploymentObject(), "status.readyReplicas"))
	if !ok {
		ready, _ = whole(At(m.deploymentObject(), "status.numberReady")) // for a DaemonSet
	}
	return ready
}

func (m moment) wanted() int64 {
	wanted, ok := whole(At(m.deploymentObject(), "spec.replicas"))
	if !ok {
		wanted, ok = whole(At(m.deploymentObject(), "status.desiredNumberScheduled"))
	}
	if !ok {
		return -1
	}
	return wanted
}

func (m moment) deploymentObject() map[string]any {
	if m.deployment == nil {
		return map[string]any{}
	}
	return m.deployment.Object
}

// rolledOut tells whether all Pods of the main child are ready.
func (m moment) rolledOut() bool {
	return m.deployment != nil && m.wanted() >= 0 && m.ready() == m.wanted()
}

// moments returns the moments of the first object, from its creation to its end, and then
// those of the object whose Pods are never ready. There is one for each version, and one at
// the end of each act.
func (r *Record) moments() []moment {
	created, ok := r.act(Create)
	if !ok {
		return nil
	}
	var moments []moment
	for _, act := range r.acts(Create, Change, Rest, Withhold) {
		if act.Object != created.Object && act.Deed != Withhold {
			continue
		}
		m := moment{withheld: act.Deed == Withhold, ineffective: act.Deed == Change && len(r.Effects(act)) == 0 && !r.templateChanged(act)}
		primary, main := Ref{r.Kind, act.Object}, r.mainFinder(act.Object)
		at := r.Film.At(act.After)
		take := func(version int64) {
			if m.version, m.primary = version, at[primary]; m.primary != nil {
				m.deployment = at[main(at)]
				moments = append(moments, m)
			}
		}
		for _, frame := range r.Film.Between(act.After, act.Until) {
			frame.change(at)
			if !frame.Gone && frame.ref == primary {
				take(frame.Version())
			}
		}
		m.settled = true
		take(act.Until)
	}
	return moments
}

// Status has the paths in the status, by what they hold. A path is empty if none was found.
type Status struct {
	Ready, Phase, URL, Conditions, Generation string
	// TooEarly is a path whose name says that it counts ready Pods. But it has the wanted
	// number also while fewer are ready. It is empty if there is a Ready.
	TooEarly string
	// Behind is a path whose name says that it counts ready Pods. But it had numbers that
	// were right only before. It counts only if there is neither a Ready nor a TooEarly.
	Behind string
	// Phases by the reference's names.
	Phases map[string]string
	// PhaseCondition is the type of the condition that says that the object is ready.
	PhaseCondition string
	// Outlived are the signs of readiness that stayed while a rollout stalled: none is the
	// phase.
	Outlived []Sign
	// Early are fields whose names say that the object is ready, and which said so before its
	// Pods were ready. It is empty if another field is the phase.
	Early []Sign
	// Notes by the path.
	Notes map[string]string
}

// status maps the status of the primary object. The Service is the object's, or nil if it
// has none.
func (r *Record) status(service *unstructured.Unstructured) Status {
	moments := r.moments()
	s := r.statusIn(moments, service)
	if s.Phase == "" && s.PhaseCondition == "" && len(s.Outlived) == 0 {
		s.Early = earlySigns(moments, s.Conditions)
	}
	return s
}

func (r *Record) statusIn(moments []moment, service *unstructured.Unstructured) Status {
	s := Status{Notes: map[string]string{}}
	var settled, first []moment // all, and those of the first object, because only its Service is known
	for _, m := range moments {
		if m.settled {
			settled = append(settled, m)
			if m.primary.GetUID() == moments[0].primary.GetUID() {
				first = append(first, m)
			}
		}
	}
	if len(settled) == 0 {
		return s
	}
	leaves := map[string]bool{}
	for _, m := range moments {
		for _, leaf := range Leaves(m.primary.Object["status"], "status") {
			leaves[leaf.Path] = true
		}
	}
	copies := specCopies(moments)
	var paths []string
	for path := range leaves {
		if !strings.Contains(path, "[") && profile.CanName(path) && !inAny(copies, path) {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, byHint)
	for _, path := range paths {
		switch {
		case s.Ready == "" && followsReady(settled, path) && !followsWanted(moments, path):
			s.Ready = path
			s.Notes[path] = fmt.Sprintf("it was %s, as the ready Pods were", strings.Join(valuesAt(settled, path), ", "))
			s.TooEarly = ""
		case s.Ready == "" && s.TooEarly == "" && saysReady(path) && follows(settled, path, moment.wanted) && followsWanted(moments, path):
			s.TooEarly = path
			s.Notes[path] = fmt.Sprintf("it was %s, as the wanted Pods were, ready or not", strings.Join(valuesAt(settled, path), ", "))
		case s.Behind == "" && saysReady(path) && isBehind(settled, path):
			s.Behind = path
			s.Notes[path] = fmt.Sprintf("it was %s, each time when all was done", strings.Join(valuesAt(settled, path), ", "))
		case s.Generation == "" && followsGeneration(settled, path):
			s.Generation = path
			s.Notes[path] = fmt.Sprintf("it was %s, as metadata.generation was", strings.Join(valuesAt(settled, path), ", "))
		case s.URL == "" && service != nil && r.alwaysAddress(first, path, service):
			s.URL = path
			s.Notes[path] = fmt.Sprintf("it was %v, which names the Service", At(first[0].primary.Object, path))
		case s.Phase == "":
			r.findPhase(&s, moments, path)
		}
	}
	s.Conditions = conditionsPath(settled)
	if s.Conditions != "" && (s.Phase == "" || !saysPhase(s.Phase)) {
		r.preferCondition(&s, moments)
	}
	return s
}

// findPhase takes a path as that of the phase, if its values were those of a phase. If it still
// said Running while a rollout stalled, the path is only noted.
func (r *Record) findPhase(s *Status, moments []moment, path string) {
	phase, phases := r.phaseAt(moments, path)
	if phase == "" {
		return
	}
	running := cmp.Or(phases["Running"], "Running")
	if r.readyWhileStalled(func(o *unstructured.Unstructured) bool { return At(o.Object, path) == running }) {
		s.Outlived = append(s.Outlived, Sign{Path: path, Phases: phases})
		return
	}
	s.Phase, s.Phases = phase, phases
	s.Notes[path] = fmt.Sprintf("it was %s", strings.Join(valuesAt(moments, path), ", then "))
}

// preferCondition takes a condition as the phase, if one says whether the object is ready.
func (r *Record) preferCondition(s *Status, moments []moment) {
	// A text whose name does not say that it is a phase may be anything that changed at that
	// time. A condition Ready says clearly what it is.
	kind := readyCondition(moments, s.Conditions)
	if kind != "" && r.readyWhileStalled(func(o *unstructured.Unstructured) bool { return conditionsOf(o, s.Conditions)[kind] == "True" }) {
		s.Outlived = append(s.Outlived, Sign{Condition: kind})
		kind = ""
	}
	s.PhaseCondition = kind
	if kind != "" && s.Phase != "" {
		delete(s.Notes, s.Phase)
		s.Phase, s.Phases = "", nil
	}
}

// specCopies returns the objects in the status that are copies of the spec, for example as it was
// applied last. They may also contain defaults. Nothing in them says anything about Pods.
func specCopies(moments []moment) (copies []string) {
	const fewest = 3 // a name and an image, for example, may be in any status
	for _, m := range moments {
		status, _ := m.primary.Object["status"].(map[string]any)
		for key, value := range status {
			object, _ := value.(map[string]any)
			leaves := Leaves(object, "")
			same := 0
			for _, leaf := range leaves {
				if At(m.primary.Object, "spec."+leaf.Path) != nil {
					same++
				}
			}
			saysSo := strings.Contains(strings.ToLower(key), "spec") && same > 0
			if at := "status." + key; (saysSo || same >= fewest && 2*same >= len(leaves)) && !slices.Contains(copies, at) {
				copies = append(copies, at)
			}
		}
	}
	return copies
}

// inAny tells whether a path is within one of these objects.
func inAny(objects []string, path string) bool {
	return slices.ContainsFunc(objects, func(object string) bool { return strings.HasPrefix(path, object+".") })
}

// saysPhase tells whether the name of a field says that it is a phase.
func saysPhase(path string) bool {
	_, last := parent(path)
	last = strings.ToLower(last)
	return slices.ContainsFunc([]string{"phase", "state", "status", "health"}, func(word string) bool { return strings.Contains(last, word) })
}

// saysReady tells whether the name of a field says that it counts ready Pods.
func saysReady(path string) bool {
	_, last := parent(path)
	last = strings.ToLower(last)
	return strings.Contains(last, "ready") && !strings.Contains(last, "unready") && !strings.Contains(last, "notready") ||
		strings.Contains(last, "available") && !strings.Contains(last, "unavailable")
}

// byHint puts paths first whose names say what they hold.
func byHint(a, b string) int {
	rank := func(path string) int {
		_, last := parent(path)
		last = strings.ToLower(last)
		for n, hint := range []string{"ready", "available", "observedgeneration", "phase", "state", "url"} {
			if strings.Contains(last, hint) {
				return n
			}
		}
		return 9
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// valuesAt returns the values at a path, each once, in the order in which they came.
func valuesAt(moments []moment, path string) []string {
	var values []string
	for _, m := range moments {
		value := fmt.Sprint(At(m.primary.Object, path))
		if value == "<nil>" {
			value = "nothing"
		}
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}

func always(moments []moment, path string, holds func(moment, any) bool) bool {
	return !slices.ContainsFunc(moments, func(m moment) bool { return !holds(m, At(m.primary.Object, path)) })
}

func distinct(moments []moment, value func(moment) int64) int {
	values := map[int64]bool{}
	for _, m := range moments {
		values[value(m)] = true
	}
	return len(values)
}

func followsReady(settled []moment, path string) bool { return follows(settled, path, moment.ready) }

// follows tells whether a number equals the number that it should follow. A controller that
// polls is late at times: then the number equals an earlier one of the same object. A
// missing value counts as 0.
func follows(settled []moment, path string, what func(moment) int64) bool {
	followed, before := map[int64]int{}, map[int64]bool{}
	late := 0
	for n, m := range settled {
		if n > 0 && m.primary.GetUID() != settled[n-1].primary.GetUID() {
			clear(before)
		}
		value := At(m.primary.Object, path)
		number, ok := whole(value)
		switch {
		case !ok && value != nil:
			return false
		case number == what(m):
			followed[number]++
		case value == nil || before[number]:
			late++
		default:
			return false
		}
		before[what(m)] = true
	}
	return len(followed) > 1 && late < len(settled)-late
}

// isBehind tells whether a number is one that the number of ready Pods was before, or 0, also
// once all Pods are ready: nothing writes it then.
func isBehind(settled []moment, path string) bool {
	written, behind, before := false, false, map[int64]bool{0: true}
	for _, m := range settled {
		before[m.ready()] = true
		value := At(m.primary.Object, path)
		number, ok := whole(value)
		if value != nil && (!ok || !before[number]) {
			return false
		}
		written = written || ok
		behind = behind || m.rolledOut() && number != m.ready()
	}
	return written && behind
}

// followsWanted tells whether a number is the wanted number of Pods: it equals that number
// even while fewer Pods are ready, each time that this was seen.
func followsWanted(moments []moment, path string) bool {
	var unready []moment
	for _, m := range moments {
		if m.deployment != nil && m.ready() != m.wanted() {
			unready = append(unready, m)
		}
	}
	return len(unready) > 0 && always(unready, path, func(m moment, v any) bool {
		number, ok := whole(v)
		return ok && number == m.wanted()
	})
}

func followsGeneration(settled []moment, path string) bool {
	return follows(settled, path, func(m moment) int64 { return m.primary.GetGeneration() })
}
