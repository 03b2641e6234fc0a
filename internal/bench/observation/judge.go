package observation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
)

const (
	maxViolations = 20
	maxExcerpt    = 1024
	// maxWhole limits what a message shows of an object if the rule reads no field of it.
	maxWhole = 256
	// maxTold is how many objects or violations a message shows.
	maxTold = 3
	// between is the least time from one status to the next if only the counts differ:
	// a version can come each few milliseconds, and each status that is written costs a
	// request and watch events.
	between = 500 * time.Millisecond
	// defaultWithin is the time within which eventually must be true.
	defaultWithin = 45 * time.Second
)

// judge checks what is seen against the rules of one Observation. It is safe for use by
// many goroutines.
type judge struct {
	of                       v1alpha1.ObservationSpec
	never, eventually, where *rule
	optional                 bool
	claims                   map[string]any
	began                    time.Time
	within                   time.Duration
	// longer returns within again. It is longer if a Fault has hit a request since.
	longer func() (time.Duration, error)
	// stretched returns how long a time limit lasts if waiting for answers does not count.
	// It is nil if waiting counts.
	stretched func(limit time.Duration, from, now time.Time) time.Duration
	unclaimed string // why nothing is expected, or empty

	mu      sync.Mutex
	seen    v1alpha1.ObservationStatus // without the verdict
	last    map[string]map[string]any  // the last versions that were judged, by the object's name
	there   map[string]map[string]any  // the objects that are there now and are meant, by name
	first   map[string]any             // the first versions by the object's name, or the first reading
	reading any                        // the last reading
	came    bool                       // eventually was true, in time
	cameAt  v1alpha1.ObservedVersion   // the version for which it was true
	overdue bool
	gaveUp  string    // why the wait was given up before its end; empty if it was not
	lost    string    // why the Observation can no longer be trusted
	unread  string    // why the last attempt gave no reading
	written time.Time // when the counts of the status were last written
}

// newJudge compiles the rules. The error says why they cannot be used.
func newJudge(spec v1alpha1.ObservationSpec, times expectation.Times, now time.Time) (*judge, error) {
	j := &judge{of: spec, began: now, optional: spec.Optional, last: map[string]map[string]any{}, there: map[string]map[string]any{}, first: map[string]any{}}
	j.seen.Phase, j.seen.Violations = v1alpha1.ObservationWatching, []v1alpha1.ObservedViolation{}
	j.unclaimed = expectation.CheckClaim(times.Claims, spec.Feature)
	var err error
	if j.never, err = compile("never", spec.Never); err != nil {
		return nil, err
	}
	if j.eventually, err = compile("eventually", spec.Eventually); err != nil {
		return nil, err
	}
	if j.where, err = compile("where", spec.Where); err != nil {
		return nil, err
	}
	if j.claims, err = runtime.DefaultUnstructuredConverter.ToUnstructured(&times.Claims); err != nil {
		return nil, fmt.Errorf("reading the claims: %w", err)
	}
	j.within = expectation.Scaled(defaultWithin, times.Scale)
	if spec.Within != nil && j.unclaimed == "" {
		j.longer = func() (time.Duration, error) { return times.Within(*spec.Within, now) }
		if j.within, err = j.longer(); err != nil {
			return nil, fmt.Errorf("computing within: %w", err)
		}
	}
	return j, nil
}

// start judges the objects that exist at the start, and that were listed at a version. A
// rule about all objects is judged with all of them, and not with the first ones of the list.
func (j *judge) start(objects []unstructured.Unstructured, resourceVersion string, now time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var meant []*unstructured.Unstructured
	for i := range objects {
		j.seen.SeenResourceVersion = objects[i].GetResourceVersion()
		if j.isMeant(&objects[i]) {
			meant = append(meant, &objects[i])
			j.last[objects[i].GetName()], j.there[objects[i].GetName()] = objects[i].Object, objects[i].Object
		}
	}
	for _, object := range meant {
		j.check(object, nil, watch.Added, now)
	}
	if len(meant) == 0 {
		j.startsEmpty(resourceVersion)
	}
}

// version judges one version of an object, and what its event says of it.
func (j *judge) version(object *unstructured.Unstructured, event watch.EventType, now time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seen.SeenResourceVersion = object.GetResourceVersion()
	name, meant := object.GetName(), j.isMeant(object)
	before := j.last[name]
	if event == watch.Deleted {
		delete(j.last, name)
	}
	if delete(j.there, name); !meant {
		return
	}
	if event != watch.Deleted {
		j.last[name], j.there[name] = object.Object, object.Object
	}
	j.check(object, before, event, now)
}

// check judges one version of an object after the version before, which is nil for the first
// one. The lock is held.
func (j *judge) check(object *unstructured.Unstructured, before map[string]any, event watch.EventType, now time.Time) {
	name, deleted := object.GetName(), event == watch.Deleted
	if _, seen := j.first[name]; !seen {
		j.first[name] = object.Object
	}
	f := facts{claims: j.claims, first: j.first[name], after: object.Object}
	if before != nil {
		f.before = before
	}
	if deleted {
		f.after = nil
	}
	j.seen.Versions++
	if !deleted && !equality.Semantic.DeepEqual(before["status"], object.Object["status"]) {
		j.seen.Statuses++
	}
	violated, holds := j.hold(f, now)
	if j.came && j.cameAt.ResourceVersion == "" {
		j.cameAt = v1alpha1.ObservedVersion{
			Resource: j.of.Resource, Name: name, ResourceVersion: object.GetResourceVersion(), UID: object.GetUID(), Deleted: deleted,
		}
	}
	if violated && len(j.seen.Violations) < maxViolations {
		j.seen.Violations = append(j.seen.Violations, v1alpha1.ObservedViolation{
			Name: name, ResourceVersion: object.GetResourceVersion(), Generation: object.GetGeneration(), Excerpt: marshal(j.excerpt(object.Object), maxExcerpt), Holds: holds,
			UID: object.GetUID(), Deleted: deleted, Changed: j.changed(before, f.first, object.Object),
		})
	}
}

