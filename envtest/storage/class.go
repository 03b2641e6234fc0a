package storage

import (
	"context"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

const (
	// Provisioner is the name that a StorageClass of the Driver has as its provisioner.
	Provisioner = "volumes.reconform.dev"
	// DefaultClass is the name of the default StorageClass.
	DefaultClass = "standard"
)

// Install creates the default StorageClass, and the policy that protects this machine's
// files (see [protection]).
func Install(ctx context.Context, cluster kubernetes.Interface) error {
	if _, err := cluster.StorageV1().StorageClasses().Create(ctx, defaultClass(), metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating the StorageClass %s: %w", DefaultClass, err)
	}
	policy, binding := protection()
	admission := cluster.AdmissionregistrationV1()
	if _, err := admission.ValidatingAdmissionPolicies().Create(ctx, policy, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating the policy about volumes on this machine: %w", err)
	}
	if _, err := admission.ValidatingAdmissionPolicyBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("binding the policy about volumes on this machine: %w", err)
	}
	return nil
}

// defaultClass binds at once, so that a claim is bound whether or not a Pod uses it.
func defaultClass() *storagev1.StorageClass {
	return &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{
			Name: DefaultClass, Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"},
		},
		Provisioner:          Provisioner,
		ReclaimPolicy:        ptr.To(corev1.PersistentVolumeReclaimDelete),
		VolumeBindingMode:    ptr.To(storagev1.VolumeBindingImmediate),
		AllowVolumeExpansion: ptr.To(true),
	}
}

// protection refuses volumes whose release would delete files of this machine. The binder
// in kube-controller-manager removes the folder of a released hostPath volume if its path
// contains /tmp/ and its policy is Delete. On a cluster that is a folder of a node. Here it
// would be a folder of whoever runs the tests.
func protection() (*admissionregistrationv1.ValidatingAdmissionPolicy, *admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
	const name = "host-files." + Provisioner
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: ptr.To(admissionregistrationv1.Fail),
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
					Rule: admissionregistrationv1.Rule{
						APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"persistentvolumes"},
					},
				},
			}}},
			Validations: []admissionregistrationv1.Validation{{
				Expression: `!has(object.spec.hostPath) || object.spec.persistentVolumeReclaimPolicy != "Delete" || !object.spec.hostPath.path.contains("/tmp/")`,
				Message: "a hostPath volume below /tmp with the reclaim policy Delete is refused: when it is released, its folder is deleted, " +
					"and this control plane runs on your machine; use the policy Retain",
			}},
		},
	}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        name,
			ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	}
	return policy, binding
}
