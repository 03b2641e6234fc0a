package discover

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/discover/visit"
	"reconform.dev/reconform/internal/runner"
)

// look looks at the controller. If the controller turns out to live in another namespace,
// it looks once more.
func (i *initiation) look(ctx context.Context, dir string) (*infer.Record, error) {
	for {
		record, err := i.lookOnce(ctx, dir)
		var (
			elsewhere *visit.Elsewhere
			atHome    *visit.AtHome
			barred    *visit.Barred
			fruitless *visit.Fruitless
		)
		switch {
		case errors.As(err, &barred) && !slices.Contains(i.place.ClusterWrites, barred.Resources[0]):
			i.Console.Printf("%v: looking again, with --cluster-writes %s", err, strings.Join(barred.Resources, " --cluster-writes "))
			i.place.ClusterWrites = append(slices.Clone(i.place.ClusterWrites), barred.Resources...)
		case errors.As(err, &elsewhere) && i.place.Lease == nil:
			i.Console.Printf("%v, which all scenarios would share: looking again. If a flag names the namespace, give it {{ .namespace }}", err)
			i.place.Lease = &elsewhere.Lease
		case errors.As(err, &atHome) && !i.place.AtHome:
			i.Console.Printf("%v: looking again, with both in one. If a flag names what it serves, give it {{ .served }}", err)
			i.place.AtHome = true
		case errors.As(err, &fruitless):
			return nil, &Failure{fmt.Errorf("looking at %s: %w", i.Command[0], err)}
		default:
			return record, err
		}
	}
}

func (i *initiation) lookOnce(ctx context.Context, dir string) (*infer.Record, error) {
	p, err := i.given.Draft(i.place)
	if err != nil {
		return nil, err
	}
	launch, err := p.LaunchNotes()
	if err != nil {
		return nil, err
	}
	for _, note := range slices.Concat(i.given.Notes, p.Notes(), launch) {
		i.tell(note)
	}
	plan := i.given.Plan(p, i.Console)
	plan.Until = i.until
	// Each look has a log of its own: that of the one before is about another start.
	own, err := os.MkdirTemp(dir, "look-")
	if err != nil {
		return nil, &Failure{fmt.Errorf("making a folder for a look: %w", err)}
	}
	return lookAt(ctx, plan, runner.SessionOptions{
		Profile: p, Kubernetes: i.Kubernetes, Dir: own, TimeoutScale: 1, Console: i.Console, Unconfined: i.Unconfined,
	})
}

// lookAt looks at a controller, on a bench of its own.
func lookAt(ctx context.Context, plan visit.Plan, options runner.SessionOptions) (_ *infer.Record, err error) {
	session, err := openBefore(ctx, plan.Until, options)
	if err != nil {
		return nil, &Failure{err}
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	record, err := visit.Look(ctx, session, plan)
	var (
		refused   *visit.Refused
		elsewhere *visit.Elsewhere
		atHome    *visit.AtHome
		barred    *visit.Barred
		fruitless *visit.Fruitless
	)
	if err == nil || errors.As(err, &refused) || errors.As(err, &barred) || errors.As(err, &elsewhere) || errors.As(err, &atHome) || errors.As(err, &fruitless) {
		return record, err
	}
	return nil, &Failure{err}
}

// openBefore opens a session, and gives up at a time. The zero time is no limit.
func openBefore(ctx context.Context, until time.Time, options runner.SessionOptions) (*runner.Session, error) {
	if until.IsZero() {
		return runner.OpenSession(ctx, options)
	}
	// What it starts lives as long as the context. So that must not have a deadline.
	opening, giveUp := context.WithCancel(ctx)
	late := time.AfterFunc(time.Until(until), giveUp)
	session, err := runner.OpenSession(opening, options)
	if late.Stop() {
		return session, err
	}
	if err == nil {
		err = session.Close(ctx)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	return nil, errors.New("the time of --max-time was over before the control plane and the bench were ready: give it more")
}
