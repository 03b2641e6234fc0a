package envtest

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The Nodes are those of a small cluster with high availability: each is in a zone of its
// own, and Pods may run on each.
const (
	region       = "region-1"
	controlPlane = "node-role.kubernetes.io/control-plane"
	worker       = "node-role.kubernetes.io/worker"
)

// fakeNodes returns the Nodes that kwok keeps alive. There is room on them for any test.
// extended are resources that each has in addition to the usual ones.
func fakeNodes(extended corev1.ResourceList) []*corev1.Node {
	var nodes []*corev1.Node
	for i, role := range []string{controlPlane, worker, worker} {
		room := corev1.ResourceList{
			corev1.ResourceCPU:              resource.MustParse("20000"),
			corev1.ResourceMemory:           resource.MustParse("200Ti"),
			corev1.ResourceEphemeralStorage: resource.MustParse("200Ti"),
			corev1.ResourcePods:             resource.MustParse("20000"),
		}
		maps.Copy(room, extended)
		name := fmt.Sprintf("node-%d", i)
		nodes = append(nodes, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{
				Name: name,
				// ttl-controller would write the same a moment later.
				Annotations: map[string]string{corev1.ObjectTTLAnnotationKey: "0"},
				Labels: map[string]string{
					corev1.LabelHostname:       name,
					corev1.LabelTopologyZone:   fmt.Sprintf("zone-%d", i),
					corev1.LabelTopologyRegion: region,
					corev1.LabelArchStable:     "amd64",
					corev1.LabelOSStable:       "linux",
					role:                       "",
				},
			},
			Status: corev1.NodeStatus{
				Allocatable: room, Capacity: room,
				Addresses: []corev1.NodeAddress{
					// These addresses are for documentation: nothing answers there.
					{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("192.0.2.%d", i+1)},
					{Type: corev1.NodeHostName, Address: name},
					{Type: kubeletAddress, Address: localhost},
				},
			},
		})
	}
	return nodes
}
