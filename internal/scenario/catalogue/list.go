package catalogue

import (
	"encoding/json"
	"fmt"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// listed is a requirement in `reconform list -o json`.
type listed struct {
	ID      string `json:"id"`
	Area    string `json:"area"`
	Level   string `json:"level"`
	Feature string `json:"feature"`
	Unless  string `json:"unless,omitempty"`
	Must    string `json:"must"`
	Catches string `json:"catches"`
	Claimed bool   `json:"claimed"`
	// Unmapped says why the scenario cannot be mapped to the implementation.
	Unmapped string `json:"unmapped,omitempty"`
	// Skipped says why a run of this selection does not judge it. It is left out if the run
	// does.
	Skipped string `json:"skipped,omitempty"`
}

// JSON lists requirements, and which of them apply to an implementation of this contract with
// these claims, as an indented array that ends in a newline. The maps say, by ID, why a scenario cannot
// be mapped to the implementation, and why a run skips it.
func JSON(requirements []Requirement, contract string, claims v1alpha1.Claims, unmapped, skipped map[string]string) ([]byte, error) {
	list := make([]listed, 0, len(requirements))
	for _, r := range requirements {
		applies, _ := Applies(r, claims)
		why := skipped[r.ID]
		if other := r.OfAnother(contract); other != "" {
			applies, why = false, other
		}
		list = append(list, listed{
			ID: r.ID, Area: r.Area, Level: r.Level, Feature: r.Claim(), Unless: r.Exception(),
			Must: r.Must, Catches: r.Catches, Claimed: applies, Unmapped: unmapped[r.ID], Skipped: why,
		})
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding requirements: %w", err)
	}
	return append(data, '\n'), nil
}

// Markdown returns the table of all requirements, as in scenarios/README.md.
func Markdown(requirements []Requirement) string {
	var b strings.Builder
	b.WriteString(`<!-- Generated from the scenarios by "reconform list -o markdown". Do not edit. -->

# The requirements

Each row is one MUST. One scenario proves it: a plain Chainsaw test that starts the controller, does something to its objects,
and checks what happens. The last column is the mistake that the scenario exists to catch. A hint where to look for it is in the
scenario.

An *effective* write is one that changed something. A *no-op* write changed nothing.

The second column says to which controllers a requirement applies:

| | |
|---|---|
| core | to every controller |
| the name of a feature, such as status | to a controller whose profile [claims](../docs/verdict.md#claims) this feature |
| advice | to every controller, but no [class](../docs/verdict.md#conformance-classes) needs it. It fails only if there is no doubt, or if the controller breaks its own claim |
| any controller | also to a controller whose profile has no contract ([how](../docs/verdict.md#any-controller)). Other requirements need a contract |
| of the contract … | only to implementations of this contract. Other requirements apply to any contract, also if the controller creates something else than Deployments |
| or where that is seen | also to a controller that does not claim the feature, if the run [shows](../docs/verdict.md#wherever-it-is-seen) that it has it |
| not with … | not to a controller whose profile claims this |
| all | to every controller. The requirement is about nodes |
| on a cluster … | only on [a cluster of yours](../docs/clusters.md) |

## By controller

The requirements of the first column apply to every controller. Those of the second need a profile with a
[contract](../docs/profile.md), whatever workload the controller creates: a Deployment, a StatefulSet, a Job. Those of the third
are only for web apps. A requirement about a feature applies only if the profile claims the feature.

`)
	b.WriteString(reachTable(requirements))
	previous := ""
	for _, r := range requirements {
		if r.Area != previous {
			fmt.Fprintf(&b, "\n## %s\n", r.Area)
			if r.Contract == r.Area {
				fmt.Fprintf(&b, "\nThese apply only to implementations of the contract `%s` (`contract.name` in the profile).\n", r.Contract)
			}
			b.WriteString("\n| ID | applies to | MUST | catches |\n|---|---|---|---|\n")
			previous = r.Area
		}
		fmt.Fprintf(&b, "| [%s](%s) | %s | %s | %s |\n", r.ID, r.Path, cell(appliesTo(r)), cell(r.Must), cell(r.Catches))
	}
	return b.String()
}

// appliesTo says to which controllers a requirement applies.
func appliesTo(r Requirement) string {
	applies := r.Claim()
	switch {
	case r.Nodes:
		applies = on(r, applies)
	case applies == "" && r.NodeObjects:
		applies = "all"
	case applies == "":
		applies = r.Level
	}
	if r.Contract == WebApps {
		applies += ", of the contract " + WebApps
	}
	if r.Any {
		applies += ", any controller"
	}
	if r.WhereverSeen {
		applies += ", or where that is seen"
	}
	if exception := r.Exception(); exception != "" {
		applies += "; not with " + exception
	}
	return applies
}

// on says where a requirement that needs nodes applies, and to which implementations.
func on(r Requirement, claim string) string {
	where := "a cluster with nodes"
	if r.InCluster {
		where = "a cluster that it runs in"
	}
	if claim == "" {
		return "all, on " + where
	}
	return claim + ", on " + where
}

// cell changes a text so that it fits into a cell of a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}
