package pods

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// OnRealNodes tells whether a cluster has nodes with a kubelet. Nodes of kwok say that they
// are kwok's.
func OnRealNodes(ctx context.Context, cluster kubernetes.Interface) (bool, error) {
	nodes, err := cluster.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, fmt.Errorf("listing the nodes: %w", err)
	}
	return slices.ContainsFunc(nodes.Items, func(node corev1.Node) bool {
		// On the local control plane, kwok reports Kubernetes' own version. Other kwoks do not.
		info := node.Status.NodeInfo
		return info.KubeletVersion != "" && !strings.HasPrefix(info.KubeletVersion, "kwok-") && !strings.HasPrefix(info.ContainerRuntimeVersion, "kwok:")
	}), nil
}
