package observation

import (
	"fmt"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
)

// begunBefore returns the Observation that spec.after names. The error says that there is
// none.
func (c *Controller) begunBefore(observation *v1alpha1.Observation) (*judge, error) {
	other, ok := c.open.Named(types.NamespacedName{Namespace: observation.Namespace, Name: observation.Spec.After})
	if !ok {
		return nil, fmt.Errorf("spec.after: there is no Observation %s in the namespace (create it first)", observation.Spec.After)
	}
	return other, nil
}

// order judges whether the other Observation came true at an older version than this one.
// It returns how soon to look again.
func (c *Controller) order(observation *v1alpha1.Observation, own *judge, now time.Time) time.Duration {
	status := &observation.Status
	came := own.firstTrue()
	if observation.Spec.After == "" || came == 0 || status.Verdict != v1alpha1.JudgementMet {
		return 0
	}
	other, err := c.begunBefore(observation)
	if err != nil {
		status.Verdict, status.Message = v1alpha1.JudgementInvalid, err.Error()
		return 0
	}
	before := other.firstTrue()
	expected := fmt.Sprintf("expected %q after %q, was true at resourceVersion %d",
		own.eventually.expression, other.eventually.expression, came)
	switch {
	case before > 0 && before < came:
		return 0
	case before > 0:
		status.Verdict, status.Message = v1alpha1.JudgementNotMet, fmt.Sprintf("%s, and the other not before %d", expected, before)
		status.Order = &v1alpha1.ObservedOrder{Early: own.trueOf(), Late: other.trueOf()}
		return 0
	case own.left(now) < 0:
		status.Verdict, status.Message = v1alpha1.JudgementNotMet, fmt.Sprintf("%s, and the other not within %s", expected, own.within)
		return 0
	default:
		status.Verdict, status.Message = v1alpha1.JudgementPending, fmt.Sprintf("waiting for Observation %s", observation.Spec.After)
		return objects.Recheck
	}
}

// firstTrue returns the resourceVersion of the first version for which eventually was
// true, or 0 if there is none yet.
func (j *judge) firstTrue() uint64 {
	version, err := strconv.ParseUint(j.trueOf().ResourceVersion, 10, 64)
	if err != nil {
		return 0
	}
	return version
}

// trueOf returns the first version for which eventually was true. It is empty if there is
// none yet.
func (j *judge) trueOf() v1alpha1.ObservedVersion {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.cameAt
}
