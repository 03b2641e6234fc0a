package webapp

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"reconform.dev/reconform/controller/api/v1beta1"
)

// Reconciler brings the cluster one step nearer to what a WebApp says.
type Reconciler struct {
	// statuses that were written, and that the cache may not show yet.
	statuses lastWrites

	client client.Client // reads from the cache
	live   client.Reader // reads past it
	events events.EventRecorder
	totals totals
}

// Reconcile implements reconcile.Reconciler. A failure is returned, so that it
// is retried after a growing pause.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var app v1beta1.WebApp
	if err := r.client.Get(ctx, req.NamespacedName, &app); err != nil {
		r.statuses.forget(req.NamespacedName)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if app.DeletionTimestamp != nil {
		return reconcile.Result{}, nil // The garbage collector does the rest.
	}
	err := r.reconcile(ctx, &app)
	r.totals.count(err)
	return reconcile.Result{}, err
}

func (r *Reconciler) reconcile(ctx context.Context, app *v1beta1.WebApp) error {
	config, err := r.readConfig(ctx, app)
	if err != nil {
		return err
	}
	// If one child fails, the other is made all the same.
	deployment, deploymentErr := ensure(ctx, r, app, "Deployment", &appsv1.Deployment{},
		func(d *appsv1.Deployment) changes { return shapeDeployment(d, app, config) })
	service, serviceErr := ensure(ctx, r, app, "Service", &corev1.Service{},
		func(s *corev1.Service) changes { return shapeService(s, app) })

	err = errors.Join(deploymentErr, serviceErr)
	if namespaceEnds(err) {
		return nil
	}
	problems, settled := problemsIn(deploymentErr, serviceErr)
	if !settled {
		return err // Too little is known to tell the user anything.
	}
	if p := config.problem(app); p != nil {
		problems = append(problems, p)
	}
	if p := rolloutProblem(deployment); p != nil {
		problems = append(problems, p)
	}
	r.warn(app, problems)
	return errors.Join(err, r.writeStatus(ctx, app, statusOf(app, deployment, service, summary(problems))))
}

// writeStatus writes the status unless app has it already. With the lock, a status that
// was derived from an outdated WebApp is refused.
func (r *Reconciler) writeStatus(ctx context.Context, app *v1beta1.WebApp, status v1beta1.WebAppStatus) error {
	if equality.Semantic.DeepEqual(app.Status, status) {
		return r.statuses.caughtUp(app)
	}
	before := app.DeepCopy()
	app.Status = status
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.client.Status().Patch(ctx, app, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("writing status: %w", err)
	}
	r.statuses.note(app)
	return nil
}
