package snapshot

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

// A Snapshot that differs is taken again after a pause, which is a twentieth of the time
// that it has waited, within these bounds.
const (
	shortestPause = 150 * time.Millisecond
	longestPause  = time.Second
)

func pauseAfter(waited time.Duration) time.Duration {
	return min(max(shortestPause, waited/20), longestPause)
}

// Controller serves Snapshots.
type Controller struct {
	// Reader reads Snapshots directly from the API server.
	Reader client.Reader
	// Dynamic reads the objects in Snapshots.
	Dynamic dynamic.Interface
	// Mapper finds the resources that Snapshots name.
	Mapper meta.RESTMapper
	// Profile returns the profile of the implementation in a namespace. It has the
	// resources of the contract, and the paths of their status.
	Profile func(namespace string) *profile.Profile
	// Shown returns all UIDs and versions that the controller in a namespace has seen.
	Shown func(namespace string) history.Identities
	// Written returns the UIDs of the objects of a resource that the controller in a namespace
	// wrote.
	Written func(namespace string, resource schema.GroupResource) map[types.UID]bool
	// Owed returns what the controller in a namespace may still have to try again, and when it
	// sent its first request. If it is nil, nothing is owed.
	Owed func(namespace string) (failed []history.Owed, first time.Time)
	// Times returns the times of that profile.
	Times func(namespace string) expectation.Times

	mu      sync.Mutex
	cameras map[*profile.Profile]*camera
	begun   map[types.NamespacedName]*beginning
}

// beginning is when an unfinished Snapshot was first seen. If it is not compared with
// another, it also has what was found then.
type beginning struct {
	uid   types.UID
	at    time.Time
	taken *v1alpha1.SnapshotStatus
	// of a Snapshot that still differs from another
	differs *differing
	gaveUp  string // why the wait was given up before its end; empty if it was not
}

// SetupWithManager registers the controller.
func (c *Controller) SetupWithManager(mgr ctrl.Manager, admission *objects.Admission) error {
	c.cameras = map[*profile.Profile]*camera{}
	c.begun = map[types.NamespacedName]*beginning{}
	return objects.Serve(mgr, admission, &v1alpha1.Snapshot{}, c, objects.Options{})
}

// camera returns the camera for the Snapshots in a namespace.
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
	// An annotation may stand in for the number of replicas: then it is what scenarios change.
	if err := rules.keep(p.WorkloadResource().String(), p.Workload().Replicas); err != nil {
		return nil, invalid{err}
	}
	filledIn, err := defaulted(p)
	if err != nil {
		return nil, invalid{err}
	}
	c.cameras[p] = &camera{
		dynamic: c.Dynamic, mapper: c.Mapper, contract: contract(p), rules: rules, defaulted: filledIn,
		served: p.ClusterResources(), written: c.Written,
	}
	return c.cameras[p], nil
}

// contract returns the resources that a Snapshot contains if it names none.
func contract(p *profile.Profile) []string {
	resources := []string{p.Spec.Contract.Resource.Plural + "." + p.Spec.Contract.Resource.Group}
	if !p.HasContract() {
		for _, served := range p.Spec.Serves[1:] {
			resources = append(resources, served.Resource.Plural+"."+served.Resource.Group)
		}
		return resources
	}
	resources = append(resources, p.WorkloadResource().String())
	if p.Spec.Contract.Children.Service != nil {
		resources = append(resources, "services")
	}
	return resources
}

// dropped returns the implementation's paths for the status fields that the rules drop by
// the reference's paths.
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

// Check says why a Snapshot can never be taken.
func (c *Controller) Check(ctx context.Context, snapshot *v1alpha1.Snapshot) error {
	if err := c.Admit(ctx, snapshot); err != nil || snapshot.Spec.Compare != "" {
		return err
	}
	c.Remove(client.ObjectKeyFromObject(snapshot)) // what Admit has taken
	return nil
}

// Admit takes a Snapshot, or says why it can never be taken. It is taken later if it is
// compared with another, or if the controller owes an attempt.
func (c *Controller) Admit(ctx context.Context, snapshot *v1alpha1.Snapshot) error {
	if _, err := c.Times(snapshot.Namespace).Within(snapshot.Spec.Within, time.Now()); err != nil {
		return fmt.Errorf("computing within: %w", err)
	}
	if snapshot.Spec.Compare != "" {
		_, err := c.other(ctx, snapshot)
		return err
	}
	status, err := c.advance(ctx, snapshot)
	if err != nil {
		c.Remove(client.ObjectKeyFromObject(snapshot))
		return err
	}
	if status.Phase != v1alpha1.SnapshotTaken {
		return nil
	}
	begun := c.began(snapshot)
	c.mu.Lock()
	defer c.mu.Unlock()
	begun.taken = &status
	return nil
}

// Advance takes a Snapshot. If it must become the same as another one, Advance takes it
// again and again.
func (c *Controller) Advance(ctx context.Context, snapshot *v1alpha1.Snapshot) (time.Duration, error) {
	if !snapshot.Status.Verdict.IsPending() {
		return 0, nil
	}
	status, err := c.advance(ctx, snapshot)
	switch {
	case isInvalid(err):
		status = v1alpha1.SnapshotStatus{Phase: v1alpha1.SnapshotInvalid, Message: err.Error()}
	case err != nil:
		return 0, err
	}
	status.Verdict = judgement(status.Phase)
	snapshot.Status = status
	if !status.Verdict.IsPending() {
		return 0, nil
	}
	return pauseAfter(time.Since(c.began(snapshot).at)), nil
}

