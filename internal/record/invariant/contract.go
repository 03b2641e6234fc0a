package invariant

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// Contract is what the rules need to know about an implementation.
type Contract struct {
	// Primary is the primary resource, and Kind the kind of its objects.
	Primary schema.GroupResource
	Kind    string
	// Workload is the resource of its Deployments, or of what it makes instead.
	Workload schema.GroupResource
	// Children are the resources of the objects that it creates, including Workload. There
	// are none if the profile has no contract.
	Children []schema.GroupResource
	// Renamed are the Children whose names depend on the spec of the primary object.
	Renamed []schema.GroupResource
	// Inputs are the resources that it reads for the primary object.
	Inputs []schema.GroupResource
	// Resources are those of the kinds that the profile names: the primary kind, the workload and
	// the other kinds that it serves.
	Resources map[schema.GroupKind]schema.GroupResource
	// Events says that it claims to report in Events what it does.
	Events bool
	// Unowned is what it claims to do with an object that has a child's name and no owner.
	// Empty means anything.
	Unowned v1alpha1.OwnershipPolicy
	// Exempt requests break no rule.
	Exempt []v1alpha1.Exemption
	// Home returns the namespace in which the replicas live that serve another namespace.
	// It returns "" if they live in the namespace that they serve.
	Home func(namespace string) string
	// Lease returns the Lease for which the replicas that serve a namespace compete. It
	// returns false if that is not known.
	Lease func(namespace string) (types.NamespacedName, bool)
	// Belief is how long a replica may act as the holder of the Lease after its last
	// renewal.
	Belief time.Duration
	// RenewDeadline is how long a replica tries to renew before it gives up.
	RenewDeadline time.Duration
	// RetriesGuessed says that nobody knows when it tries again what failed.
	RetriesGuessed bool
}

// ResourceOf returns the resource of a kind, or what it is usually called if the profile does not
// name the kind.
func (c Contract) ResourceOf(kind schema.GroupKind, usually schema.GroupResource) schema.GroupResource {
	if known, ok := c.Resources[kind]; ok {
		return known
	}
	return usually
}

// primaryKind is the kind of the objects that own children.
func (c Contract) primaryKind() schema.GroupKind {
	return schema.GroupKind{Group: c.Primary.Group, Kind: c.Kind}
}

// slack allows for delays that are not caused by the controller, such as those of a busy
// machine.
const slack = time.Second

// ContractOf returns the contract of a profile.
func ContractOf(p *profile.Profile) Contract {
	contract, claims := p.Spec.Contract, p.Spec.Claims
	c := Contract{
		Primary:  schema.GroupResource{Group: contract.Resource.Group, Resource: contract.Resource.Plural},
		Kind:     contract.Resource.Kind,
		Workload: p.WorkloadResource(),
		Children: []schema.GroupResource{p.WorkloadResource()},
		Events:   p.Has(v1alpha1.FeatureEvents),
		Unowned:  claims.Unowned,
		Exempt:   claims.Exempt,

		RetriesGuessed: claims.Times.Retries().Guessed,

		Home: func(namespace string) string {
			if home := p.Home(namespace); home != namespace {
				return home
			}
			return ""
		},
		Lease: func(string) (types.NamespacedName, bool) { return types.NamespacedName{}, false },
	}
	c.Resources = map[schema.GroupKind]schema.GroupResource{c.primaryKind(): c.Primary}
	for _, served := range p.Spec.Serves {
		kind := schema.GroupKind{Group: served.Resource.Group, Kind: served.Resource.Kind}
		c.Resources[kind] = schema.GroupResource{Group: kind.Group, Resource: served.Resource.Plural}
	}
	if workload := p.Workload(); p.HasContract() {
		c.Resources[schema.GroupKind{Group: workload.Group, Kind: workload.Kind}] = c.Workload
	}
	if !p.HasContract() {
		// Which children it has is not known before it has made them. The other
		// resources that it serves it may create itself, or read.
		c.Workload, c.Children = schema.GroupResource{}, nil
		for _, served := range p.Spec.Serves[1:] {
			c.Inputs = append(c.Inputs, schema.GroupResource{Group: served.Resource.Group, Resource: served.Resource.Plural})
		}
	}
	if dependsOnSpec(contract.Children.Deployment.Name) {
		c.Renamed = append(c.Renamed, c.Workload)
	}
	if service := contract.Children.Service; service != nil {
		services := schema.GroupResource{Resource: "services"}
		c.Children = append(c.Children, services)
		if dependsOnSpec(service.Name) {
			c.Renamed = append(c.Renamed, services)
		}
	}
	if field := contract.Spec.ConfigMapRef; field != nil && field.Path != "" {
		c.Inputs = append(c.Inputs, schema.GroupResource{Resource: "configmaps"})
	}
	c.addElection(p)
	return c
}

// addElection adds what the rules about the leader need, if the profile claims leader election.
func (c *Contract) addElection(p *profile.Profile) {
	times := p.Spec.Claims.Times.Lease
	if times == nil || !p.Has(v1alpha1.FeatureLeaderElection) {
		return
	}
	c.RenewDeadline = times.RenewDeadline.Duration
	// After each renewal the replica waits for a retry period. Then it tries to renew
	// until the renew deadline.
	c.Belief = times.RetryPeriod.Duration + times.RenewDeadline.Duration + slack
	c.Lease = func(namespace string) (types.NamespacedName, bool) {
		lease, ok := p.Lease(namespace)
		return types.NamespacedName{Namespace: lease.Namespace, Name: lease.Name}, ok
	}
}

// dependsOnSpec says whether a child's name may change with the spec.
func dependsOnSpec(name string) bool { return strings.Contains(name, ".spec.") }

// covers says whether a request is for a resource of the contract, and not exempt.
func (c *Contract) covers(request *history.Request) bool {
	resource := request.GroupResource()
	return (resource == c.Primary || slices.Contains(c.Children, resource) || slices.Contains(c.Inputs, resource)) &&
		!history.Exempts(c.Exempt, *request)
}

// asks says whether a request is part of the controller's work, for any resource, and not
// exempt.
func (c *Contract) asks(request *history.Request) bool {
	return history.Matches(v1alpha1.RequestMatch{}, *request) && !history.Exempts(c.Exempt, *request)
}

// tells says whether a request is for an Event that the claim is about, and not exempt.
// Events of an election do not count: they come from the library.
func (c *Contract) tells(request *history.Request, lease types.NamespacedName) bool {
	return c.Events && request.IsEvent(lease.Name) && !history.Exempts(c.Exempt, *request)
}
