package invariant

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/history"
	"reconform.dev/reconform/internal/profile"
)

// Contract is what the rules need to know about an implementation.
type Contract struct {
	// Primary resource, and the kind of its objects.
	Primary schema.GroupResource
	Kind    string
	// Workload is the kind of its Deployments, or of what it makes in their place.
	Workload schema.GroupResource
	// Children are the kinds of the objects that it creates, the workload's among them.
	Children []schema.GroupResource
	// Renamed are those of Children whose names depend on the spec of the primary object.
	Renamed []schema.GroupResource
	// Inputs are the kinds that it reads for the primary object.
	Inputs []schema.GroupResource
	// Events says that it claims to tell what it does in Events.
	Events bool
	// Unowned is what it claims to do with an object that has a child's name and no
	// owner; empty: anything.
	Unowned v1alpha1.OwnershipPolicy
	// Exempt requests break no rule.
	Exempt []v1alpha1.Exemption
	// Home is the namespace in which the replicas live that serve another; empty where
	// they live in that one.
	Home func(namespace string) string
	// Lease that replicas compete for which serve a namespace; false where that is not
	// known.
	Lease func(namespace string) (types.NamespacedName, bool)
	// Belief is how long after its last renewal of the Lease a replica may act as its
	// holder.
	Belief time.Duration
	// RenewDeadline is when a replica that cannot renew gives up.
	RenewDeadline time.Duration
}

// slack is for delays that are not the controller's, such as those of a busy machine.
const slack = time.Second

// ContractOf a profile.
func ContractOf(p *profile.Profile) Contract {
	contract, claims := p.Spec.Contract, p.Spec.Claims
	c := Contract{
		Primary:  schema.GroupResource{Group: contract.Resource.Group, Resource: contract.Resource.Plural},
		Kind:     contract.Resource.Kind,
		Workload: p.WorkloadResource(),
		Children: []schema.GroupResource{p.WorkloadResource()},
		Events:   p.Has("events"),
		Unowned:  claims.Unowned,
		Exempt:   claims.Exempt,
		Home: func(namespace string) string {
			if home := p.Home(namespace); home != namespace {
				return home
			}
			return ""
		},
		Lease: func(string) (types.NamespacedName, bool) { return types.NamespacedName{}, false },
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
	if times := claims.Times.Lease; times != nil && p.Has("leader-election") {
		c.RenewDeadline = times.RenewDeadline.Duration
		// After each renewal it waits for a retry period, and then it tries for the
		// renew deadline.
		c.Belief = times.RetryPeriod.Duration + times.RenewDeadline.Duration + slack
		c.Lease = func(namespace string) (types.NamespacedName, bool) {
			lease, ok := p.Lease(namespace)
			return types.NamespacedName{Namespace: lease.Namespace, Name: lease.Name}, ok
		}
	}
	return c
}

// dependsOnSpec says whether a child's name may change with the spec.
func dependsOnSpec(name string) bool { return strings.Contains(name, ".spec.") }

// covers says whether a request is for a kind of the contract, and not exempt.
func (c *Contract) covers(request *history.Request) bool {
	resource := request.GroupResource()
	return (resource == c.Primary || slices.Contains(c.Children, resource) || slices.Contains(c.Inputs, resource)) &&
		!history.Exempts(c.Exempt, *request)
}

// asks says whether a request is part of its work, of any kind, and not exempt.
func (c *Contract) asks(request *history.Request) bool {
	return history.Matches(v1alpha1.RequestMatch{}, *request) && !history.Exempts(c.Exempt, *request)
}

// tells says whether a request is for an Event that the claim is about, and not exempt.
// Those of an election are the library's.
func (c *Contract) tells(request *history.Request, lease types.NamespacedName) bool {
	return c.Events && request.IsEvent(lease.Name) && !history.Exempts(c.Exempt, *request)
}
