package runner

import (
	"context"
	"errors"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// RunAll carries out the plans of several implementations at the same time, once, on one
// control plane. It returns the results of each by its name. Every scenario is judged as in
// its own run, but there is no preflight: if a controller does not start, its scenarios say
// so. The options Profile, Repeat and Keep are ignored. There are no reports except the
// history and the logs. What two implementations install must be the same, except their
// roles.
func RunAll(ctx context.Context, implementations []*Implementation, options Options) (_ map[string][]v1alpha1.Result, err error) {
	options.Repeat, options.Keep = 1, false
	if err := options.Validate(); err != nil {
		return nil, err
	}
	if err := checkNames(implementations); err != nil {
		return nil, err
	}
	r, err := start(ctx, implementations, &options)
	if err != nil {
		return nil, err
	}
	r.accuse = func(v1alpha1.Result) {} // some are expected to fail
	defer func() { err = errors.Join(err, r.session.Close(ctx)) }()
	if err := r.checkPods(ctx); err != nil {
		return nil, err
	}
	return r.once(ctx)
}

// once runs all scenarios once, and returns the results by the names of the
// implementations.
func (r *run) once(ctx context.Context) (map[string][]v1alpha1.Result, error) {
	r.options.Console.Phase("running the scenarios")
	found, err := r.round(ctx, 1)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	r.options.Console.Done("scenarios ran")
	results := map[string][]v1alpha1.Result{}
	for _, i := range r.implementations {
		results[i.Name] = append(found[i], i.Plan.Skipped...)
		i.Plan.sort(results[i.Name])
	}
	return results, nil
}
