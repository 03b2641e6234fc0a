package proxy_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

func TestMain(m *testing.M) {
	supervisor.Main()
	code := m.Run()
	if started {
		if cp, _ := controlPlane(); cp != nil {
			if err := cp.Stop(context.Background()); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	os.Exit(code)
}

var (
	started      bool
	controlPlane = sync.OnceValues(func() (*envtest.ControlPlane, error) {
		started = true
		return envtest.Start(context.Background(), envtest.Options{WithoutPods: true})
	})
)

// subject is a ServiceAccount with a proxy to a real API server.
type subject struct {
	*proxy.Proxy
	recorder *history.Recorder
	admin    kubernetes.Interface
	// namespaces made for it: the first two in scope, the last not.
	own, second, foreign string
	// config leads through the proxy, direct past it. Both are the subject's.
	config, direct *rest.Config
}

// everything that the tests' controller may do, across all namespaces.
var everything = []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}}

// newSubject sees two namespaces of three, or only one, if it is to be alone.
func newSubject(tb testing.TB, alone bool, rules []rbacv1.PolicyRule) *subject {
	tb.Helper()
	if testing.Short() {
		tb.Skip("starts a control plane")
	}
	cp, err := controlPlane()
	if err != nil {
		tb.Fatal(err)
	}
	ctx := tb.Context()
	upstream := cp.Config()
	upstream.QPS = -1
	s := &subject{admin: kubernetes.NewForConfigOrDie(upstream), recorder: history.New(nil, nil)}
	for _, name := range []*string{&s.own, &s.second, &s.foreign} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "proxy-"}}
		if namespace, err = s.admin.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
			tb.Fatal(err)
		}
		*name = namespace.Name
	}
	token := s.serviceAccount(tb, rules)

	authority, err := proxy.NewAuthority()
	if err != nil {
		tb.Fatal(err)
	}
	scope := proxy.Scope{Namespaces: []string{s.own}}
	if !alone {
		scope.Namespaces = append(scope.Namespaces, s.second)
	}
	s.Proxy, err = proxy.Start(ctx, proxy.Options{
		Authority: authority, Upstream: upstream, Scope: scope, User: "system:serviceaccount:" + s.own + ":subject",
		Scenario: s.own, Subject: "subject", Replica: "subject-0", Recorder: s.recorder,
	})
	if err != nil {
		tb.Fatal(err)
	}
	shown, err := s.Issue(token)
	if err != nil {
		tb.Fatal(err)
	}
	s.config = &rest.Config{
		Host: "https://" + s.Address(), BearerToken: shown, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAData: authority.Bundle()},
	}
	s.direct = rest.AnonymousClientConfig(upstream)
	s.direct.BearerToken = token
	return s
}

// serviceAccount that may do what the rules say, with a token.
func (s *subject) serviceAccount(tb testing.TB, rules []rbacv1.PolicyRule) string {
	tb.Helper()
	ctx, name := tb.Context(), metav1.ObjectMeta{Name: "subject"}
	_, err := s.admin.CoreV1().ServiceAccounts(s.own).Create(ctx, &corev1.ServiceAccount{ObjectMeta: name}, metav1.CreateOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	global := metav1.ObjectMeta{Name: s.own}
	_, err = s.admin.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: global, Rules: rules}, metav1.CreateOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	_, err = s.admin.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: global,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: s.own},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Name: "subject", Namespace: s.own}},
	}, metav1.CreateOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	token, err := s.admin.CoreV1().ServiceAccounts(s.own).CreateToken(ctx, "subject", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return token.Status.Token
}

// written are the writes that are recorded, as verb, resource, name and effect, in
// short.
func (s *subject) written() []string {
	var all []string
	for _, r := range s.recorder.Requests(history.Query{Scenario: s.own, Everything: true}) {
		if r.Effect != history.EffectNone {
			all = append(all, fmt.Sprintf("%s %s %s %s", r.Verb, r.Resource, r.Name, r.Effect))
		}
	}
	return all
}