// startsEmpty judges a start without any object. That may be what eventually expects. A rule
// about a version is not true without a version. The lock is held.
func (j *judge) startsEmpty(resourceVersion string) {
	if came, err := j.eventually.holds(facts{claims: j.claims}); err == nil && came {
		j.came, j.cameAt = true, v1alpha1.ObservedVersion{Resource: j.of.Resource, Name: j.of.Name, ResourceVersion: resourceVersion}
	}
}

// isMeant says whether a version must be checked. The lock is held.
func (j *judge) isMeant(object *unstructured.Unstructured) bool {
	if j.where == nil {
		return true
	}
	meant, err := j.where.holds(facts{claims: j.claims, after: object.Object})
	if err != nil && j.lost == "" {
		j.lost = err.Error()
	}
	return meant
}

// read judges one reading. take takes it and writes into the status. The error says that
// there is nothing to read.
func (j *judge) read(take func(into *v1alpha1.ObservationStatus) (reading any, err error), now func() time.Time) error {
	j.mu.Lock()
	next := *j.seen.DeepCopy()
	j.mu.Unlock()
	reading, err := take(&next)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.unread = err.Error()
		return err
	}
	violations := j.seen.Violations
	j.seen, j.unread = next, ""
	j.seen.Violations = violations
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(reading)
	if err != nil {
		return fmt.Errorf("converting a reading: %w", err)
	}
	if _, seen := j.first[""]; !seen {
		j.first[""] = content
	}
	violated, holds := j.hold(facts{claims: j.claims, first: j.first[""], before: j.reading, after: content}, now())
	if violated && len(j.seen.Violations) < maxViolations {
		j.seen.Violations = append(j.seen.Violations, v1alpha1.ObservedViolation{Excerpt: marshal(content, maxExcerpt), Holds: holds})
	}
	j.reading = content
	return nil
}

// hold evaluates both rules. It says whether never is true, and which part of it. The lock
// is held.
func (j *judge) hold(f facts, now time.Time) (violated bool, holds string) {
	for _, name := range slices.Sorted(maps.Keys(j.there)) {
		f.all = append(f.all, j.there[name])
	}
	violated, err := j.never.holds(f)
	if violated {
		holds = j.never.cameTrue(f)
	}
	if err == nil && !j.came && !j.overdue {
		j.overdue = j.left(now) < 0
		if !j.overdue {
			j.came, err = j.eventually.holds(f)
		}
	}
	if err != nil && j.lost == "" {
		j.lost = err.Error()
	}
	return violated, holds
}

// lose says that versions may be missing, so that the Observation can no longer be
// trusted.
func (j *judge) lose(why string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lost = why
}

// status returns what was seen so far, with the verdict. It also returns how soon the
// verdict may change by itself, or 0.
func (j *judge) status(now time.Time) (v1alpha1.ObservationStatus, time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	status := *j.seen.DeepCopy()
	switch {
	case j.unclaimed != "":
		status.Verdict, status.Message = v1alpha1.JudgementMet, "nothing is expected: "+j.unclaimed
	case len(status.Violations) > 0:
		status.Verdict, status.Message = v1alpha1.JudgementNotMet, fmt.Sprintf("never expected %q, seen: %s", j.never.expression, told(status.Violations))
		status.Proved = j.reading == nil // what a replica answers, or writes down, may be late
	case j.lost != "" || j.unread != "":
		status.Phase, status.Verdict, status.Message = v1alpha1.ObservationInvalid, v1alpha1.JudgementInvalid, cmp.Or(j.lost, j.unread)
	case j.eventually == nil || j.came:
		status.Verdict = v1alpha1.JudgementMet
	case j.left(now) < 0 && j.optional:
		j.overdue = true
		status.Verdict, status.Message = v1alpha1.JudgementMet, fmt.Sprintf("waited for %q for %s; it need not be", j.eventually.expression, j.within)
	case j.gaveUp != "":
		status.Verdict, status.Message = v1alpha1.JudgementNotMet, j.unmet(" ("+j.gaveUp+")")
	case j.left(now) < 0:
		j.overdue = true
		status.Verdict, status.Message = v1alpha1.JudgementNotMet, j.unmet("")
	default:
		status.Verdict, status.Message = v1alpha1.JudgementPending, fmt.Sprintf("waiting for %q, %s at most", j.eventually.expression, j.within)
		return status, j.left(now) + time.Millisecond
	}
	return status, 0
}

// early returns for how long a status is too early to be written, because it differs
// from the one that was written before only in how many versions were seen. Otherwise
// it is written now.
func (j *judge) early(was, status v1alpha1.ObservationStatus, now time.Time) time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	if equality.Semantic.DeepEqual(was, status) {
		return 0
	}
	was.Versions, was.Statuses, was.SeenResourceVersion = status.Versions, status.Statuses, status.SeenResourceVersion
	if left := between - now.Sub(j.written); left > 0 && equality.Semantic.DeepEqual(was, status) {
		return left
	}
	j.written = now
	return 0
}
