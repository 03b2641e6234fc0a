package snapshot

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/profile"
)

// retake is how soon a Snapshot that differs is taken again.
const retake = 150 * time.Millisecond

// Controller serves Snapshots.
type Controller struct {
	// Client reads and writes Snapshots.
	Client client.Client
	// Dynamic reads what they are of.
	Dynamic dynamic.Interface
	// Mapper finds the resources that they name.
	Mapper meta.RESTMapper
	// Profile of the implementation in a namespace has the kinds of the contract,
	// and where their status is.
	Profile func(namespace string) *profile.Profile

	mu      sync.Mutex
	cameras map[*profile.Profile]*camera
	begun   map[types.NamespacedName]beginning
}

// beginning is when a Snapshot that is not done was first seen.
type beginning struct {
	uid types.UID
	at  time.Time
}

// SetupWithManager registers the controller.
func (c *Controller) SetupWithManager(mgr ctrl.Manager) error {
	c.cameras = map[*profile.Profile]*camera{}
	c.begun = map[types.NamespacedName]beginning{}
	return ctrl.NewControllerManagedBy(mgr).
		Named("snapshot").
		For(&v1alpha1.Snapshot{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 8}).
		Complete(c)
}

// camera for the Snapshots in a namespace.
func (c *Controller) camera(namespace string) (*camera, error) {
	p := c.Profile(namespace)
	c.mu.Lock()
	defer c.mu.Unlock()
	if present := c.cameras[p]; present != nil {
		return present, nil
	}
	rules, err := loadRules(rulesFile, dropped(p)...)
	if err != nil {
		return nil, invalid{err}
	}
	c.cameras[p] = &camera{dynamic: c.Dynamic, mapper: c.Mapper, contract: contract(p), rules: rules}
	return c.cameras[p], nil
}

// contract is the kinds that a Snapshot is of where it does not say.
func contract(p *profile.Profile) []string {
	resources := []string{
		p.Spec.Contract.Resource.Plural + "." + p.Spec.Contract.Resource.Group,
		"deployments.apps",
	}
	if p.Spec.Contract.Children.Service != nil {
		resources = append(resources, "services")
	}
	return resources
}

// dropped are the paths that the implementation has for what the rules drop by
// the paths of the reference.
func dropped(p *profile.Profile) []string {
	var paths []string
	fields := p.StatusFields()
	if path := fields["observedGeneration"].Path; path != "" {
		paths = append(paths, path)
	}
	if path := fields["conditions"].Path; path != "" {
		for _, field := range []string{"observedGeneration", "reason", "message"} {
			paths = append(paths, path+"[*]."+field)
		}
	}
	return paths
}

// Reconcile takes a Snapshot, again and again where it is to become the same as
// another.
func (c *Controller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	snapshot := &v1alpha1.Snapshot{}
	if err := c.Client.Get(ctx, req.NamespacedName, snapshot); err != nil {
		c.forget(req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !snapshot.DeletionTimestamp.IsZero() || isDone(snapshot.Status.Phase) {
		c.forget(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	status, err := c.advance(ctx, snapshot)
	switch {
	case isInvalid(err):
		status = v1alpha1.SnapshotStatus{Phase: v1alpha1.SnapshotInvalid, Message: err.Error()}
	case err != nil:
		return ctrl.Result{}, err
	}
	if !equality.Semantic.DeepEqual(snapshot.Status, status) {
		snapshot.Status = status
		if err := c.Client.Status().Update(ctx, snapshot); apierrors.IsConflict(err) {
			return ctrl.Result{RequeueAfter: retake}, nil // the cache is behind our own last write
		} else if err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(fmt.Errorf("writing the status of snapshot %s: %w", req, err))
		}
	}
	if isDone(status.Phase) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: retake}, nil
}

func isDone(phase v1alpha1.SnapshotPhase) bool {
	switch phase {
	case v1alpha1.SnapshotTaken, v1alpha1.SnapshotSame, v1alpha1.SnapshotDifferent, v1alpha1.SnapshotInvalid:
		return true
	}
	return false
}

// advance takes the Snapshot and compares it, where it is to be compared.
func (c *Controller) advance(ctx context.Context, snapshot *v1alpha1.Snapshot) (v1alpha1.SnapshotStatus, error) {
	began := c.began(snapshot)
	other := &v1alpha1.Snapshot{}
	if snapshot.Spec.Compare != "" {
		var err error
		if other, err = c.other(ctx, snapshot); err != nil {
			return v1alpha1.SnapshotStatus{}, err
		}
		if !isDone(other.Status.Phase) {
			return v1alpha1.SnapshotStatus{Phase: v1alpha1.SnapshotComparing, Message: "waiting for " + other.Name}, nil
		}
	}
	camera, err := c.camera(snapshot.Namespace)
	if err != nil {
		return v1alpha1.SnapshotStatus{}, err
	}
	status, err := camera.take(ctx, snapshot)
	if err != nil {
		return status, err
	}
	if snapshot.Spec.Compare == "" {
		status.Phase = v1alpha1.SnapshotTaken
		return status, nil
	}
	if status.Digest == other.Status.Digest {
		status.Phase = v1alpha1.SnapshotSame
		return status, nil
	}
	if status.Differences, err = differences(other.Status, status); err != nil {
		return status, invalid{fmt.Errorf("comparing with %s: %w", other.Name, err)}
	}
	status.Phase = v1alpha1.SnapshotComparing
	if within := time.Duration(snapshot.Spec.WithinMs) * time.Millisecond; time.Since(began) >= within {
		status.Phase = v1alpha1.SnapshotDifferent
		status.Message = fmt.Sprintf("still different from %s after %s", snapshot.Spec.Compare, within)
	}
	return status, nil
}

// other is the Snapshot that one is compared with.
func (c *Controller) other(ctx context.Context, snapshot *v1alpha1.Snapshot) (*v1alpha1.Snapshot, error) {
	key := types.NamespacedName{Namespace: snapshot.Namespace, Name: snapshot.Spec.Compare}
	if key.Name == snapshot.Name {
		return nil, invalid{errors.New("it is to be compared with itself")}
	}
	other := &v1alpha1.Snapshot{}
	if err := c.Client.Get(ctx, key, other); apierrors.IsNotFound(err) {
		return nil, invalid{fmt.Errorf("there is no Snapshot %s to compare with", key.Name)}
	} else if err != nil {
		return nil, fmt.Errorf("reading snapshot %s: %w", key.Name, err)
	}
	if other.Status.Phase == v1alpha1.SnapshotInvalid {
		return nil, invalid{fmt.Errorf("comparing with %s, which is invalid: %s", other.Name, other.Status.Message)}
	}
	return other, nil
}

// began is when the Snapshot was first seen.
func (c *Controller) began(snapshot *v1alpha1.Snapshot) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := client.ObjectKeyFromObject(snapshot)
	if c.begun[key].uid != snapshot.UID {
		c.begun[key] = beginning{uid: snapshot.UID, at: time.Now()}
	}
	return c.begun[key].at
}

func (c *Controller) forget(key types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.begun, key)
}
