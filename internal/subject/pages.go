package subject

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"reconform.dev/reconform/internal/history"
)

// pageTimeout bounds how long a page may take: it is worth a glance only.
const pageTimeout = time.Second

// notePages notes which of the usual pages a replica serves, on any port that it was
// given.
func (r *replica) notePages(ctx context.Context) {
	client := &http.Client{Timeout: pageTimeout, Transport: &http.Transport{DialContext: r.dial, DisableKeepAlives: true}}
	for name, port := range r.ports {
		for _, path := range []string{history.MetricsPage, history.HealthPage} {
			url := fmt.Sprintf("http://127.0.0.1:%d%s", port, path)
			if serves(ctx, client, url) {
				r.record(history.Event{Reason: history.PageServed, Object: path, Message: path + " on its port " + name})
			}
		}
	}
}

func serves(ctx context.Context, client *http.Client, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}
