package chainsaw

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The event at the end of a test says what failed first: in the words of Chainsaw, or
// of the object of the bench.
func TestEndSaysWhatFailed(t *testing.T) {
	var verdict strings.Builder
	printVerdict(&verdict, told{
		namespace: "ns", message: "Observation follows is not as expected: nothing came", of: Measured{Kind: "Observation", Resource: "deployments.apps"},
	})
	var unscheduled strings.Builder
	printVerdict(&unscheduled, told{namespace: "elsewhere", unscheduled: "Pod other cannot be scheduled"})
	printVerdict(&unscheduled, told{namespace: "ns-a", unscheduled: "Pod demo-1 cannot be scheduled: 0/1 nodes are available"})
	for name, tc := range map[string]struct {
		output string
		want   *Failure
	}{
		"nothing": {"| 12:00:00 | sh-001 | Then it comes | ASSERT | DONE | apps/v1/Deployment @ ns/demo\n", nil},
		"a difference": {`    sink.go:61: | 12:00:00 | sh-001 | Then it comes | ASSERT | ERROR | apps/v1/Deployment @ ns/demo
        === ERROR
        ------------------------
        apps/v1/Deployment/ns/demo
        ------------------------
        * spec.replicas: Invalid value: 2: Expected value: 4
=== CONT  chainsaw/sh-002
    something of another test
    sink.go:61: | 12:00:00 | sh-001 | Then it comes | TRY | END |
`, &Failure{
			Step: "Then it comes", Operation: "assert", Object: "apps/v1/Deployment @ ns/demo",
			Message: "------------------------\napps/v1/Deployment/ns/demo\n------------------------\n* spec.replicas: Invalid value: 2: Expected value: 4",
		}},
		"an object of the bench": {
			verdict.String() + "| 12:00:00 | sh-001 | Then it comes | ASSERT | ERROR | reconform.dev/v1alpha1/Observation @ ns/follows\n" +
				"    === ERROR\n    the object was not found\n",
			&Failure{
				Step: "Then it comes", Operation: "assert", Object: "reconform.dev/v1alpha1/Observation @ ns/follows",
				Message: "Observation follows is not as expected: nothing came", Of: Measured{Kind: "Observation", Resource: "deployments.apps"},
			},
		},
		"a Pod without a Node": {
			unscheduled.String() + "| 12:00:00 | sh-001 | Then it comes | ASSERT | ERROR | apps/v1/Deployment @ ns/demo\n    === ERROR\n    not ready\n",
			&Failure{
				Step: "Then it comes", Operation: "assert", Object: "apps/v1/Deployment @ ns/demo", Message: "not ready",
				Unscheduled: "Pod demo-1 cannot be scheduled: 0/1 nodes are available",
			},
		},
		"a Pod without a Node, before": {
			unscheduled.String() + "| 12:00:00 | sh-001 | Given a WebApp | ASSERT | DONE | apps/v1/Deployment @ ns/demo\n" +
				"| 12:00:00 | sh-001 | Then it comes | ASSERT | RUN | v1/Service @ ns/demo\n" +
				"| 12:00:00 | sh-001 | Then it comes | ASSERT | ERROR | v1/Service @ ns/demo\n    === ERROR\n    not there\n",
			&Failure{Step: "Then it comes", Operation: "assert", Object: "v1/Service @ ns/demo", Message: "not there"},
		},
		"two": {`| 12:00:00 | sh-001 | Then it comes | ASSERT | ERROR | v1/Service @ ns/demo
    === ERROR
    the first
| 12:00:00 | sh-001 | Given the controller | DELETE | ERROR | reconform.dev/v1alpha1/Subject @ ns/subject
    === ERROR
    the second
`, &Failure{Step: "Then it comes", Operation: "assert", Object: "v1/Service @ ns/demo", Message: "the first"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got *Failure
			ended := false
			follow(strings.NewReader(tc.output+"| 12:00:01 | sh-001 | @chainsaw | CLEANUP | SKIP |\n"), func(event Event) {
				if event.Kind == Ended {
					got, ended = event.Failure, true
				} else if event.Failure != nil {
					t.Errorf("before the end: %+v", event)
				}
			})
			if !ended {
				t.Fatal("there is no end")
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
