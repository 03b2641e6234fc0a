package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"reconform.dev/reconform/internal/bench/cluster"
	"reconform.dev/reconform/internal/profile"
)

// install creates the kinds of the bench and of the profiles, the roles of the profiles,
// and their other objects.
func (b *Bench) install(ctx context.Context) error {
	profiles := b.options.profiles()
	definitions, err := CRDs(profiles...)
	if err != nil {
		return err
	}
	if b.options.Shared {
		err = cluster.Define(ctx, b.options.Config, definitions, b.options.ReplaceCRDs)
	} else {
		err = installCRDs(b.options.Config, definitions)
	}
	if err != nil {
		return err
	}
	client, err := rest.HTTPClientFor(b.options.Config)
	if err != nil {
		return fmt.Errorf("making the installer's client: %w", err)
	}
	if b.mapper, err = apiutil.NewDynamicRESTMapper(b.options.Config, client); err != nil {
		return fmt.Errorf("discovering the API: %w", err)
	}
	var roles []*rbacv1.ClusterRole
	if b.roles, roles, err = rolesOf(profiles); err != nil {
		return err
	}
	for _, role := range roles {
		object, err := toUnstructured(role, rbacv1.SchemeGroupVersion.String(), "ClusterRole")
		if err != nil {
			return err
		}
		if err := b.apply(ctx, object); err != nil {
			return err
		}
	}
	if err := b.makeLeaseNamespaces(ctx); err != nil {
		return err
	}
	return b.setUpOnce(ctx)
}

// makeLeaseNamespaces creates the namespaces that profiles name for their Leases. On a
// cluster of the user's, they must be there.
func (b *Bench) makeLeaseNamespaces(ctx context.Context) error {
	named := slices.DeleteFunc(slices.Clone(b.options.profiles()), func(p *profile.Profile) bool {
		election := p.Spec.Launch.LeaderElection
		return election == nil || election.Lease.Namespace == ""
	})
	if len(named) == 0 {
		return nil
	}
	clientset, err := kubernetes.NewForConfig(b.options.Config)
	if err != nil {
		return fmt.Errorf("making the installer's client: %w", err)
	}
	for _, p := range named {
		name := p.Spec.Launch.LeaderElection.Lease.Namespace
		_, err := clientset.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err) && b.options.Shared:
			return fmt.Errorf("the cluster has no namespace %s, in which the controller of profile %s keeps its Lease (launch.leaderElection.lease.namespace): create it", name, p.Name)
		case apierrors.IsNotFound(err):
			_, err = clientset.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		}
		if err != nil {
			return fmt.Errorf("looking for namespace %s of the Lease, or creating it: %w", name, err)
		}
	}
	return nil
}

// installCRDs creates or updates the definitions and waits until they are served.
func installCRDs(config *rest.Config, definitions []*apiextensionsv1.CustomResourceDefinition) error {
	_, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{
		CRDs: definitions, MaxTime: 30 * time.Second, PollInterval: 50 * time.Millisecond,
	})
	if err != nil {
		return fmt.Errorf("installing CRDs: %w", err)
	}
	return nil
}

// apply creates or changes the object so that it is as in the manifest.
func (b *Bench) apply(ctx context.Context, object *unstructured.Unstructured) error {
	what := object.GetKind() + " " + object.GetName()
	mapping, err := b.mapper.RESTMapping(object.GroupVersionKind().GroupKind(), object.GroupVersionKind().Version)
	if err != nil {
		return fmt.Errorf("installing %s: %w", what, err)
	}
	client, err := dynamic.NewForConfig(b.options.Config)
	if err != nil {
		return fmt.Errorf("installing %s: %w", what, err)
	}
	var resource dynamic.ResourceInterface = client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		resource = client.Resource(mapping.Resource).Namespace(object.GetNamespace())
	}
	if b.options.Shared {
		err = cluster.Bring(ctx, resource, object)
	} else {
		_, err = resource.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: cluster.FieldManager, Force: true})
	}
	if err != nil {
		return fmt.Errorf("installing %s: %w", what, err)
	}
	return nil
}

func toUnstructured(object any, apiVersion, kind string) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("converting a %s: %w", kind, err)
	}
	result := &unstructured.Unstructured{Object: content}
	result.SetAPIVersion(apiVersion)
	result.SetKind(kind)
	return result, nil
}
