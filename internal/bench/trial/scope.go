package trial

import (
	"bytes"

	"k8s.io/apimachinery/pkg/api/meta"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
)

// scope says whether the objects of a resource have no namespace. That is an error, unless
// the controller in the namespace serves such a resource: it is alone in the cluster then.
func (c *Controller) scope(namespace string, mapping *meta.RESTMapping) (cluster bool, err error) {
	return objects.IsCluster(mapping, c.Profile(namespace).ServesCluster())
}

// inNamespace names the namespace of a Trial in an object without a namespace, where its
// texts have the template for it.
func inNamespace(object []byte, namespace string) []byte {
	return bytes.ReplaceAll(object, []byte(v1alpha1.TrialNamespace), []byte(namespace))
}
