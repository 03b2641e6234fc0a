package proxy_test

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// TestTokensAreTheProxys: the token of a replica is valid only at its own proxy.
func TestTokensAreTheProxys(t *testing.T) {
	s, other := newSubject(t, true, everything), newSubject(t, true, everything)
	shown, token := s.config.BearerToken, s.direct.BearerToken
	if shown == token {
		t.Fatal("the replica has the token that the API server takes")
	}
	claims := func(token string) string { return token[:strings.LastIndexByte(token, '.')] }
	if claims(shown) != claims(token) || len(shown) != len(token) {
		t.Errorf("it does not say the same: %d and %d bytes", len(shown), len(token))
	}
	list := func(config *rest.Config, token string) error {
		config = rest.CopyConfig(config)
		config.BearerToken = token
		_, err := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps(s.own).List(t.Context(), metav1.ListOptions{})
		return err
	}
	if err := list(s.config, shown); err != nil {
		t.Errorf("at its proxy: %v", err)
	}
	for place, config := range map[string]*rest.Config{"the API server": s.direct, "another's proxy": other.config} {
		if err := list(config, shown); !apierrors.IsUnauthorized(err) {
			t.Errorf("at %s: %v, want Unauthorized", place, err)
		}
	}
	second, err := s.Issue(token)
	if err != nil {
		t.Fatal(err)
	}
	s.Revoke(shown)
	if err := list(s.config, shown); !apierrors.IsUnauthorized(err) {
		t.Errorf("revoked: %v, want Unauthorized", err)
	}
	if err := list(s.config, second); err != nil {
		t.Errorf("the next token: %v", err)
	}
	if _, err := s.Issue("no token of this kind"); err == nil {
		t.Error("took a token without a signature")
	}
}
