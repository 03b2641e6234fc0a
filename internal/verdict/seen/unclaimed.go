package seen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
)

// Recorded is what was recorded of one implementation.
type Recorded struct {
	// Profile of the implementation.
	Profile *profile.Profile
	// Accounts of its scenarios, in order.
	Accounts []history.Account
	// Title of a scenario, such as RC-001.
	Title func(scenario string) string
}

// Unclaimed returns the features that the run or the CRD shows but the profile does not
// claim. If both the CRD and a request show a feature, the request is reported.
func (r *Recorded) Unclaimed() []v1alpha1.SeenButUnclaimed {
	seen := inSchema(r.Profile)
	contract, fromTraffic := invariant.ContractOf(r.Profile), map[v1alpha1.Feature]bool{}
	var ownConfigMaps []string
	for _, account := range r.Accounts {
		ownConfigMaps = append(ownConfigMaps, configMapsMadeIn(account.Requests)...)
	}
	for _, account := range r.Accounts {
		for feature, page := range pages(account) {
			seen[feature] = page
		}
		for feature, request := range shownBeside(ownConfigMaps, contract, account) {
			if !fromTraffic[feature] {
				fromTraffic[feature] = true
				seen[feature] = fmt.Sprintf("%s, in %s", request.InWords(), r.Title(account.Scenario))
			}
		}
	}
	var unclaimed []v1alpha1.SeenButUnclaimed
	for feature, what := range seen {
		if !r.Profile.Has(feature) && !needsContract(r.Profile, feature) {
			unclaimed = append(unclaimed, v1alpha1.SeenButUnclaimed{Feature: feature, Seen: what, Add: toAdd(r.Profile, feature)})
		}
	}
	slices.SortFunc(unclaimed, func(a, b v1alpha1.SeenButUnclaimed) int { return cmp.Compare(a.Feature, b.Feature) })
	return unclaimed
}

// needsContract tells whether a feature cannot be claimed because the profile has no
// contract.
func needsContract(p *profile.Profile, feature v1alpha1.Feature) bool {
	return !p.HasContract() && slices.ContainsFunc(p.Lacks(feature), func(what string) bool { return strings.HasPrefix(what, "contract.") })
}

// toAdd returns what must be added to a profile to claim a feature.
func toAdd(p *profile.Profile, feature v1alpha1.Feature) string {
	text := fmt.Sprintf("claims.features: [%s]", feature)
	if lacks := p.Lacks(feature); len(lacks) > 0 {
		text += ", and " + strings.Join(lacks, ", and ")
	}
	return text
}

// pages returns the pages that replicas serve, by the feature that they show.
func pages(account history.Account) map[v1alpha1.Feature]string {
	served := map[v1alpha1.Feature]string{}
	for _, event := range account.Events {
		if event.Reason != history.PageServed {
			continue
		}
		switch event.Object {
		case history.MetricsPage:
			served[v1alpha1.FeatureMetrics] = "it serves " + event.Message
		case history.HealthPage:
			served[v1alpha1.FeatureHealth] = "it serves " + event.Message
		}
	}
	return served
}
