package bench_test

import (
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestViolationsShowAtOnce: as soon as the subject has crashed, its status has the
// violation.
func TestViolationsShowAtOnce(t *testing.T) {
	scenario := namespace(t)
	subject := create(t, subjectIn(scenario, func(s *v1alpha1.SubjectSpec) { s.Restart = v1alpha1.RestartNever }))
	await(t, subject, "ready", ready(1))
	create(t, webApp(scenario, "demo", "exit"))
	await(t, subject, "accused of its crash", func(s *v1alpha1.Subject) bool { return len(s.Status.Violations) > 0 })
	if got := subject.Status.Violations[0]; got.Rule != "Crashed" || len(got.Requests) != 1 ||
		!strings.HasPrefix(got.Message, "subject-0 ended by itself: exited with status 7") {
		t.Errorf("violation: %+v", got)
	}
}
