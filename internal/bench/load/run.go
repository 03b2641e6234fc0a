package load

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/flowcontrol"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/load/template"
	"reconform.dev/reconform/internal/bench/objects"
)

// creators is how many objects are created at the same time. Edits are made one by one,
// because the last one must win.
const creators = 8

// fieldManager owns what a Load writes.
const fieldManager = "reconform-load"

// run is a Load in progress.
type run struct {
	spec     v1alpha1.LoadSpec
	template *template.Template
	objects  dynamic.ResourceInterface

	mu     sync.Mutex
	status v1alpha1.LoadStatus
}

// prepare checks a Load, and does nothing yet. servesCluster says whether the controller
// there serves a resource without a namespace.
func prepare(load *v1alpha1.Load, client dynamic.Interface, mapper meta.RESTMapper, servesCluster bool) (*run, error) {
	t, err := template.Compile(load.Spec.Template.Raw)
	if err != nil {
		return nil, err
	}
	first, err := t.Object(0)
	if err != nil {
		return nil, err
	}
	if n := first.GetNamespace(); n != "" && n != load.Namespace {
		return nil, fmt.Errorf("the template names the namespace %s; a Load acts in its own", n)
	}
	kind := first.GroupVersionKind()
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, fmt.Errorf("finding the resource of %s %s: %w", first.GetAPIVersion(), first.GetKind(), err)
	}
	resource, err := objects.InNamespace(client, mapping, load.Namespace, servesCluster)
	if err != nil {
		return nil, err
	}
	return &run{spec: load.Spec, template: t, objects: resource, status: v1alpha1.LoadStatus{Phase: v1alpha1.LoadRunning}}, nil
}

// do carries the Load out. It returns when the Load is done or has failed, or when the
// context has ended. The first error ends the Load.
func (r *run) do(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	began := time.Now()
	numbers, workers := make(chan int), 1
	if r.spec.Action == v1alpha1.LoadCreate {
		workers = creators
	}
	var working sync.WaitGroup
	for range workers {
		working.Go(func() { r.work(ctx, numbers, stop) })
	}
	r.deal(ctx, numbers)
	close(numbers)
	working.Wait()

	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.TookMs = time.Since(began).Milliseconds()
	if r.status.Phase == v1alpha1.LoadRunning && r.status.Done == r.spec.Count {
		r.status.Phase = v1alpha1.LoadDone
	}
}

// work carries out the requests of these numbers, one after the other. If one fails, it calls
// stop, and ends.
func (r *run) work(ctx context.Context, numbers <-chan int, stop func()) {
	for i := range numbers {
		sent := time.Now()
		if err := r.one(ctx, i); err != nil {
			r.fail(err)
			stop()
			return
		}
		r.mu.Lock()
		r.status.Done++
		r.mu.Unlock()
		r.rest(ctx, time.Since(sent))
	}
}

// deal distributes the numbers, at the Load's pace.
func (r *run) deal(ctx context.Context, numbers chan<- int) {
	var pace flowcontrol.RateLimiter
	if r.spec.PerSecond > 0 {
		pace = flowcontrol.NewTokenBucketRateLimiter(float32(r.spec.PerSecond), 1)
	}
	for i := range int(r.spec.Count) {
		if pace != nil && pace.Wait(ctx) != nil {
			return
		}
		select {
		case numbers <- i:
		case <-ctx.Done():
			return
		}
	}
}

// rest waits after an edit that took this long, according to the Load's duty cycle.
func (r *run) rest(ctx context.Context, took time.Duration) {
	percent := time.Duration(r.spec.DutyCyclePercent)
	if percent == 0 {
		return
	}
	timer := time.NewTimer(took * (100 - percent) / percent)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// one makes the i-th object or edit. Its error names the object.
func (r *run) one(ctx context.Context, i int) error {
	object, err := r.template.Object(i)
	if err != nil {
		return err
	}
	if r.spec.Action == v1alpha1.LoadEdit {
		return r.edit(ctx, i, object)
	}
	object.SetName(fmt.Sprintf("%s-%d", object.GetName(), i))
	if _, err := r.objects.Create(ctx, object, metav1.CreateOptions{FieldManager: fieldManager}); err != nil {
		return fmt.Errorf("creating %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

func (r *run) edit(ctx context.Context, i int, object *unstructured.Unstructured) error {
	patch, err := json.Marshal(object)
	if err == nil {
		_, err = r.objects.Patch(ctx, object.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: fieldManager})
	}
	if err != nil {
		return fmt.Errorf("making edit %d of %s %s: %w", i, object.GetKind(), object.GetName(), err)
	}
	return nil
}

// fail ends the Load with its first error.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status.Phase == v1alpha1.LoadRunning {
		r.status.Phase, r.status.Message = v1alpha1.LoadFailed, err.Error()
	}
}

// now returns the current status.
func (r *run) now() v1alpha1.LoadStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}
