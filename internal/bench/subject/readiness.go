package subject

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const (
	probeWhileStarting = 50 * time.Millisecond
	probeWhileReady    = 500 * time.Millisecond
	probeTimeout       = 2 * time.Second
)

// probe keeps the replica's readiness and the number of its watches current while its
// process runs.
func (r *replica) probe(ctx context.Context) {
	client := r.pages(probeTimeout).client // like a kubelet, which has no token
	for {
		ready := r.isReady(ctx, client)
		watches := int32(len(r.env.Recorder.OpenWatches(r.subject.Namespace, r.name)))
		if ctx.Err() != nil {
			return
		}
		r.change(func(status *v1alpha1.ReplicaStatus) {
			status.Readyz = ready
			status.OpenWatches = watches
		})
		interval := probeWhileStarting
		if ready {
			interval = probeWhileReady
		}
		timer := time.NewTimer(interval)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// isReady asks the replica itself, if the profile says how. A replica that cannot be asked
// is ready as soon as it watches its primary resource.
func (r *replica) isReady(ctx context.Context, client *http.Client) bool {
	p := r.env.Profile(r.subject.Namespace)
	get := p.Spec.Launch.Ready.HTTPGet
	if get == nil {
		resource := p.Spec.Contract.Resource
		return r.env.Recorder.Watches(r.subject.Namespace, r.name, schema.GroupVersionResource{
			Group: resource.Group, Version: resource.Version, Resource: resource.Plural,
		})
	}
	url := fmt.Sprintf("%s://127.0.0.1:%d%s", cmp.Or(get.Scheme, "http"), r.ports[get.Port], get.Path)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10))
	return response.StatusCode == http.StatusOK
}
