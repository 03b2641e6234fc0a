package discover

import (
	"context"
	"errors"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/discover/visit"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/profile/strictyaml"
	"reconform.dev/reconform/internal/runner"
)

// Validate looks at the controller of a profile with a contract, and compares what it sees
// with the profile. The options need no profile and no folder. The error says what is wrong
// with the profile, or is a *[Failure]. What may be the controller's fault is returned, for
// scenarios to judge.
func Validate(ctx context.Context, p *profile.Profile, options runner.SessionOptions) (doubts []strictyaml.Problem, err error) {
	work, err := folder.Temporary("validate-")
	if err != nil {
		return nil, &Failure{err}
	}
	defer func() { err = work.Finish(err) }()
	options.Dir = work.Path()
	record, err := Look(ctx, p, options)
	var (
		fruitless *visit.Fruitless
		atHome    *visit.AtHome
	)
	switch {
	case errors.As(err, &atHome):
		return nil, profile.Join(p.ProblemAt("spec.install.inServedNamespace", err.Error()+": say true, or tell it what to serve ({{ .served }})"))
	case errors.As(err, &fruitless):
		return nil, unfit(p, fruitless)
	case err != nil:
		return nil, err
	}
	return Compare(p, record)
}

// Look does to the controller of a profile what Init does. The error is a *[Failure], or
// says what is wrong with the profile.
func Look(ctx context.Context, p *profile.Profile, options runner.SessionOptions) (*infer.Record, error) {
	options.Profile, options.TimeoutScale = p, 1
	plan, err := visit.PlanFor(p, options.Console)
	if err != nil {
		return nil, err
	}
	return lookAt(ctx, plan, options)
}

// Compare compares a profile with what was seen of its controller. The error says what is
// wrong with the profile. What may be the controller's fault is returned.
func Compare(p *profile.Profile, record *infer.Record) (doubts []strictyaml.Problem, err error) {
	differences, err := infer.Compare(p, record)
	if err != nil {
		return nil, err
	}
	var problems []strictyaml.Problem
	for _, d := range differences {
		problem := p.ProblemAt(d.Field, d.Text)
		if d.Judged {
			doubts = append(doubts, problem)
			continue
		}
		problems = append(problems, problem)
	}
	return doubts, profile.Join(problems...)
}

// unfit returns the error for a controller that showed nothing.
func unfit(p *profile.Profile, why *visit.Fruitless) error {
	if why.Lease != "" {
		return profile.Join(p.ProblemAt("spec.launch.leaderElection.lease", why.Lease), p.ProblemAt("spec.launch", why.Error()))
	}
	return profile.Join(p.ProblemAt("spec.launch", why.Error()))
}
