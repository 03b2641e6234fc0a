package explore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// Recording is an operation as it went without a disturbance.
type Recording struct {
	Operation
	// Undisturbed is the outcome, with its masks.
	Undisturbed v1alpha1.TrialUndisturbed
	// Writes of the controller after the last step, in order.
	Writes []Write
	// Reads are its live reads after the last step, in order.
	Reads []Read
	// Watches are the resources that it watched.
	Watches []string
	// Plans of the operation, in all shards.
	Plans int `json:",omitempty"`
	// Idle is true if the controller writes nothing after the operation, which was to be disturbed.
	Idle bool `json:",omitempty"`
	// Bystander says whether it wrote an object that looks like a child and is somebody else's.
	Bystander bool `json:",omitempty"`
}

// recorder records operations.
type recorder struct {
	*place
	target   *Target
	parallel int
	until    time.Time // when no operation is recorded any more; zero: never

	mu        sync.Mutex
	resources []string // of the outcome

	restless []*restless // operations after which the controller does not come to rest
}

// known returns the resources of the outcome that are known by now.
func (r *recorder) known() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.resources)
}

// hasTimeFor says whether there is time to record for so long.
func (r *recorder) hasTimeFor(long time.Duration) bool {
	return r.until.IsZero() || time.Now().Add(long).Before(r.until)
}

// forget keeps only those resources of the outcome that were known first, as many as known
// says. It returns the others.
func (r *recorder) forget(known int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	late := slices.Clone(r.resources[known:])
	r.resources = r.resources[:known]
	return late
}

// without leaves the objects of some resources out of the outcome.
func (r *Recording) without(resources []string) error {
	outcome := map[string]any{}
	if err := json.Unmarshal([]byte(r.Undisturbed.Objects), &outcome); err != nil {
		return fmt.Errorf("reading an outcome: %w", err)
	}
	maps.DeleteFunc(outcome, func(object string, _ any) bool {
		resource, _, _ := strings.Cut(object, " ")
		return slices.Contains(resources, resource)
	})
	data, err := json.Marshal(outcome)
	if err != nil {
		return fmt.Errorf("encoding an outcome: %w", err)
	}
	r.Undisturbed.Objects = string(data)
	r.Undisturbed.Masks = slices.DeleteFunc(r.Undisturbed.Masks, func(m v1alpha1.TrialMask) bool {
		return slices.Contains(resources, resourceIn(m.Object))
	})
	return nil
}

// unfit says why a controller, or its profile, cannot be explored.
type unfit struct{ error }

func (e unfit) Unwrap() error { return e.error }

// begin finds out what the controller writes for the sample, and which children it makes.
func (r *recorder) begin(ctx context.Context) ([]child, error) {
	create, err := r.target.creation()
	if err != nil {
		return nil, err
	}
	r.resources = []string{r.target.Resource}
	first, err := r.once(ctx, create, nil)
	if err != nil {
		return nil, err
	}
	if first.unrest() != nil {
		return nil, unrestedCreation(first)
	}
	account := r.session.Recorder.Account(first.namespace)
	r.learn(account)
	var children []child
	names := history.GeneratedIn(account.Requests)
	for _, q := range account.Requests {
		if q.Verb != history.VerbCreate || q.Effect != history.EffectEffective || q.Name == "" || q.Subresource != "" || !r.counts(q) {
			continue
		}
		if c := (child{q.GroupResource().String(), names.Name(q)}); !slices.Contains(children, c) && !slices.Contains(first.Deletions, c.resource+" "+c.name) {
			children = append(children, c)
		}
	}
	if len(work(account.Requests, first.After, nil)) == 0 {
		return nil, unfit{fmt.Errorf("the controller changed nothing after %s %s was created; its requests were: %s",
			r.target.Sample.GetKind(), r.target.Sample.GetName(), summary(account.Requests))}
	}
	return children, nil
}

// counts says whether a request is about an object that can be part of an outcome.
func (r *recorder) counts(q history.Request) bool {
	return history.Matches(v1alpha1.RequestMatch{}, q) &&
		(q.Namespace == q.Scenario || q.Namespace == "" && r.target.Profile.ServesCluster())
}

// learn adds the resources that the controller wrote to those of the outcome.
func (r *recorder) learn(account history.Account) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range account.Requests {
		name := q.GroupResource().String()
		if q.IsWrite() && q.Effect == history.EffectEffective && r.counts(q) && !slices.Contains(r.resources, name) {
			r.resources = append(r.resources, name)
		}
	}
}

// once carries out an operation undisturbed. When all that is left is to wait for a resync of the
// controller, it calls waits once, unless that is nil.
func (r *recorder) once(ctx context.Context, o Operation, waits func()) (*tried, error) {
	var differs func([]v1alpha1.Divergence)
	if waits != nil {
		differs = func([]v1alpha1.Divergence) { waits() }
	}
	found, err := r.try(ctx, r.target, v1alpha1.TrialSpec{Operations: o.Steps, Resources: r.known(), Within: recordWithin()}, o.Elects, differs)
	switch {
	case err != nil:
		return nil, notRecorded(o, err)
	case found.Verdict == v1alpha1.JudgementMet:
		return found, nil
	case found.Verdict == v1alpha1.JudgementNotMet:
		return found, nil // see checkRest; harm without a disturbance is what the suite judges, and no divergence
	}
	return nil, &failed{fmt.Errorf("%s, undisturbed: %s", o.Name, found.Message)}
}

