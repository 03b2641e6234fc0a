package metrics

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	namespace = metav1.NamespaceSystem
	service   = "metrics-server"
	apiPath   = "/apis/apiregistration.k8s.io/v1/apiservices"
	// Host is the host name that the server's certificate must have.
	Host = service + "." + namespace + ".svc"
)

// Install tells kube-apiserver to forward requests for the API to a server that listens on
// a port of this machine, with a certificate that authority has signed.
func Install(ctx context.Context, cluster kubernetes.Interface, port int, authority []byte) error {
	// kube-apiserver asks the Service for the address, and takes this name as it is.
	_, err := cluster.CoreV1().Services(namespace).Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: service}, Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "localhost"},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("creating the Service %s: %w", service, err)
	}
	body, err := json.Marshal(map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"metadata": map[string]any{"name": version + "." + group},
		"spec": map[string]any{
			"group": group, "version": version, "groupPriorityMinimum": 100, "versionPriority": 100, "caBundle": authority,
			"service": map[string]any{"name": service, "namespace": namespace, "port": port},
		},
	})
	if err != nil {
		return fmt.Errorf("encoding the APIService: %w", err)
	}
	if err := cluster.Discovery().RESTClient().Post().AbsPath(apiPath).Body(body).SetHeader("Content-Type", "application/json").Do(ctx).Error(); err != nil {
		return fmt.Errorf("creating the APIService %s.%s: %w", version, group, err)
	}
	return nil
}

// Available returns nil once kube-apiserver reaches the server.
func Available(ctx context.Context, cluster kubernetes.Interface) error {
	data, err := cluster.Discovery().RESTClient().Get().AbsPath(apiPath, version+"."+group).Do(ctx).Raw()
	if err != nil {
		return fmt.Errorf("getting the APIService: %w", err)
	}
	var now struct {
		Status struct {
			Conditions []struct{ Type, Status, Message string }
		}
	}
	if err := json.Unmarshal(data, &now); err != nil {
		return fmt.Errorf("decoding the APIService: %w", err)
	}
	for _, condition := range now.Status.Conditions {
		if condition.Type == "Available" && condition.Status == "True" {
			return nil
		}
	}
	return fmt.Errorf("the APIService is not available: %+v", now.Status.Conditions)
}
