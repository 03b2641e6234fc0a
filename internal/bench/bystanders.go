package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/bystander"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
)

// surround makes the function that puts bystanders around a child. It returns nil if there
// are none.
func (b *Bench) surround() (func(ctx context.Context, child history.Request, inVain []history.Request) error, error) {
	if !b.options.Bystanders {
		return nil, nil
	}
	config := rest.AddUserAgent(rest.CopyConfig(b.options.Config), "reconform-bystanders")
	config.QPS, config.RateLimiter = -1, nil // The scenarios limit the rate.
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making the client for bystanders: %w", err)
	}
	var labels sync.Map // of each child that was read: it may be gone the next time
	return func(ctx context.Context, child history.Request, inVain []history.Request) error {
		resource := schema.GroupVersionResource{Group: child.Group, Version: child.Version, Resource: child.Resource}
		made, err := objects.Resource(resource).Namespace(child.Namespace).Get(ctx, child.Name, metav1.GetOptions{})
		key := child.GroupResource().String() + " " + child.Namespace + "/" + child.Name
		known, read := labels.Load(key)
		switch {
		case err == nil:
			known = impersonal(made)
			labels.Store(key, known)
		case !apierrors.IsNotFound(err) || !read:
			return fmt.Errorf("reading the child that bystanders are to look like: %w", err)
		}
		p := b.options.profile(child.Namespace)
		writes, lists := b.allowed(child.Namespace, "update", "patch", "delete", "deletecollection"), b.allowed(child.Namespace, "list")
		crowd := bystander.Crowd{
			Namespace: child.Namespace, Prefix: child.Name, Labels: known.(map[string]string),
			// A controller that only lists Pods may count them.
			Kinds: func(of schema.GroupResource) bool {
				return writes(of) || of == schema.GroupResource{Resource: "pods"} && lists(of)
			},
			Unowned: p.Spec.Claims.Unowned == v1alpha1.OwnershipRefuse,
		}
		if p.Spec.Claims.Ownership == v1alpha1.OwnershipByLabels {
			// The controller considers everything with its labels its own.
			crowd.Labels = nil
		}
		children, deletes := invariant.ContractOf(p).Children, b.allowed(child.Namespace, "delete")
		edited, err := b.edited(ctx, child.Namespace)
		if err != nil {
			return err
		}
		for _, asked := range inVain {
			if of := asked.GroupResource(); !edited && !slices.Contains(children, of) && deletes(of) {
				crowd.Namesakes = append(crowd.Namesakes, bystander.Namesake{Of: of, Name: asked.Name, OfWorkload: b.madeWorkload(child.Namespace, asked.Name)})
			}
		}
		return bystander.Make(ctx, objects, crowd)
	}, nil
}

// madeWorkload tells whether the controller has made a workload of this name in a namespace.
func (b *Bench) madeWorkload(namespace, name string) bool {
	workload := b.options.profile(namespace).WorkloadResource()
	created := b.options.Recorder.Requests(history.Query{Scenario: namespace, Match: v1alpha1.RequestMatch{Verbs: []string{history.VerbCreate}, Names: []string{name}}})
	return slices.ContainsFunc(created, func(r history.Request) bool {
		return r.GroupResource() == workload && r.Effect == history.EffectEffective
	})
}

// edited tells whether a Trial in a namespace edits an object. An edit may switch a kind on for
// which the controller then needs the name that it asks for.
func (b *Bench) edited(ctx context.Context, namespace string) (bool, error) {
	var trials v1alpha1.TrialList
	if err := b.client.List(ctx, &trials, client.InNamespace(namespace)); err != nil {
		return false, fmt.Errorf("listing the Trials beside bystanders: %w", err)
	}
	return slices.ContainsFunc(trials.Items, func(t v1alpha1.Trial) bool { return edits(t.Spec) }), nil
}

func edits(spec v1alpha1.TrialSpec) bool {
	all := spec.Operations
	if spec.Disturb != nil && spec.Disturb.Meanwhile != nil {
		all = append(slices.Clone(all), *spec.Disturb.Meanwhile)
	}
	return slices.ContainsFunc(all, func(o v1alpha1.TrialOperation) bool { return o.Patch != nil })
}

// impersonal returns the labels of a child, without those that hold the UID of an owner. By
// such a label an object says whose it is, and a bystander belongs to somebody else.
func impersonal(child metav1.Object) map[string]string {
	labels := maps.Clone(child.GetLabels())
	for _, owner := range child.GetOwnerReferences() {
		maps.DeleteFunc(labels, func(_, value string) bool { return value == string(owner.UID) })
	}
	return labels
}

// allowed tells with which kinds the implementation in a namespace may do one of these
// verbs: with its children, and with what its roles allow. The rules of built-in roles are
// not known here, so admin, edit and cluster-admin count as allowing everything.
func (b *Bench) allowed(namespace string, verbs ...string) func(schema.GroupResource) bool {
	var rules []rbacv1.PolicyRule
	atHome := b.options.profile(namespace).Home(namespace) == namespace
	for _, grant := range b.rolesIn(namespace) {
		if grant.ClusterRole != nil {
			rules = append(rules, grant.ClusterRole.Rules...)
			if grant.BuiltIn && slices.Contains([]string{"cluster-admin", "admin", "edit"}, grant.ClusterRole.Name) {
				rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}})
			}
		}
		if grant.Role != nil && (grant.Served || atHome) {
			rules = append(rules, grant.Role.Rules...)
		}
	}
	children := invariant.ContractOf(b.options.profile(namespace)).Children
	return func(resource schema.GroupResource) bool {
		return slices.Contains(children, resource) || slices.ContainsFunc(rules, func(rule rbacv1.PolicyRule) bool {
			return len(rule.ResourceNames) == 0 && profile.Lists(rule.APIGroups, resource.Group) && profile.Lists(rule.Resources, resource.Resource) &&
				slices.ContainsFunc(verbs, func(verb string) bool { return profile.Lists(rule.Verbs, verb) })
		})
	}
}
