package proxy

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// tokens of a replica. The API server must not take those that the replica has: it would
// reach it past the proxy.
type tokens struct {
	mu sync.Mutex
	// real are the tokens that the API server takes, by those that the replica shows.
	real    map[string]string
	revoked map[string]bool
}

// Issue returns what the replica is to show in the place of a token. It says the same of
// the replica, and is good at this proxy only.
func (p *Proxy) Issue(token string) (shown string, err error) {
	if shown, err = resign(token); err != nil {
		return "", fmt.Errorf("making a token of the proxy's: %w", err)
	}
	p.tokens.mu.Lock()
	defer p.tokens.mu.Unlock()
	p.tokens.real[shown] = token
	return shown, nil
}

// Revoke has every request with a token refused from now on (401). Those that are open
// go on, as with an API server: it looks at a token once.
func (p *Proxy) Revoke(shown string) {
	p.tokens.mu.Lock()
	defer p.tokens.mu.Unlock()
	p.tokens.revoked[shown] = true
}

// resign replaces the signature of a JSON Web Token by one that nobody has made.
func resign(token string) (string, error) {
	end := strings.LastIndexByte(token, '.')
	if end < 0 {
		return "", errors.New("the token is no JSON Web Token: it has no signature")
	}
	random := make([]byte, base64.RawURLEncoding.DecodedLen(len(token[end+1:])))
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	return token[:end+1] + base64.RawURLEncoding.EncodeToString(random), nil
}

// refuses says whether a request came with a token that was revoked.
func (t *tokens) refuses(request *http.Request) bool {
	shown, ok := bearer(request.Header)
	t.mu.Lock()
	defer t.mu.Unlock()
	return ok && t.revoked[shown]
}

// exchange the token that the replica shows for the one that the API server takes. Any
// other stays: the replica may have asked for it.
func (t *tokens) exchange(header http.Header) {
	shown, ok := bearer(header)
	t.mu.Lock()
	defer t.mu.Unlock()
	if token, known := t.real[shown]; ok && known {
		header.Set("Authorization", "Bearer "+token)
	}
}

// bearer is the token of a request. The name of the scheme may be in any case (RFC 9110,
// 11.1), for the API server too: clients made from OpenAPI send "bearer".
func bearer(header http.Header) (token string, ok bool) {
	scheme, token, ok := strings.Cut(strings.TrimSpace(header.Get("Authorization")), " ")
	return strings.TrimSpace(token), ok && strings.EqualFold(scheme, "Bearer")
}

func unauthorized() metav1.Status {
	return metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnauthorized, Reason: metav1.StatusReasonUnauthorized,
		Message: "Unauthorized",
	}
}
