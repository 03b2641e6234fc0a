package seen

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

func TestElections(t *testing.T) {
	began := time.Now()
	write := func(seq int64, verb, holder string, after time.Duration) history.Request {
		return history.Request{
			Seq: seq, Time: began.Add(after), Verb: verb, Group: "coordination.k8s.io", Resource: "leases", Namespace: "home", Name: "4f1.example.com",
			Replica: "subject-0", Holder: holder, Code: 200, Finished: true, ResourceVersion: "7", Effect: history.EffectEffective,
		}
	}
	account := history.Account{Requests: []history.Request{
		write(1, history.VerbCreate, "me", 0),
		write(2, history.VerbUpdate, "me", 50*time.Millisecond),
		write(3, history.VerbUpdate, "me", 2050*time.Millisecond),
		write(4, history.VerbUpdate, "me", 4100*time.Millisecond),
	}}
	want := []Election{{
		Lease: v1alpha1.LeaseName{Name: "4f1.example.com"}, Held: true,
		Times: v1alpha1.LeaseTimes{RetryPeriod: metav1.Duration{Duration: 2 * time.Second}},
	}}
	if diff := cmp.Diff(want, Elections(account, "home")); diff != "" {
		t.Errorf("elections (-want +got):\n%s", diff)
	}

	for name, tc := range map[string]struct {
		declared v1alpha1.LeaseName
		account  history.Account
		want     string
	}{
		"the one that is held": {v1alpha1.LeaseName{Name: "4f1.example.com"}, account, ""},
		"another name": {
			v1alpha1.LeaseName{Name: "leader"},
			account,
			"the Lease is called 4f1.example.com; the profile says leader",
		},
		"another namespace": {
			v1alpha1.LeaseName{Name: "4f1.example.com", Namespace: "system"},
			account,
			"the Lease is called 4f1.example.com; the profile says 4f1.example.com in namespace system",
		},
		"none": {
			v1alpha1.LeaseName{Name: "leader"},
			history.Account{},
			"the controller asked for no Lease with the arguments --elect; the profile says leader. Either it needs other arguments, or it reads them and does not elect",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &profile.Profile{}
			p.Spec.Launch.LeaderElection = &v1alpha1.LaunchLeaderElection{Enabled: []string{"--elect"}, Lease: tc.declared}
			if got := LeaseProblem(p, tc.account, "home"); got != tc.want {
				t.Errorf("LeaseProblem = %q, want %q", got, tc.want)
			}
		})
	}
}
