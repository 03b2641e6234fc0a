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

// tokens of a replica. The API server must not accept the tokens that the replica has,
// because the replica could then reach it without the proxy.
type tokens struct {
	mu sync.Mutex
	// real are the tokens that the API server accepts, by the tokens that the replica
	// shows.
	real    map[string]string
	revoked map[string]bool
}

// Issue returns the token that the replica shows instead of a real token. It says the same
// about the replica, but only this proxy accepts it.
func (p *Proxy) Issue(token string) (shown string, err error) {
	if shown, err = resign(token); err != nil {
		return "", fmt.Errorf("making a token of the proxy's: %w", err)
	}
	p.tokens.mu.Lock()
	defer p.tokens.mu.Unlock()
	p.tokens.real[shown] = token
	return shown, nil
}

// Revoke makes the proxy refuse (401) every later request with a token. Open requests go
// on, as they do with an API server, which checks a token once.
func (p *Proxy) Revoke(shown string) {
	p.tokens.mu.Lock()
	defer p.tokens.mu.Unlock()
	p.tokens.revoked[shown] = true
}

// resign replaces the signature of a JSON Web Token by random bytes.
func resign(token string) (string, error) {
	end := strings.LastIndexByte(token, '.')
	if end < 0 {
		return "", errors.New("the token is not a JSON Web Token: it has no signature")
	}
	random := make([]byte, base64.RawURLEncoding.DecodedLen(len(token[end+1:])))
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	return token[:end+1] + base64.RawURLEncoding.EncodeToString(random), nil
}

// refuses says whether a request has a token that was revoked.
func (t *tokens) refuses(request *http.Request) bool {
	shown, ok := bearer(request.Header)
	t.mu.Lock()
	defer t.mu.Unlock()
	return ok && t.revoked[shown]
}

// exchange replaces the token that the replica shows by the one that the API server
// accepts. Any other token stays: the replica may have asked the API server for it.
func (t *tokens) exchange(header http.Header) {
	shown, ok := bearer(header)
	t.mu.Lock()
	defer t.mu.Unlock()
	if token, known := t.real[shown]; ok && known {
		header.Set("Authorization", "Bearer "+token)
	}
}

// bearer returns the token of a request. The scheme's name may be in any case (RFC 9110,
// 11.1). The API server accepts that too, and clients made from OpenAPI send "bearer".
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
