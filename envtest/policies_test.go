package envtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestLimitsOfNamespace: a LimitRange gives containers what they do not ask for, and a quota
// counts that. The Deployment says that it cannot have more Pods.
func TestLimitsOfNamespace(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	cpu := func(text string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(text)}
	}
	limits := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "limits"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
		{Type: corev1.LimitTypeContainer, DefaultRequest: cpu("250m"), Default: cpu("500m"), Max: cpu("1")},
	}}}
	if _, err := c.CoreV1().LimitRanges(namespace).Create(t.Context(), limits, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "quota"}, Spec: corev1.ResourceQuotaSpec{
		Hard: corev1.ResourceList{corev1.ResourceRequestsCPU: resource.MustParse("600m")},
	}}
	if _, err := c.CoreV1().ResourceQuotas(namespace).Create(t.Context(), quota, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	// The admission plugins see both by watches of their own.
	eventually(t, soon, func() error {
		large := pod(corev1.RestartPolicyAlways, "example/app:1", nil)
		large.Spec.Containers[0].Resources.Limits = cpu("2")
		_, err := c.CoreV1().Pods(namespace).Create(t.Context(), large, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "maximum cpu usage per Container is 1") {
			return fmt.Errorf("a container beyond the limit: %v, want Forbidden", err)
		}
		counted, err := c.CoreV1().ResourceQuotas(namespace).Get(t.Context(), "quota", metav1.GetOptions{})
		if err == nil && len(counted.Status.Hard) == 0 {
			err = errors.New("the quota has no status")
		}
		return err
	})
	create(t, c, namespace, deployment("demo", "example/app:1", 3))
	eventually(t, soon, func() error {
		demo, err := c.AppsV1().Deployments(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, condition := range demo.Status.Conditions {
			if condition.Type == "ReplicaFailure" && strings.Contains(condition.Message, "exceeded quota") && demo.Status.ReadyReplicas == 2 {
				return nil
			}
		}
		return fmt.Errorf("status %+v, want two ready, and that the third is beyond the quota", demo.Status)
	})
	pods, err := c.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(pods.Items) != 2 {
		t.Fatalf("%d Pods, %v; want 2", len(pods.Items), err)
	}
	if has := pods.Items[0].Spec.Containers[0].Resources; has.Requests.Cpu().String() != "250m" || has.Limits.Cpu().String() != "500m" {
		t.Errorf("resources %+v, want those of the LimitRange", has)
	}
}

// TestAdmissionPolicy: a policy refuses, and its expressions are checked against the types.
func TestAdmissionPolicy(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	name := metav1.ObjectMeta{Name: namespace} // they have no namespace
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: name, Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
		MatchConstraints: &admissionregistrationv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
			ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
			}}},
		},
		Validations: []admissionregistrationv1.Validation{
			{Expression: "object.spec.replicas <= 5", Message: "at most five"},
			{Expression: "object.spec.misspelt == 1"},
		},
	}}
	policies, bindings := c.AdmissionregistrationV1().ValidatingAdmissionPolicies(), c.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings()
	if _, err := policies.Create(t.Context(), policy, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: name, Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: namespace, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
	}}
	if _, err := bindings.Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, soon, func() error {
		_, err := c.AppsV1().Deployments(namespace).Create(t.Context(), deployment("demo", "example/app:1", 6), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil || !strings.Contains(err.Error(), "at most five") {
			return fmt.Errorf("a Deployment that the policy does not allow: %v", err)
		}
		return nil
	})
	eventually(t, soon, func() error {
		checked, err := policies.Get(t.Context(), namespace, metav1.GetOptions{})
		if err == nil && (checked.Status.TypeChecking == nil || len(checked.Status.TypeChecking.ExpressionWarnings) != 1) {
			err = fmt.Errorf("status %+v, want one warning", checked.Status)
		}
		return err
	})
}

