package seen

import (
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
)

// Shown returns the features that the requests of one scenario show, each with the first
// request that shows it. Exempt requests show nothing.
func Shown(contract invariant.Contract, account history.Account) map[v1alpha1.Feature]history.Request {
	return shownBeside(configMapsMadeIn(account.Requests), contract, account)
}

// shownBeside is like [Shown] for a controller that makes these ConfigMaps, if not in this
// scenario, then in others.
func shownBeside(ownConfigMaps []string, contract invariant.Contract, account history.Account) map[v1alpha1.Feature]history.Request {
	w := witnessed{
		primary: contract.Primary, kind: contract.Kind, workload: contract.Workload,
		leases: leasesIn(account.Requests), ownConfigMaps: ownConfigMaps,
	}
	all, shown := signs(), map[v1alpha1.Feature]history.Request{}
	for _, request := range account.Requests {
		if !request.Succeeded() || history.Exempts(contract.Exempt, request) {
			continue
		}
		for feature, shows := range all {
			if _, known := shown[feature]; !known && shows(w, request) {
				shown[feature] = request
			}
		}
	}
	return shown
}

// witnessed is what the signs need to know in addition to a request.
type witnessed struct {
	primary  schema.GroupResource
	kind     string
	workload schema.GroupResource
	leases   []string // by name
	// ownConfigMaps are those that the controller made, by name.
	ownConfigMaps []string
}

// signs returns, for each feature, how an accepted request shows it.
func signs() map[v1alpha1.Feature]func(witnessed, history.Request) bool {
	return map[v1alpha1.Feature]func(witnessed, history.Request) bool{
		v1alpha1.FeatureService:            func(_ witnessed, r history.Request) bool { return creates(r, "services") },
		v1alpha1.FeatureEvents:             witnessed.tells,
		v1alpha1.FeatureLeaderElection:     func(_ witnessed, r history.Request) bool { return r.WritesLease() },
		v1alpha1.FeatureDependency:         witnessed.depends,
		v1alpha1.FeatureChildCache:         func(w witnessed, r history.Request) bool { return r.Verb == history.VerbWatch && w.isWorkload(r) },
		v1alpha1.FeatureForeignFields:      func(w witnessed, r history.Request) bool { return r.Apply && w.isWorkload(r) },
		v1alpha1.FeatureControllerRef:      witnessed.controls,
		v1alpha1.FeatureFinalizer:          func(w witnessed, r history.Request) bool { return w.isPrimary(r) && len(r.Finalizers) > 0 },
		v1alpha1.FeatureStatus:             statusField("readyReplicas"),
		v1alpha1.FeaturePhase:              statusField("phase"),
		v1alpha1.FeatureConditions:         statusField("conditions"),
		v1alpha1.FeatureObservedGeneration: statusField("observedGeneration"),
	}
}

// clusterCA is a ConfigMap that every namespace has, for clients that verify the API
// server with it.
const clusterCA = "kube-root-ca.crt"

// depends says whether a ConfigMap was read that the controller did not make. If it makes
// some, a list or a watch may be there for these only.
func (w witnessed) depends(r history.Request) bool {
	if r.Method != http.MethodGet || r.Group != "" || r.Resource != "configmaps" || r.Name == clusterCA {
		return false
	}
	if r.Name == "" {
		return len(w.ownConfigMaps) == 0
	}
	return !slices.Contains(w.ownConfigMaps, r.Name)
}

// configMapsMadeIn returns the names of the ConfigMaps that the requests made.
func configMapsMadeIn(requests []history.Request) []string {
	var names []string
	for _, r := range requests {
		if r.IsWrite() && r.Verb != history.VerbDelete && r.Group == "" && r.Resource == "configmaps" && !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

func statusField(name string) func(witnessed, history.Request) bool {
	return func(w witnessed, r history.Request) bool {
		return w.isPrimary(r) && slices.Contains(r.StatusFields, name)
	}
}

func (w witnessed) isPrimary(r history.Request) bool { return r.GroupResource() == w.primary }

func (w witnessed) isWorkload(r history.Request) bool { return r.GroupResource() == w.workload }

// controls says whether a child was created with its owner as its controller.
func (w witnessed) controls(r history.Request) bool {
	return r.Verb == history.VerbCreate && slices.ContainsFunc(r.Owners, func(o history.Owner) bool {
		return o.Is(schema.GroupKind{Group: w.primary.Group, Kind: w.kind}) && o.Controller
	})
}

// tells says whether an Event was written that does not belong to an election.
func (w witnessed) tells(r history.Request) bool {
	written := r.Verb == history.VerbCreate || r.Verb == history.VerbUpdate
	return written && r.IsEvent(w.leases...)
}

// leasesIn returns the names of the Leases in the requests.
func leasesIn(requests []history.Request) []string {
	var names []string
	for _, r := range requests {
		if r.Group == "coordination.k8s.io" && r.Resource == "leases" && r.Name != "" && !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

func creates(r history.Request, resource string) bool {
	return r.Verb == history.VerbCreate && r.Effect == history.EffectEffective && r.Group == "" && r.Resource == resource
}
