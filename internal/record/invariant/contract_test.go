package invariant_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/invariant"
)

func TestContractOf(t *testing.T) {
	type seen struct {
		Kind             string
		Primary          schema.GroupResource
		Children, Inputs []schema.GroupResource
		Unowned          v1alpha1.OwnershipPolicy
		Home             string
		Lease            types.NamespacedName
		Elects           bool
		Belief           time.Duration
	}
	deployments := schema.GroupResource{Group: "apps", Resource: "deployments"}
	for name, want := range map[string]seen{
		"reference": {
			Kind: "WebApp", Primary: schema.GroupResource{Group: "apps.kubedojo.io", Resource: "webapps"},
			Children: []schema.GroupResource{deployments, {Resource: "services"}}, Inputs: []schema.GroupResource{{Resource: "configmaps"}},
			Unowned: v1alpha1.OwnershipRefuse, Home: "ns-home", Lease: types.NamespacedName{Namespace: "ns-home", Name: "webapp-controller"}, Elects: true,
			Belief: 13 * time.Second,
		},
		"sample-controller": {
			Kind: "Foo", Primary: schema.GroupResource{Group: "samplecontroller.k8s.io", Resource: "foos"},
			Children: []schema.GroupResource{deployments}, Unowned: v1alpha1.OwnershipRefuse, Home: "ns-home",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := profile.Resolve(name)
			if err != nil {
				t.Fatal(err)
			}
			c := invariant.ContractOf(p)
			got := seen{Kind: c.Kind, Primary: c.Primary, Children: c.Children, Inputs: c.Inputs, Unowned: c.Unowned, Belief: c.Belief}
			got.Home = c.Home("ns")
			got.Lease, got.Elects = c.Lease("ns")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("contract (-want +got):\n%s", diff)
			}
		})
	}
}
