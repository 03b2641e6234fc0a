package trial

import (
	"bytes"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// scope says whether the objects of a resource have no namespace. That is an error, unless
// the controller in the namespace serves such a resource: it is alone in the cluster then.
func (c *Controller) scope(namespace string, mapping *meta.RESTMapping) (cluster bool, err error) {
	cluster = mapping.Scope.Name() != meta.RESTScopeNameNamespace
	if cluster && !c.Profile(namespace).ServesCluster() {
		return cluster, fmt.Errorf("%s is not namespaced: a Trial acts in its own namespace, unless the profile serves a resource without one",
			mapping.Resource.GroupResource())
	}
	return cluster, nil
}

// inNamespace names the namespace of a Trial in an object without a namespace, where its
// texts have the template for it.
func inNamespace(object []byte, namespace string) []byte {
	return bytes.ReplaceAll(object, []byte(v1alpha1.TrialNamespace), []byte(namespace))
}
