package proxy

import (
	"net/http"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// revoked are tokens that the API server may still take, and the proxy no longer does.
type revoked struct {
	mu     sync.Mutex
	tokens map[string]bool
}

// Revoke has every request with a token refused from now on (401). Those that are open
// go on, as with an API server: it looks at a token once.
func (p *Proxy) Revoke(token string) {
	p.revoked.mu.Lock()
	defer p.revoked.mu.Unlock()
	if p.revoked.tokens == nil {
		p.revoked.tokens = map[string]bool{}
	}
	p.revoked.tokens[token] = true
}

// refuses says whether a request came with a token that was revoked.
func (r *revoked) refuses(request *http.Request) bool {
	token, ok := strings.CutPrefix(request.Header.Get("Authorization"), "Bearer ")
	r.mu.Lock()
	defer r.mu.Unlock()
	return ok && r.tokens[token]
}

func unauthorized() metav1.Status {
	return metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnauthorized, Reason: metav1.StatusReasonUnauthorized,
		Message: "Unauthorized",
	}
}
