package invariant

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// Monitor checks a Subject against the rules while it runs.
type Monitor struct {
	recorder *history.Recorder
	contract Contract
	scenario string
	after    int64
	changed  func()

	news   chan struct{}
	stop   chan struct{}
	stopOn sync.Once
	done   chan struct{}

	mu         sync.Mutex
	violations []v1alpha1.Violation
}

// How often the rules are checked at most: every half second, or less often if the history
// is long, so that checking takes at most a twentieth of a core.
const (
	shortestPause = 500 * time.Millisecond
	pausePerCost  = 20
)

// Watch checks a scenario against the rules from now on. What was recorded up to the
// number after accuses nobody. When the violations have changed, Watch calls changed from
// a separate goroutine.
func Watch(recorder *history.Recorder, contract Contract, scenario string, after int64, changed func()) *Monitor {
	m := &Monitor{
		recorder: recorder, contract: contract, scenario: scenario, after: after, changed: changed,
		news: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	cancel := recorder.Subscribe(func(changed string) {
		if changed != scenario {
			return
		}
		select {
		case m.news <- struct{}{}:
		default:
		}
	})
	go func() {
		defer close(m.done)
		defer cancel()
		m.run()
	}()
	return m
}

// Violations returns the violations that are known now.
func (m *Monitor) Violations() []v1alpha1.Violation {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.violations
}

// Stop ends the checks. The violations stay available.
func (m *Monitor) Stop() {
	m.stopOn.Do(func() { close(m.stop) })
	<-m.done
}

func (m *Monitor) run() {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for await(pause.C, m.stop) && await(m.news, m.stop) {
		began := time.Now()
		m.check()
		pause.Reset(max(shortestPause, pausePerCost*time.Since(began)))
	}
}

// await waits for something. It returns false if stop came first.
func await[T any](something <-chan T, stop <-chan struct{}) bool {
	select {
	case <-something:
		return true
	case <-stop:
		return false
	}
}

func (m *Monitor) check() {
	record := NewView(m.contract, m.recorder.Account(m.scenario))
	record.After = m.after
	found := Check(record)
	m.mu.Lock()
	same := equality.Semantic.DeepEqual(found, m.violations)
	m.violations = found
	m.mu.Unlock()
	if !same {
		m.changed()
	}
}
