package traffic

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

// Controller serves Traffic.
type Controller struct {
	// Recorder has the subjects' requests.
	Recorder *history.Recorder
	// Subjects knows which Subject runs in which namespace.
	Subjects subject.Subjects
	// Times returns the times of the profile of the Subject in a namespace. Its claims
	// contain the resync period, and the requests that never count.
	Times func(namespace string) expectation.Times
	// Workload returns the resource of the Deployments in a namespace, or of what is made
	// instead, as plural.group.
	Workload func(namespace string) string
	// Statuses returns how many statuses an Observation has seen so far.
	Statuses func(observation types.NamespacedName) (int64, error)
	// JobRuns tells whether a Job in a namespace has not ended yet.
	JobRuns func(ctx context.Context, namespace string) (bool, error)

	mu   sync.Mutex
	open map[types.NamespacedName]*measurement
}

// SetupWithManager registers the controller.
func (c *Controller) SetupWithManager(mgr ctrl.Manager, admission *objects.Admission) error {
	c.open = map[types.NamespacedName]*measurement{}
	return objects.Serve(mgr, admission, &v1alpha1.Traffic{}, c, objects.Options{})
}

// Check says why the window of a Traffic can never open.
func (c *Controller) Check(_ context.Context, traffic *v1alpha1.Traffic) error {
	_, err := c.prepare(traffic)
	return err
}

// Admit opens the window of a Traffic, or prepares to open it.
func (c *Controller) Admit(_ context.Context, traffic *v1alpha1.Traffic) error {
	m, err := c.prepare(traffic)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.open[client.ObjectKeyFromObject(traffic)] = m
	c.mu.Unlock()
	m.step(time.Now(), c.Recorder, c.Subjects.Running(traffic.Namespace))
	return nil
}

// prepare returns the measurement of a Traffic, whose limits can be computed.
func (c *Controller) prepare(traffic *v1alpha1.Traffic) (*measurement, error) {
	m, err := c.begin(traffic)
	if err != nil {
		return nil, err
	}
	if _, err := c.limits(m); err != nil {
		return nil, err
	}
	return m, nil
}

// Advance continues a measurement, and judges it when it is done.
func (c *Controller) Advance(ctx context.Context, traffic *v1alpha1.Traffic) (time.Duration, error) {
	if isDone(traffic.Status.Phase) {
		return 0, nil
	}
	m, err := c.measurement(traffic)
	if err != nil {
		traffic.Status.Verdict, traffic.Status.Message = v1alpha1.JudgementInvalid, err.Error()
		return 0, nil
	}
	if err := c.watchJobs(ctx, m); err != nil {
		return 0, err
	}
	status, next := m.step(time.Now(), c.Recorder, c.Subjects.Running(traffic.Namespace))
	if status.Verdict == "" {
		status.Verdict = v1alpha1.JudgementPending
	}
	if isDone(status.Phase) {
		limits, err := c.limits(m)
		if err != nil {
			status.Verdict, status.Message = v1alpha1.JudgementInvalid, err.Error()
		} else {
			c.judge(traffic, m, &status, limits)
		}
	}
	traffic.Status = status
	return next, nil
}

// watchJobs notes whether a Job that the subject made runs. What the subject writes at its end is
// due, so a window that counts its changes at rest opens after that. But a Job may run for ever, so
// the subject keeps half of its time to become quiet.
func (c *Controller) watchJobs(ctx context.Context, m *measurement) error {
	now := time.Now()
	made := func(r history.Request) bool { return r.Effect == history.EffectEffective }
	query := history.Query{
		Scenario: m.namespace, Match: v1alpha1.RequestMatch{Verbs: []string{history.VerbCreate}, Resources: []string{"jobs.batch"}},
	}
	if !m.countsAtRest() || now.Sub(m.created) > (m.patience-m.quiet)/2 || !slices.ContainsFunc(c.Recorder.Requests(query), made) {
		return nil
	}
	runs, err := c.JobRuns(ctx, m.namespace)
	if err == nil && runs {
		m.jobRan(now)
	}
	return err
}

// judge judges a finished measurement, with and without the requests that the profile
// exempts.
func (c *Controller) judge(traffic *v1alpha1.Traffic, m *measurement, status *v1alpha1.TrafficStatus, l limits) {
	found := m.judge(*status, m.pauses, l)
	if m.withoutDue != nil && found.verdict == v1alpha1.JudgementNotMet {
		if others := m.judge(*m.withoutDue, m.pauses, l); others.verdict == v1alpha1.JudgementMet {
			found = others
		}
	}
	status.Verdict, status.Message, status.Proved = found.verdict, found.message, found.proved
	if m.whole == nil || found.verdict != v1alpha1.JudgementMet {
		return
	}
	if whole := m.judge(*m.whole, nil, l); whole.verdict == v1alpha1.JudgementNotMet {
		status.Exempted = whole.message
		c.Recorder.Event(history.Event{
			Scenario: traffic.Namespace, Object: "Traffic/" + traffic.Name, Reason: history.Exempted, Message: whole.message,
		})
	}
}

// Remove forgets a measurement.
func (c *Controller) Remove(key types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, key)
}

func isDone(phase v1alpha1.TrafficPhase) bool {
	return phase == v1alpha1.TrafficComplete || phase == v1alpha1.TrafficNeverQuiet
}

// measurement returns the measurement of the Traffic. It makes one if there is none.
func (c *Controller) measurement(traffic *v1alpha1.Traffic) (*measurement, error) {
	key := client.ObjectKeyFromObject(traffic)
	if m := c.find(key); m != nil && m.uid == traffic.UID {
		return m, nil
	}
	m, err := c.begin(traffic)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[key] = m
	return m, nil
}

// find returns the measurement of a Traffic, or nil.
func (c *Controller) find(key types.NamespacedName) *measurement {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[key]
}

// LongestPause returns the longest pause between two requests in a complete Traffic. The
// error says why there is none.
func (c *Controller) LongestPause(key types.NamespacedName) (time.Duration, error) {
	m := c.find(key)
	if _, ok := m.result(); !ok {
		return 0, fmt.Errorf("there is no Traffic %s that is complete", key.Name)
	}
	if len(m.pauses) == 0 {
		return 0, fmt.Errorf("the Traffic %s has no two requests, and so no pause", key.Name)
	}
	return time.Duration(slices.Max(m.pauses)) * time.Millisecond, nil
}