// Remove forgets a Snapshot.
func (c *Controller) Remove(key types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.begun, key)
}

func judgement(phase v1alpha1.SnapshotPhase) v1alpha1.Judgement {
	switch phase {
	case v1alpha1.SnapshotTaken, v1alpha1.SnapshotSame:
		return v1alpha1.JudgementMet
	case v1alpha1.SnapshotDifferent:
		return v1alpha1.JudgementNotMet
	case v1alpha1.SnapshotInvalid:
		return v1alpha1.JudgementInvalid
	}
	return v1alpha1.JudgementPending
}

// advance takes the Snapshot. It compares it with another one if the spec says so.
func (c *Controller) advance(ctx context.Context, snapshot *v1alpha1.Snapshot) (v1alpha1.SnapshotStatus, error) {
	began := c.began(snapshot)
	if taken := c.taken(began); taken != nil {
		return *taken, nil
	}
	other := &v1alpha1.Snapshot{}
	if snapshot.Spec.Compare != "" {
		var err error
		if other, err = c.other(ctx, snapshot); err != nil {
			return v1alpha1.SnapshotStatus{}, err
		}
		if other.Status.Verdict.IsPending() {
			return v1alpha1.SnapshotStatus{Phase: v1alpha1.SnapshotComparing, Message: "waiting for " + other.Name}, nil
		}
	}
	camera, err := c.camera(snapshot.Namespace)
	if err != nil {
		return v1alpha1.SnapshotStatus{}, err
	}
	if snapshot.Spec.Compare == "" {
		return c.picture(ctx, snapshot, camera, began)
	}
	status, err := camera.take(ctx, snapshot, c.Shown(snapshot.Namespace))
	if err != nil {
		return status, err
	}
	if status.Digest != other.Status.Digest {
		behind, err := late(c.Profile(snapshot.Namespace), other.Status)
		if err == nil {
			status.Differences, err = differences(other.Status, status, c.Shown(snapshot.Namespace), allowance{late: behind, defaulted: camera.defaulted})
		}
		if err != nil {
			return status, invalid{fmt.Errorf("comparing with %s: %w", other.Name, err)}
		}
	}
	if len(status.Differences) == 0 {
		c.differs(began, nil)
		status.Phase = v1alpha1.SnapshotSame
		return status, nil
	}
	within, err := c.Times(snapshot.Namespace).Within(snapshot.Spec.Within, began.at)
	if err != nil {
		return status, invalid{err}
	}
	status.Phase = v1alpha1.SnapshotComparing
	gaveUp := c.differs(began, &differing{within: within, from: snapshot.Spec.Compare, differences: status.Differences})
	switch {
	case gaveUp == "" && time.Since(began.at) < within:
	case other.Status.Owed != "":
		c.differs(began, nil)
		return status, invalid{fmt.Errorf("%s was taken while another attempt at what had failed was due (%s), and that may be why this differs: %s",
			other.Name, other.Status.Owed, inShort(status.Differences))}
	default:
		status.Phase = v1alpha1.SnapshotDifferent
		status.Message = unmet(snapshot.Spec.Compare, within, gaveUp, status.Differences)
	}
	return status, nil
}

// unmet says that a Snapshot has not become the same as another one, with a note about the
// time.
func unmet(from string, within time.Duration, gaveUp string, differences []string) string {
	note := ""
	if gaveUp != "" {
		note = " (" + gaveUp + ")"
	}
	return fmt.Sprintf("expected: the same as %s within %s%s; found: %s", from, within, note, inShort(differences))
}

// other returns the Snapshot that this one is compared with.
func (c *Controller) other(ctx context.Context, snapshot *v1alpha1.Snapshot) (*v1alpha1.Snapshot, error) {
	key := types.NamespacedName{Namespace: snapshot.Namespace, Name: snapshot.Spec.Compare}
	if key.Name == snapshot.Name {
		return nil, invalid{errors.New("it is to be compared with itself")}
	}
	other := &v1alpha1.Snapshot{}
	if err := c.Reader.Get(ctx, key, other); apierrors.IsNotFound(err) {
		return nil, invalid{fmt.Errorf("there is no Snapshot %s to compare with", key.Name)}
	} else if err != nil {
		return nil, fmt.Errorf("reading snapshot %s: %w", key.Name, err)
	}
	if other.Status.Phase == v1alpha1.SnapshotInvalid {
		return nil, invalid{fmt.Errorf("comparing with %s, which is invalid: %s", other.Name, other.Status.Message)}
	}
	return other, nil
}

// began returns the beginning of a Snapshot: when it was first seen.
func (c *Controller) began(snapshot *v1alpha1.Snapshot) *beginning {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := client.ObjectKeyFromObject(snapshot)
	if begun := c.begun[key]; begun == nil || begun.uid != snapshot.UID {
		c.begun[key] = &beginning{uid: snapshot.UID, at: time.Now()}
	}
	return c.begun[key]
}

// taken returns what a Snapshot found when it was created. It returns nil if the Snapshot
// is compared with another, or if it was not taken then.
func (c *Controller) taken(begun *beginning) *v1alpha1.SnapshotStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	return begun.taken
}
