package storage

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Annotations by which the binder, the scheduler and drivers know of each other.
const (
	// annotationAsked has the name of the driver that the binder asks for a volume.
	annotationAsked = "volume.kubernetes.io/storage-provisioner"
	// annotationMadeBy has the name of the driver that made a volume.
	annotationMadeBy = "pv.kubernetes.io/provisioned-by"
	// annotationNode has the Node that the scheduler has chosen for the first Pod with a
	// claim.
	annotationNode = "volume.kubernetes.io/selected-node"
)

// provision makes the volume of a claim, if the binder has asked the Driver for it. A claim
// with a selector gets none: it chooses by labels among volumes that somebody else makes.
// Drivers of clusters do the same.
func (d *Driver) provision(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	if claim.Annotations[annotationAsked] != Provisioner || claim.Spec.Selector != nil {
		return nil
	}
	class, err := d.cluster.StorageV1().StorageClasses().Get(ctx, className(claim), metav1.GetOptions{})
	if err != nil {
		// Not wrapped: a class that is not found may come again, so this is tried again.
		return fmt.Errorf("reading the class of claim %s/%s: %v", claim.Namespace, claim.Name, err)
	}
	if class.Provisioner != Provisioner || waits(class) && claim.Annotations[annotationNode] == "" {
		return nil
	}
	if err := d.checkAttributes(ctx, claim); err != nil {
		return err
	}
	_, err = d.cluster.CoreV1().PersistentVolumes().Create(ctx, volumeFor(claim, class), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the volume of claim %s/%s: %w", claim.Namespace, claim.Name, err)
	}
	return nil
}

// checkAttributes returns an error if a claim asks for a VolumeAttributesClass that does not
// exist, or is for another driver.
func (d *Driver) checkAttributes(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	name := ptr.Deref(claim.Spec.VolumeAttributesClassName, "")
	if name == "" {
		return nil
	}
	class, err := d.cluster.StorageV1().VolumeAttributesClasses().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		// Not wrapped: what is not found may come, so this is tried again.
		return fmt.Errorf("reading the VolumeAttributesClass of claim %s/%s: %v", claim.Namespace, claim.Name, err)
	}
	if class.DriverName != Provisioner {
		return fmt.Errorf("the VolumeAttributesClass %s of claim %s/%s is for the driver %s", name, claim.Namespace, claim.Name, class.DriverName)
	}
	return nil
}

// className returns the name of a claim's class, which may still be in an annotation.
func className(claim *corev1.PersistentVolumeClaim) string {
	if name := claim.Annotations[corev1.BetaStorageClassAnnotation]; name != "" {
		return name
	}
	if claim.Spec.StorageClassName != nil {
		return *claim.Spec.StorageClassName
	}
	return ""
}

// waits says whether a class makes the volume of a claim only when a Pod uses the claim.
func waits(class *storagev1.StorageClass) bool {
	return class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
}

// volumeFor returns the volume of a claim. Its name has the UID of the claim, so that a
// second attempt makes no second volume.
func volumeFor(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) *corev1.PersistentVolume {
	name := "pvc-" + string(claim.UID)
	policy := corev1.PersistentVolumeReclaimDelete
	if class.ReclaimPolicy != nil {
		policy = *class.ReclaimPolicy
	}
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{annotationMadeBy: Provisioner}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]},
			AccessModes:                   claim.Spec.AccessModes,
			VolumeMode:                    claim.Spec.VolumeMode,
			VolumeAttributesClassName:     claim.Spec.VolumeAttributesClassName,
			StorageClassName:              class.Name,
			MountOptions:                  class.MountOptions,
			PersistentVolumeReclaimPolicy: policy,
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name,
				UID: claim.UID, ResourceVersion: claim.ResourceVersion,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: Provisioner, VolumeHandle: name},
			},
		},
	}
}

// change gives a volume of the Driver the size and the attributes that its claim asks for.
// The API server lets a claim ask for more space only if its class allows it.
func (d *Driver) change(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	volume := cached[*corev1.PersistentVolume](d.volumes, claim.Spec.VolumeName)
	asked, has := claim.Spec.Resources.Requests[corev1.ResourceStorage], claim.Status.Capacity[corev1.ResourceStorage]
	grows := asked.Cmp(has) > 0
	attributes := claim.Spec.VolumeAttributesClassName
	modified := ptr.Deref(attributes, "") != "" && !ptr.Equal(attributes, claim.Status.CurrentVolumeAttributesClassName)
	switch {
	case claim.Status.Phase != corev1.ClaimBound || !grows && !modified:
		return nil
	case volume == nil:
		return fmt.Errorf("volume %s is not known yet", claim.Spec.VolumeName)
	case volume.Annotations[annotationMadeBy] != Provisioner || volume.Spec.ClaimRef == nil || volume.Spec.ClaimRef.UID != claim.UID:
		return nil
	}
	// Its size changes even if its attributes cannot.
	var problem error
	if modified {
		problem = d.checkAttributes(ctx, claim)
		modified = problem == nil
	}
	if !grows && !modified {
		return problem
	}
	volume, claim = volume.DeepCopy(), claim.DeepCopy()
	if grows {
		if size := volume.Spec.Capacity[corev1.ResourceStorage]; asked.Cmp(size) > 0 {
			volume.Spec.Capacity[corev1.ResourceStorage] = asked
		}
		if claim.Status.Capacity == nil { // somebody else has written that it is bound
			claim.Status.Capacity = corev1.ResourceList{}
		}
		claim.Status.Capacity[corev1.ResourceStorage] = asked
	}
	if modified {
		volume.Spec.VolumeAttributesClassName, claim.Status.CurrentVolumeAttributesClassName = attributes, attributes
	}
	// If it has all that already, this changes nothing.
	if _, err := d.cluster.CoreV1().PersistentVolumes().Update(ctx, volume, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("changing volume %s: %w", volume.Name, err)
	}
	if _, err := d.cluster.CoreV1().PersistentVolumeClaims(claim.Namespace).UpdateStatus(ctx, claim, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("telling claim %s/%s of its new volume: %w", claim.Namespace, claim.Name, err)
	}
	return problem
}

// reclaim deletes a volume of the Driver that its claim has left, if its policy says so.
func (d *Driver) reclaim(ctx context.Context, volume *corev1.PersistentVolume) error {
	if volume.Annotations[annotationMadeBy] != Provisioner || volume.DeletionTimestamp != nil ||
		volume.Status.Phase != corev1.VolumeReleased || volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete {
		return nil
	}
	err := d.cluster.CoreV1().PersistentVolumes().Delete(ctx, volume.Name, metav1.DeleteOptions{
		Preconditions: metav1.NewUIDPreconditions(string(volume.UID)),
	})
	if err != nil {
		return fmt.Errorf("deleting volume %s: %w", volume.Name, err)
	}
	return nil
}
