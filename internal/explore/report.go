package explore

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
)

// Report returns what was found. The caller adds the version and how the profile was named.
func (e *Exploration) Report() *v1alpha1.ExploreReport {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := &v1alpha1.ExploreReport{
		Operations:     []v1alpha1.ExploredOperation{}, // there may be none
		TypeMeta:       metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.KindExploreReport},
		Implementation: e.target.Profile.Spec.Implementation, ProfileDigest: e.target.Profile.Digest,
		Kubernetes: e.kubernetes,
		Date:       metav1.Now(), Seed: e.options.Seed, Sorts: e.options.Sorts, Disturbances: e.options.Ways, Shard: e.options.Shard, Cut: e.cut, Left: e.left,
		Took: rounded(e.before.Took + time.Since(e.began)), Unreached: e.unreached, Unanswered: e.unanswered.DeepCopy(),
		Plans: v1alpha1.ExplorePlans{
			Planned: len(e.planned), All: e.all, Earlier: e.earlier, Done: e.done, Unreached: len(e.unreached), Failed: e.failed, Diverging: len(e.findings), Repeats: e.repeats,
		},
	}
	r.Recording = r.Took
	if !e.trying.IsZero() {
		r.Recording = rounded(e.recording)
		if e.tries > 0 {
			r.Plans.SecondsPerPlan = fmt.Sprintf("%.2f", e.carrying.Seconds()/float64(e.tries))
		}
	}
	e.reportOperations(r)
	for _, broken := range e.broken {
		r.Left = append(r.Left, "not carried out: "+broken)
	}
	if broken := e.options.Kept.broken(); broken != "" {
		r.Left = append(r.Left, broken)
	}
	for _, c := range e.causes() {
		reported := v1alpha1.ExploredCause{ID: c.id(), Minimised: e.minimised[c.id()], About: inProduction(c.findings[0], c.divergence), Divergence: c.divergence}
		for _, f := range c.findings {
			reported.Cases = append(reported.Cases, f.reported())
		}
		r.Causes = append(r.Causes, reported)
	}
	for _, f := range e.once {
		r.Unconfirmed = append(r.Unconfirmed, f.reported())
	}
	r.Reason = e.tooLittle()
	r.Verdict = report.VerdictOfExplored(r)
	return r
}

// tooLittle says why nothing can be concluded from what did not diverge, or returns "". The
// lock is held.
func (e *Exploration) tooLittle() string {
	switch {
	case e.halted:
		return e.cut
	case len(e.planned) == 0 && e.cut != "":
		return "not everything was recorded, so no plan was made"
	case e.done == 0 && len(e.planned) > 0: // a shard may have no plans
		return "no plan was carried out to its end"
	case e.failed > e.done/mostFailed:
		return fmt.Sprintf("%d of %d plans could not be carried out", e.failed, e.failed+e.done)
	}
	return ""
}

// mostFailed limits the plans that may fail: one of so many.
const mostFailed = 10

// plansByOperation counts the plans by the name of their operation.
func (e *Exploration) plansByOperation() map[string]int {
	plans := map[string]int{}
	for _, p := range e.planned {
		plans[p.Operation.Name]++
	}
	return plans
}

// reportOperations adds what was recorded: each operation that any shard has plans of, with the
// number of those of this one, and each that could not be disturbed because nothing is written in it.
func (e *Exploration) reportOperations(r *v1alpha1.ExploreReport) {
	plans := e.plansByOperation()
	for _, recording := range e.recordings {
		if len(recording.Undisturbed.Masks) > 0 {
			if r.Masks == nil {
				r.Masks = map[string][]v1alpha1.TrialMask{}
			}
			r.Masks[recording.Name] = recording.Undisturbed.Masks
		}
		if recording.Plans == 0 && !recording.Idle {
			continue
		}
		o := v1alpha1.ExploredOperation{Name: recording.Name, Watches: recording.Watches, Plans: plans[recording.Name]}
		for _, w := range recording.Writes {
			o.Writes = append(o.Writes, w.InWords())
		}
		r.Operations = append(r.Operations, o)
	}
}

func (f *finding) reported() v1alpha1.ExploredCase {
	return v1alpha1.ExploredCase{
		Plan: f.plan.InWords(), Operation: f.plan.Operation.Name, Steps: f.plan.Operation.inWords(), Came: f.came, Tries: f.tries,
		Divergences: f.first.Divergences, Repaired: f.first.Repaired, Requests: f.first.Requests, Namespace: f.first.namespace,
	}
}

func rounded(d time.Duration) metav1.Duration {
	return metav1.Duration{Duration: d.Round(time.Second / 10)}
}
