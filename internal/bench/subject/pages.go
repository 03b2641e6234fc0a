package subject

import (
	"context"
	"net/http"
	"time"

	"reconform.dev/reconform/internal/record/history"
)

// pageTimeout limits how long a page may take. It is short because the pages are not
// important here.
const pageTimeout = time.Second

// notePages notes which of the usual pages a replica serves on any of the ports that it was
// given.
func (r *replica) notePages(ctx context.Context) {
	pages := r.pages(pageTimeout)
	for name, port := range r.ports {
		for _, path := range []string{history.MetricsPage, history.HealthPage} {
			if page, ok := pages.page(ctx, port, path); ok && page.Code == http.StatusOK {
				r.record(history.Event{Reason: history.PageServed, Object: path, Message: path + " on its port " + name})
			}
		}
	}
}
