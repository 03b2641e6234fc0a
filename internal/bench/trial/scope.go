package trial

import (
	"bytes"

	"k8s.io/apimachinery/pkg/api/meta"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
)

// scope returns true if the objects of a resource have no namespace. This is an error, unless
// the controller in the namespace serves such a resource. It is then alone in the cluster.
func (c *Controller) scope(namespace string, mapping *meta.RESTMapping) (cluster bool, err error) {
	return objects.IsCluster(mapping, c.Profile(namespace).ServesCluster())
}

// inNamespace puts the namespace of a Trial into the texts of an object, in the place of the
// template for it.
func inNamespace(object []byte, namespace string) []byte {
	return bytes.ReplaceAll(object, []byte(v1alpha1.TrialNamespace), []byte(namespace))
}