// notRecorded says why an operation could not be recorded. If the API server refuses the sample itself,
// nothing can be explored. It may refuse another object, such as one with all edits in it.
func notRecorded(o Operation, err error) error {
	var no refused
	switch {
	case errors.As(err, &no) && o.Name == "create":
		return unfit{fmt.Errorf("%s: %w", o.Name, err)}
	case errors.As(err, &no):
		return &failed{fmt.Errorf("%s: %w", o.Name, err)}
	}
	return fmt.Errorf("recording %s: %w", o.Name, err)
}

// failed is the error of an operation that could not be recorded.
type failed struct{ error }

func (e *failed) Unwrap() error { return e.error }

// record records an operation: twice, and a third time if the two differ. When both runs only
// wait, it calls waits, so that another operation may begin.
func (r *recorder) record(ctx context.Context, o Operation, at *places, waits func()) (*Recording, error) {
	var running sync.WaitGroup
	var waiting atomic.Int32
	runs, errs := make([]*tried, 2), make([]error, 2)
	one := func(i int) {
		place := at.take(ctx)
		if place == nil {
			errs[i] = ctx.Err()
			return
		}
		defer place.end()
		if errs[i] = ctx.Err(); errs[i] != nil {
			return
		}
		runs[i], errs[i] = r.once(ctx, o, func() {
			if place.wait() && waiting.Add(1) == 2 {
				waits()
			}
		})
	}
	for i := range runs {
		running.Go(func() { one(i) })
	}
	running.Wait()
	if err := cmp.Or(errs[0], errs[1]); err != nil {
		return nil, err
	}
	if err := checkRest(o, runs); err != nil {
		return nil, err
	}
	if runs[0].Outcome != runs[1].Outcome {
		runs, errs = append(runs, nil), append(errs, nil)
		if one(2); errs[2] != nil {
			return nil, errs[2]
		}
		if err := checkRest(o, runs); err != nil {
			return nil, err
		}
	}
	return r.recorded(o, runs)
}

// recorded makes a recording of several runs of one operation.
func (r *recorder) recorded(o Operation, runs []*tried) (*Recording, error) {
	recording := &Recording{Operation: o}
	var err error
	if recording.Undisturbed, err = undisturbed(runs); err != nil {
		return nil, err
	}
	// The writes of the run with the fewest come in every run.
	var fewest []Write
	for i, run := range runs {
		account := r.session.Recorder.Account(run.namespace)
		r.learn(account)
		writes := work(account.Requests, run.After, recording.Undisturbed.Masks)
		if i == 0 || len(writes) < len(fewest) {
			fewest = writes
		}
		for _, read := range reads(account.Requests, run.After) {
			if !slices.Contains(recording.Reads, read) {
				recording.Reads = append(recording.Reads, read)
			}
		}
		for _, q := range account.Requests {
			name := q.GroupResource().String()
			if q.Verb == history.VerbWatch && q.Succeeded() && !q.IsEvent() && !q.IsElection() && !slices.Contains(recording.Watches, name) {
				recording.Watches = append(recording.Watches, name)
			}
		}
		recording.Bystander = recording.Bystander || writesBystander(account.Requests)
		recording.Undisturbed.Writes = max(recording.Undisturbed.Writes, run.Writes)
	}
	recording.Writes = fewest
	slices.Sort(recording.Watches)
	return recording, nil
}

// recordAll records operations side by side. It also returns, in words, which could not be
// recorded, and why.
func (r *recorder) recordAll(ctx context.Context, operations []Operation) ([]*Recording, []string, error) {
	recordings, errs := make([]*Recording, len(operations)), make([]error, len(operations))
	at := newPlaces(r.parallel)
	// Each operation has two runs. They begin in order: if the time is short, the first ones
	// are recorded, and not a part of each.
	turns := make(chan struct{}, (r.parallel+1)/2)
	var running sync.WaitGroup
	limited, cancel := r.limited(ctx)
	defer cancel()
	for i, o := range operations {
		turns <- struct{}{}
		next := sync.OnceFunc(func() { <-turns })
		running.Go(func() {
			defer next()
			recordings[i], errs[i] = r.record(limited, o, at, next)
		})
	}
	running.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var all []*Recording
	var left []string
	for i, err := range errs {
		var no *failed
		var wild *restless
		switch {
		case errors.As(err, &wild):
			r.restless = append(r.restless, wild)
			left = append(left, err.Error())
		case errors.As(err, &no):
			left = append(left, err.Error())
		case err != nil && limited.Err() != nil:
			left = append(left, operations[i].Name+": the budget is too small to record it")
		case err != nil:
			return nil, nil, err
		default:
			all = append(all, recordings[i])
		}
	}
	return all, left, nil
}

// limited returns a context that ends when no operation is recorded any more.
func (r *recorder) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.until.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, r.until)
}

// summary says in short what was asked for.
func summary(requests []history.Request) string {
	var words []string
	for _, q := range requests {
		text := strings.TrimSpace(q.Verb + " " + q.Resource)
		if q.Resource != "" && !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}
