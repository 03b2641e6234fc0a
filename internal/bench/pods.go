package bench

import (
	"context"
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/disruption"
	"reconform.dev/reconform/internal/bench/pods"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/process/incluster"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// podsPath is the path at which the API server asks the bench about Pods.
	podsPath = "/pods"
	podsHook = "pods." + v1alpha1.AdmissionName
	// podsTimeout is how long the API server waits for an answer, in seconds.
	podsTimeout = 10
	// firstPodNamespace is the namespace of the test whether Pods become ready.
	firstPodNamespace = subject.PreflightNamespace + "-pods"
)

// keepPods prepares to keep the Pods of scenarios, if these run on real nodes.
func (b *Bench) keepPods(ctx context.Context, cluster kubernetes.Interface, mgr ctrl.Manager) error {
	if !b.options.Shared {
		return nil
	}
	onReal, err := pods.OnRealNodes(ctx, cluster)
	if err != nil || !onReal {
		return err
	}
	b.keeper = &pods.Keeper{Image: pods.Image(b.options.ImagePrefix), Client: mgr.GetClient(), Slow: b.noteSlowPod}
	return b.keeper.SetupWithManager(mgr)
}

// noteSlowPod records, for the verdict, that a scenario may have waited without success.
func (b *Bench) noteSlowPod(scenario, pod string, took time.Duration, state string) {
	b.options.Recorder.Event(history.Event{
		Scenario: scenario, Object: "Pod/" + pod, Reason: history.PodSlow, Message: state, Took: metav1.Duration{Duration: took},
	})
}

// podsOfSubjects says how subjects run as Pods. It returns nil if they do not.
func (b *Bench) podsOfSubjects() *subject.Pods {
	if !b.options.InCluster {
		return nil
	}
	return &subject.Pods{RelayImage: pods.Image(b.options.ImagePrefix)}
}

// registerPods makes the API server ask about Pods that are created. On a cluster with real
// nodes these are all Pods in a namespace of the bench, except the relay and the replicas of
// subjects. On a control plane of our own they are those of namespaces with Nodes of their
// own.
func (b *Bench) registerPods(ctx context.Context) error {
	label := func(key string, operator metav1.LabelSelectorOperator) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator}}}
	}
	namespaces := label(v1alpha1.LabelBench, metav1.LabelSelectorOpExists)
	switch {
	case !b.options.Shared:
		namespaces = label(v1alpha1.LabelOwnNodes, metav1.LabelSelectorOpExists)
	case b.keeper == nil:
		return nil
	}
	configuration := &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: podsHook, Labels: map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade}},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name:                    podsHook,
			ClientConfig:            b.webhook.config(podsPath),
			AdmissionReviewVersions: []string{"v1"},
			SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone),
			FailurePolicy:           ptr.To(admissionregistrationv1.Fail),
			TimeoutSeconds:          ptr.To[int32](podsTimeout),
			NamespaceSelector:       namespaces,
			ObjectSelector:          label(incluster.LabelReplica, metav1.LabelSelectorOpDoesNotExist),
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule: admissionregistrationv1.Rule{
					APIGroups: []string{""}, APIVersions: []string{"v1"},
					Resources: []string{"pods"}, Scope: ptr.To(admissionregistrationv1.NamespacedScope),
				},
			}},
		}},
	}
	if err := b.client.Create(ctx, configuration); err != nil {
		return fmt.Errorf("registering the webhook for Pods: %w", err)
	}
	return nil
}

// podsHandler returns what is asked about Pods that are created, or nil.
func (b *Bench) podsHandler() admission.Handler {
	switch {
	case !b.options.Shared:
		return disruption.Placer{}
	case b.keeper != nil:
		return b.keeper
	}
	return nil
}

// CheckPods tests whether Pods become ready on a cluster of the user's. If not, the error
// is a *pods.NotReady. On a control plane of our own they always do.
func (b *Bench) CheckPods(ctx context.Context) error {
	if !b.options.Shared {
		return nil
	}
	cluster, err := kubernetes.NewForConfig(b.options.Config)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	return pods.Preflight(ctx, cluster, firstPodNamespace, b.keeper != nil, b.options.TimeoutScale)
}

// RunPods makes the Pods of a scenario run, by its namespace. This is the default.
func (b *Bench) RunPods(namespace string) {
	if b.keeper != nil {
		b.keeper.Run(namespace)
	}
}

// RestPods makes the Pods of a scenario wait, and removes running ones, because nodes have
// room only for a few: see [pods.Keeper.Rest].
func (b *Bench) RestPods(ctx context.Context, namespace string) error {
	if b.keeper == nil {
		return nil
	}
	return b.keeper.Rest(ctx, namespace)
}
