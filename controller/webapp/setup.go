package webapp

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"reconform.dev/reconform/controller/api/v1beta1"
)

// A failed reconcile is retried after ShortestRetry, then after twice as long
// each time, up to LongestRetry.
const (
	ShortestRetry = 50 * time.Millisecond
	LongestRetry  = 30 * time.Second
)

// indexConfigMap finds the WebApps that name a ConfigMap.
const indexConfigMap = "spec.configMapRef.name"

// Options are what may differ between two installations.
type Options struct {
	// Workers is the number of WebApps reconciled at the same time.
	Workers int
	// Registry is where the controller's metrics are registered.
	Registry prometheus.Registerer
}

// What it needs of the cluster, and nothing more. It never changes webapps/finalizers;
// but a cluster may demand that right from those who set an owner reference that blocks
// the owner's deletion.
//
// +kubebuilder:rbac:groups=apps.kubedojo.io,resources=webapps,verbs=list;watch
// +kubebuilder:rbac:groups=apps.kubedojo.io,resources=webapps/status,verbs=patch
// +kubebuilder:rbac:groups=apps.kubedojo.io,resources=webapps/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Setup adds the controller of WebApps to mgr, and a readiness check that
// passes once its caches have synced. The context bounds the set-up only.
func Setup(ctx context.Context, mgr manager.Manager, o Options) error {
	counters, err := newTotals(o.Registry)
	if err != nil {
		return fmt.Errorf("registering metrics: %w", err)
	}
	if err := o.Registry.Register(newManaged(mgr.GetCache())); err != nil {
		return fmt.Errorf("registering metrics: %w", err)
	}
	r := &Reconciler{
		client: client.WithFieldOwner(mgr.GetClient(), managerName),
		live:   mgr.GetAPIReader(),
		events: mgr.GetEventRecorder(managerName),
		totals: counters,
	}
	if err := mgr.GetFieldIndexer().IndexField(ctx, &v1beta1.WebApp{}, indexConfigMap, configMapName); err != nil {
		return fmt.Errorf("indexing WebApps by ConfigMap: %w", err)
	}
	synced, err := cachesSynced(ctx, mgr.GetCache(), &v1beta1.WebApp{}, &appsv1.Deployment{}, &corev1.Service{}, &corev1.ConfigMap{})
	if err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("caches", synced); err != nil {
		return fmt.Errorf("adding the readiness check: %w", err)
	}
	return builder.ControllerManagedBy(mgr).
		Named("webapp").
		For(&v1beta1.WebApp{}, builder.WithPredicates(specChanged())).
		// Children are named like their WebApp. Events are mapped by name, not by
		// owner, so it is also noticed when a foreign object frees the name.
		Watches(&appsv1.Deployment{}, &handler.EnqueueRequestForObject{}).
		Watches(&corev1.Service{}, &handler.EnqueueRequestForObject{}).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.usersOf)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: o.Workers,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](ShortestRetry, LongestRetry),
		}).
		Complete(r)
}

// specChanged drops updates of the status or the metadata: the controller's own status
// would wake it, and shorten the pause before a retry. If the UID differs, the object
// is another WebApp, and the deletion of the earlier one was not seen.
func specChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || e.ObjectOld.GetUID() != e.ObjectNew.GetUID()
	}}
}

// usersOf returns the WebApps that name a ConfigMap.
func (r *Reconciler) usersOf(ctx context.Context, cm client.Object) []reconcile.Request {
	var users v1beta1.WebAppList
	if err := r.client.List(ctx, &users, client.InNamespace(cm.GetNamespace()), client.MatchingFields{indexConfigMap: cm.GetName()}); err != nil {
		return nil // Only before the caches have synced; then every WebApp is new.
	}
	requests := make([]reconcile.Request, len(users.Items))
	for i := range users.Items {
		requests[i].NamespacedName = client.ObjectKeyFromObject(&users.Items[i])
	}
	return requests
}

func configMapName(obj client.Object) []string {
	if app, ok := obj.(*v1beta1.WebApp); ok && app.Spec.ConfigMapRef != nil {
		return []string{app.Spec.ConfigMapRef.Name}
	}
	return nil
}

// cachesSynced returns a check that fails until the caches of the given kinds
// are filled. It asks for them here, so that a standby fills its own before it
// leads.
func cachesSynced(ctx context.Context, informers cache.Informers, kinds ...client.Object) (healthz.Checker, error) {
	var waiting []cache.Informer
	for _, kind := range kinds {
		informer, err := informers.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
		if err != nil {
			return nil, fmt.Errorf("caching %T: %w", kind, err)
		}
		waiting = append(waiting, informer)
	}
	return func(*http.Request) error {
		for i, informer := range waiting {
			if !informer.HasSynced() {
				return fmt.Errorf("the cache of %T has not synced", kinds[i])
			}
		}
		return nil
	}, nil
}
