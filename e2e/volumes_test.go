package e2e

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/klient/wait/conditions"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
)

// offered is how many volumes are offered, which is as many as any test claims.
const offered = 4

// hostPath is the provisioner of the default class that a node image for kind has if it has no
// other. The folders that it makes belong to root, whatever group a Pod asks for.
const hostPath = "kubernetes.io/host-path"

// offerVolumes makes volumes for claims of the default class if the cluster has no default
// class, or none but that of hostPath, and returns what removes them. A volume is a folder of a
// node. Kubernetes gives it to the group that a Pod asks for, as it does with a disk.
func offerVolumes(t *testing.T, config *envconf.Config, name string) (remove func()) {
	t.Helper()
	resources := config.Client().Resources()
	class := ""
	var classes storagev1.StorageClassList
	if err := resources.List(t.Context(), &classes); err != nil {
		t.Fatal(err)
	}
	for _, c := range classes.Items {
		if c.Annotations["storageclass.kubernetes.io/is-default-class"] != "true" {
			continue
		}
		if c.Provisioner != hostPath {
			return func() {}
		}
		class = c.Name
	}
	// The kubelet makes the folders, for a Pod that does nothing.
	began := time.Now().UnixNano()
	folder := func(n int) string { return fmt.Sprintf("/var/local/reconform-e2e/%s-%d-%d", name, began, n) }
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "folders"}, Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "none", Image: standIn, Args: []string{"-complete"}}},
	}}
	for n := range offered {
		name := fmt.Sprint("folder-", n)
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
			HostPath: &corev1.HostPathVolumeSource{Path: folder(n), Type: new(corev1.HostPathDirectoryOrCreate)},
		}})
		c := &pod.Spec.Containers[0]
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: "/" + name})
	}
	if err := resources.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	if err := within(t, patience, conditions.New(resources).PodPhaseMatch(pod, corev1.PodSucceeded)); err != nil {
		t.Fatalf("making folders for volumes: %v: %+v", err, pod.Status)
	}
	removed(t, config, pod)
	var volumes []*corev1.PersistentVolume
	for n := range offered {
		volume := &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", name, n)},
			Spec: corev1.PersistentVolumeSpec{
				Capacity:                      corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
				AccessModes:                   []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				StorageClassName:              class,
				PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
				PersistentVolumeSource:        corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: folder(n)}},
				NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{pod.Spec.NodeName}}},
				}}}},
			},
		}
		if err := resources.Create(t.Context(), volume); err != nil {
			t.Fatal(err)
		}
		volumes = append(volumes, volume)
	}
	return func() {
		for _, volume := range volumes {
			removed(t, config, volume)
		}
	}
}
