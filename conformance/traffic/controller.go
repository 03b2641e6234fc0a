package traffic

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/history"
	"reconform.dev/reconform/conformance/subject"
)

// Controller serves Traffic.
type Controller struct {
	// Client reads and writes Traffic.
	Client client.Client
	// Recorder has what the subjects sent.
	Recorder *history.Recorder
	// Subjects tells which Subject runs where.
	Subjects subject.Subjects
	// Claims are what the profile of the Subject in a namespace declares: the
	// period of its resync, and the requests that count nowhere.
	Claims func(namespace string) v1alpha1.Claims

	mu   sync.Mutex
	open map[types.UID]*measurement
}

// SetupWithManager registers the controller.
func (c *Controller) SetupWithManager(mgr ctrl.Manager) error {
	c.open = map[types.UID]*measurement{}
	return ctrl.NewControllerManagedBy(mgr).
		Named("traffic").
		For(&v1alpha1.Traffic{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 8}).
		Complete(c)
}

// Reconcile moves one measurement on.
func (c *Controller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	traffic := &v1alpha1.Traffic{}
	if err := c.Client.Get(ctx, req.NamespacedName, traffic); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !traffic.DeletionTimestamp.IsZero() || isDone(traffic.Status.Phase) {
		c.forget(traffic.UID)
		return ctrl.Result{}, nil
	}
	m := c.measurement(traffic)
	status, next := m.step(time.Now(), c.Recorder, traffic.Namespace, c.Subjects.Running(traffic.Namespace))
	if !equality.Semantic.DeepEqual(traffic.Status, status) {
		traffic.Status = status
		if err := c.Client.Status().Update(ctx, traffic); apierrors.IsConflict(err) {
			return ctrl.Result{RequeueAfter: recheck}, nil // the cache is behind our own last write
		} else if err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(fmt.Errorf("writing the status of traffic %s: %w", req, err))
		}
	}
	return ctrl.Result{RequeueAfter: next}, nil
}

func isDone(phase v1alpha1.TrafficPhase) bool {
	return phase == v1alpha1.TrafficComplete || phase == v1alpha1.TrafficNeverQuiet
}

// measurement of the Traffic, begun where it is new.
func (c *Controller) measurement(traffic *v1alpha1.Traffic) *measurement {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.open[traffic.UID]
	if m == nil {
		claims := c.Claims(traffic.Namespace)
		m = &measurement{spec: traffic.Spec, resync: claims.Times.Resync.Duration, exempt: claims.Exempt, created: time.Now()}
		c.open[traffic.UID] = m
	}
	return m
}

func (c *Controller) forget(uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, uid)
}
