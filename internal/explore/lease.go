package explore

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/history"
	"reconform.dev/reconform/internal/profile"
)

// LeaseProblem says how the Lease that a profile declares differs from the one that the
// controller takes. home is the controller's namespace. It returns "" if a replica held the
// declared Lease.
func LeaseProblem(p *profile.Profile, account history.Account, home string) string {
	election := p.Spec.Launch.LeaderElection
	if election == nil {
		return ""
	}
	declared := election.Lease
	if declared.Namespace == home {
		declared.Namespace = ""
	}
	var others []string
	for _, e := range Elections(account, home) {
		if e.Lease == declared && e.Held {
			return ""
		}
		if e.Lease == declared {
			return fmt.Sprintf("the controller asked for Lease %s, and never held it", inWords(declared))
		}
		others = append(others, inWords(e.Lease))
	}
	slices.Sort(others)
	if len(others) == 0 {
		return fmt.Sprintf("the controller asked for no Lease with the arguments %s; the profile says %s",
			strings.Join(election.Enabled, " "), inWords(declared))
	}
	return fmt.Sprintf("the Lease is called %s; the profile says %s", strings.Join(others, ", "), inWords(declared))
}

func inWords(lease v1alpha1.LeaseName) string {
	if lease.Namespace == "" {
		return lease.Name
	}
	return lease.Name + " in namespace " + lease.Namespace
}
