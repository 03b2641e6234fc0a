package proxy_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// The proxy's cost, as a ratio to requests without it in the same run, so that the
// speed of the machine matters less.
//
//	go test ./internal/record/proxy -run '^$' -bench .

// costs are the requests that controllers make.
var costs = []struct {
	name string
	do   func(context.Context, corev1client.ConfigMapInterface, int64) error
}{
	{"get", func(ctx context.Context, c corev1client.ConfigMapInterface, _ int64) error {
		_, err := c.Get(ctx, "c-1", metav1.GetOptions{})
		return err
	}},
	{"list", func(ctx context.Context, c corev1client.ConfigMapInterface, _ int64) error {
		_, err := c.List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		return err
	}},
	{"patch", func(ctx context.Context, c corev1client.ConfigMapInterface, n int64) error {
		patch := fmt.Appendf(nil, `{"data":{"n":"%d"}}`, n)
		_, err := c.Patch(ctx, fmt.Sprintf("c-%d", n%100), types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}},
}

// BenchmarkLatency of one request after the other.
func BenchmarkLatency(b *testing.B) {
	direct, proxied := benchClients(b)
	for _, cost := range costs {
		b.Run(cost.name, func(b *testing.B) {
			var n atomic.Int64
			took := func(client corev1client.ConfigMapInterface) time.Duration {
				start := time.Now()
				if err := cost.do(b.Context(), client, n.Add(1)); err != nil {
					b.Fatal(err)
				}
				return time.Since(start)
			}
			var directly, through time.Duration
			rounds := 0
			for b.Loop() {
				directly += took(direct)
				through += took(proxied)
				rounds++
			}
			b.ReportMetric(float64(directly.Microseconds())/float64(rounds), "direct-µs")
			b.ReportMetric(float64(through.Microseconds())/float64(rounds), "proxied-µs")
			b.ReportMetric(float64(through)/float64(directly), "proxied/direct")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkThroughput of sixteen clients at once.
func BenchmarkThroughput(b *testing.B) {
	direct, proxied := benchClients(b)
	for _, cost := range costs {
		b.Run(cost.name, func(b *testing.B) {
			var n atomic.Int64
			took := func(client corev1client.ConfigMapInterface) time.Duration {
				start := time.Now()
				var clients sync.WaitGroup
				for range 16 {
					clients.Go(func() {
						for range 5 {
							if err := cost.do(b.Context(), client, n.Add(1)); err != nil {
								b.Error(err)
							}
						}
					})
				}
				clients.Wait()
				return time.Since(start)
			}
			var directly, through time.Duration
			requests := 0
			for b.Loop() {
				directly += took(direct)
				through += took(proxied)
				requests += 16 * 5
			}
			b.ReportMetric(float64(requests)/directly.Seconds(), "direct/s")
			b.ReportMetric(float64(requests)/through.Seconds(), "proxied/s")
			b.ReportMetric(directly.Seconds()/through.Seconds(), "proxied/direct")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// benchClients lead to the same 100 ConfigMaps. Both ask for JSON, as the choice of
// JSON is the bench's, and not a cost of the proxy.
func benchClients(b *testing.B) (direct, proxied corev1client.ConfigMapInterface) {
	b.Helper()
	s := newSubject(b, true, everything)
	for i := range 100 {
		_, err := s.admin.CoreV1().ConfigMaps(s.own).Create(b.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c-%d", i)}, Data: map[string]string{"key": "value"},
		}, metav1.CreateOptions{})
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, config := range []*rest.Config{s.direct, s.config} {
		config.AcceptContentTypes = runtime.ContentTypeJSON
	}
	return kubernetes.NewForConfigOrDie(s.direct).CoreV1().ConfigMaps(s.own),
		kubernetes.NewForConfigOrDie(s.config).CoreV1().ConfigMaps(s.own)
}