// TestMutatingPolicy: the API server changes objects as a MutatingAdmissionPolicy says, also
// in the versions that have no v1 of it.
func TestMutatingPolicy(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	group := "/apis/admissionregistration.k8s.io/"
	post := func(version, resource, kind, spec string) error {
		return c.AdmissionregistrationV1().RESTClient().Post().AbsPath(group+version, resource).
			SetHeader("Content-Type", "application/json").
			Body([]byte(fmt.Sprintf(`{"apiVersion": "admissionregistration.k8s.io/%s", "kind": %q, "metadata": {"name": %q}, "spec": %s}`,
				version, kind, namespace, spec))).Do(t.Context()).Error()
	}
	policy := fmt.Sprintf(`{
		"failurePolicy": "Fail", "reinvocationPolicy": "Never",
		"matchConstraints": {
			"namespaceSelector": {"matchLabels": {%q: %q}},
			"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]
		},
		"mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {
			"expression": "Object{metadata: Object.metadata{annotations: {\"example.com/seen\": \"yes\"}}}"
		}}]
	}`, corev1.LabelMetadataName, namespace)
	version := "v1"
	err := post(version, "mutatingadmissionpolicies", "MutatingAdmissionPolicy", policy)
	if apierrors.IsNotFound(err) {
		version = "v1beta1"
		err = post(version, "mutatingadmissionpolicies", "MutatingAdmissionPolicy", policy)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := post(version, "mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding", fmt.Sprintf(`{"policyName": %q}`, namespace)); err != nil {
		t.Fatal(err)
	}
	eventually(t, soon, func() error {
		made, err := c.CoreV1().Pods(namespace).Create(t.Context(), pod(corev1.RestartPolicyAlways, "example/app:1", nil), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil && made.Annotations["example.com/seen"] != "yes" {
			err = fmt.Errorf("annotations %v, without that of the policy", made.Annotations)
		}
		return err
	})
}

// TestMutatingPolicyFlags: they are set where the API is off by default, by the names of all
// folders that binaries are found in, or by the version that is asked for.
func TestMutatingPolicyFlags(t *testing.T) {
	for _, tc := range []struct {
		kubernetes, dir string
		want            bool
	}{
		{"", "/m/bin/k8s/v1.34.4", true},
		{"", "/m/bin/k8s/v1.35.4", true},
		{"", "/m/.cache/reconform/k8s-v1.35.4-6c42925f77923790", true},
		{"", "/m/bin/k8s/v1.36.3", false},
		{"", "/m/bin/k8s/v1.37.2", false},
		{"", "/v1.34.4/bin", false},
		{"1.35", "/opt/kubernetes", true},
		{"v1.34.4", "/opt/kubernetes", true},
		{"1.36", "/opt/kubernetes", false},
		{"1.37", "/opt/not-v1.34.4", false},
	} {
		opts := Options{Kubernetes: tc.kubernetes}
		if got := len(opts.mutatingPolicies(tc.dir)) > 0; got != tc.want {
			t.Errorf("Kubernetes %q in %s: flags %t, want %t", tc.kubernetes, tc.dir, got, tc.want)
		}
	}
}

// TestSchedulingGate: a Pod with a gate waits until the gate is taken away.
func TestSchedulingGate(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	gated := pod(corev1.RestartPolicyAlways, "example/app:1", nil)
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/quota"}}
	createPod(t, c, namespace, gated)
	eventually(t, soon, func() error {
		found, err := c.CoreV1().Pods(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, condition := range found.Status.Conditions {
			if condition.Type == corev1.PodScheduled && condition.Reason == corev1.PodReasonSchedulingGated {
				return nil
			}
		}
		return fmt.Errorf("status %+v, want that it waits for its gate", found.Status)
	})
	if _, err := c.CoreV1().Pods(namespace).Patch(t.Context(), "demo", types.MergePatchType, []byte(`{"spec": {"schedulingGates": null}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitSeen(t, c, namespace, seen{
		Phase: corev1.PodRunning, Conditions: conditions("True", "True", "True"), Containers: []string{"app: running, 0 restarts, ready true"},
	})
}
