package fault

import (
	"errors"
	"net/http"

	"reconform.dev/reconform/internal/record/proxy"
)

// disconnect cuts a request off before the API server sees it.
type disconnect struct{}

var errDisconnected = errors.New("a fault cut the request off")

func (disconnect) act(h *hit, _ proxy.Next) (*http.Response, error) {
	return nil, h.cut(errDisconnected)
}
