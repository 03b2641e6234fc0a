package disruption

import (
	"fmt"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// judge says whether a Disruption ended as expected. within is how long a process was
// allowed to take to end.
func judge(d *v1alpha1.Disruption, within time.Duration) {
	status := &d.Status
	switch ended := len(status.Replicas) > 0; {
	case d.Spec.Expect != nil && ended:
		var wrong []string
		for _, replica := range status.Replicas {
			exit := replica.Exit
			if exit != nil && d.Spec.Expect.AnyStatus {
				exit = exit.DeepCopy()
				exit.Code = 0
			}
			if problem := badEnd(d.Spec.Action, exit, within); problem != "" {
				wrong = append(wrong, replica.Name+" "+problem)
			}
		}
		status.Verdict = v1alpha1.JudgementMet
		if len(wrong) > 0 {
			status.Verdict, status.Message = v1alpha1.JudgementNotMet, strings.Join(wrong, "; ")
		}
	case status.Phase == v1alpha1.DisruptionFailed:
		status.Verdict = v1alpha1.JudgementInvalid
	case status.Phase == v1alpha1.DisruptionDone:
		status.Verdict = v1alpha1.JudgementMet
	default:
		status.Verdict = v1alpha1.JudgementPending
	}
}

// badEnd says what is wrong with the end of a process that was told to end. It returns ""
// if the process ended in time and without a panic. It may end with status 0, by the
// signal that it was sent, or with the status that shells give for that signal.
func badEnd(action v1alpha1.DisruptionAction, exit *v1alpha1.Exit, within time.Duration) string {
	signal, code := "SIGTERM", int32(143)
	if action == v1alpha1.ActionInterrupt {
		signal, code = "SIGINT", 130
	}
	switch {
	case exit == nil:
		return "did not run"
	case exit.Panic:
		return fmt.Sprintf("ended in a panic, with status %d", exit.Code)
	case exit.Signal == "SIGKILL":
		return fmt.Sprintf("had not ended after %s, and was killed; expected: within %s", milliseconds(exit.TookMs), within)
	case exit.Code != 0 && exit.Code != code:
		return strings.TrimSpace(fmt.Sprintf("ended with status %d %s", exit.Code, exit.Signal)) +
			fmt.Sprintf("; expected: 0, %d or %s", code, signal)
	case milliseconds(exit.TookMs) > within:
		return fmt.Sprintf("took %s to end; expected: within %s", milliseconds(exit.TookMs), within)
	}
	return ""
}
