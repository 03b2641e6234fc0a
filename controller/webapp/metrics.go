package webapp

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/controller/api/v1beta1"
)

// totals counts the reconciles of WebApps by result.
type totals struct {
	success, failure prometheus.Counter
}

func newTotals(registry prometheus.Registerer) (totals, error) {
	byResult := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "webapp_reconcile_total",
		Help: "Number of reconciles of existing WebApps, by result.",
	}, []string{"result"})
	if err := registry.Register(byResult); err != nil {
		return totals{}, err
	}
	return totals{success: byResult.WithLabelValues("success"), failure: byResult.WithLabelValues("error")}, nil
}

func (t totals) count(err error) {
	if err != nil {
		t.failure.Inc()
		return
	}
	t.success.Inc()
}

// scrapeTimeout bounds the wait for a cache that has not synced.
const scrapeTimeout = time.Second

// managed counts the WebApps in the cache by phase at each scrape. It stores no
// numbers, so they cannot become outdated.
type managed struct {
	cache client.Reader
	desc  *prometheus.Desc
}

func newManaged(cache client.Reader) managed {
	return managed{cache: cache, desc: prometheus.NewDesc("webapp_managed", "Number of WebApps, by phase.", []string{"phase"}, nil)}
}

// Describe implements prometheus.Collector.
func (m managed) Describe(ch chan<- *prometheus.Desc) { ch <- m.desc }

// Collect implements prometheus.Collector.
func (m managed) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	var apps v1beta1.WebAppList
	if err := m.cache.List(ctx, &apps, client.UnsafeDisableDeepCopy); err != nil {
		return // Not synced yet. With an error all other metrics would be missing, too.
	}
	count := map[v1beta1.Phase]int{
		v1beta1.PhasePending:   0,
		v1beta1.PhaseDeploying: 0,
		v1beta1.PhaseRunning:   0,
		v1beta1.PhaseDegraded:  0,
	}
	for i := range apps.Items {
		phase := apps.Items[i].Status.Phase
		if phase == "" {
			phase = v1beta1.PhasePending
		}
		count[phase]++
	}
	for phase, n := range count {
		ch <- prometheus.MustNewConstMetric(m.desc, prometheus.GaugeValue, float64(n), string(phase))
	}
}
