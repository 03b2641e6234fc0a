package envtest

import (
	"crypto/tls"
	"net/http"

	corev1 "k8s.io/api/core/v1"
)

// kube-apiserver asks the kubelet of a Node at its address of this type, which is localhost. It
// must not look for hosts with the names of the Nodes in the network of this machine.
const (
	kubeletAddress = corev1.NodeExternalDNS
	localhost      = "localhost"
)

// noKubelet is the answer to requests for a kubelet: for logs, or to execute something.
const noKubelet = "no container runs on this control plane: Pods are only objects, and no Node has a kubelet, " +
	"so there are no logs, and no exec, attach or port-forward"

// startKubelet starts the server that kube-apiserver takes for the kubelet of each Node. It
// says that there is none.
func (cp *ControlPlane) startKubelet() (port int, err error) {
	return cp.serve(localhost, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		// kube-apiserver passes this code and the text on. It says that the cluster is to blame,
		// and not who asks.
		http.Error(w, noKubelet, http.StatusInternalServerError)
	}), tls.NoClientCert)
}
