package subject

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// reader is the ServiceAccount with which the bench reads the protected pages of a Subject.
// It may get these pages, and nothing else. It is created when a page first refuses a
// request without a token, and removed with the Subject.
type reader struct {
	env     *Environment
	subject *v1alpha1.Subject

	mu    sync.Mutex
	begun bool            // something was created for it
	token string          // empty until it is needed
	paths map[string]bool // the paths that it may get
}

// known returns the token if the page is known to need one, or "".
func (r *reader) known(path string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paths[path] {
		return r.token
	}
	return ""
}

// allow lets the ServiceAccount get a page, and returns its token.
func (r *reader) allow(ctx context.Context, path string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paths[path] {
		return r.token, nil
	}
	paths := map[string]bool{path: true}
	maps.Copy(paths, r.paths)
	if err := r.grant(ctx, slices.Sorted(maps.Keys(paths))); err != nil {
		return "", err
	}
	if err := r.awaitRight(ctx, path); err != nil {
		return "", err
	}
	if r.token == "" {
		accounts := r.env.Clientset.CoreV1().ServiceAccounts(r.env.home(r.subject))
		request, err := accounts.CreateToken(ctx, r.account(), &authenticationv1.TokenRequest{
			Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To(int64(tokenLifetime.Seconds()))},
		}, metav1.CreateOptions{})
		if err != nil {
			return "", fmt.Errorf("requesting a token: %w", err)
		}
		r.token = request.Status.Token
	}
	r.paths = paths
	return r.token, nil
}

// grant creates the ServiceAccount if it does not exist yet, and gives it the right to get
// these pages.
func (r *reader) grant(ctx context.Context, paths []string) error {
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: r.role(), Labels: map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade}},
		Rules:      []rbacv1.PolicyRule{{NonResourceURLs: paths, Verbs: []string{"get"}}},
	}
	rbac := r.env.Clientset.RbacV1()
	if r.paths != nil {
		if _, err := rbac.ClusterRoles().Update(ctx, role, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("letting the bench get %s: %w", paths, err)
		}
		return nil
	}
	r.begun = true
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: r.account(), Namespace: r.env.home(r.subject)}}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: role.ObjectMeta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: account.Name, Namespace: account.Namespace}},
	}
	for _, create := range []func() error{
		func() error {
			_, err := r.env.Clientset.CoreV1().ServiceAccounts(account.Namespace).Create(ctx, account, metav1.CreateOptions{})
			return err
		},
		func() error {
			_, err := rbac.ClusterRoles().Create(ctx, role, metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) { // from an earlier attempt, for example
				_, err = rbac.ClusterRoles().Update(ctx, role, metav1.UpdateOptions{})
			}
			return err
		},
		func() error {
			_, err := rbac.ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
			return err
		},
	} {
		if err := create(); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("letting the bench get %s: %w", paths, err)
		}
	}
	return nil
}

// awaitRight waits until the API server's authorizer knows the right. The page must not be
// asked before that, because a Subject may remember a refusal for a long time.
func (r *reader) awaitRight(ctx context.Context, path string) error {
	home := r.env.home(r.subject)
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:                  "system:serviceaccount:" + home + ":" + r.account(),
		Groups:                []string{"system:serviceaccounts", "system:serviceaccounts:" + home, "system:authenticated"},
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: path, Verb: "get"},
	}}
	ctx, cancel := context.WithTimeout(ctx, bindingPatience)
	defer cancel()
	err := wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		answer, err := r.env.Clientset.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		return err == nil && answer.Status.Allowed, nil
	})
	if err != nil {
		return fmt.Errorf("waiting until the bench may get %s: %w", path, err)
	}
	return nil
}

// remove deletes what was created for it.
func (r *reader) remove(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begun {
		return nil
	}
	r.begun, r.paths, r.token = false, nil, ""
	rbac := r.env.Clientset.RbacV1()
	for _, remove := range []func() error{
		func() error { return rbac.ClusterRoleBindings().Delete(ctx, r.role(), metav1.DeleteOptions{}) },
		func() error { return rbac.ClusterRoles().Delete(ctx, r.role(), metav1.DeleteOptions{}) },
		func() error {
			return r.env.Clientset.CoreV1().ServiceAccounts(r.env.home(r.subject)).Delete(ctx, r.account(), metav1.DeleteOptions{})
		},
	} {
		if err := remove(); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("removing the bench's own rights: %w", err)
		}
	}
	return nil
}

// account returns the name of the ServiceAccount. Each Subject has its own, even if several
// live in one namespace, because it is deleted with its Subject.
func (r *reader) account() string { return "reconform-reader-" + r.subject.Name }

// role returns the name of its ClusterRole and of the binding.
func (r *reader) role() string {
	return "reconform-reader:" + r.subject.Namespace + ":" + r.subject.Name
}

// pages asks a replica for pages, over http, or over https with any certificate. If the
// replica refuses a request without a token, it gets the token of a reader.
type pages struct {
	client *http.Client
	reader *reader
}

// pages returns a client for the pages of a replica. Each page may take as long as the
// timeout.
func (r *replica) pages(timeout time.Duration) pages {
	return pages{reader: r.reader, client: &http.Client{Timeout: timeout, Transport: &http.Transport{
		DialContext: r.dial, DisableKeepAlives: true,
		// The certificate is self-signed by the replica, and the address is our own.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}}
}

// do sends a request. If it is refused because it has no token, do sends it once more with
// a token. If the bench cannot get a token, the status of the answer says so.
func (p pages) do(request *http.Request) (*http.Response, error) {
	path := request.URL.Path
	token := p.reader.known(path)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := p.client.Do(request)
	if err != nil || token != "" || !barred(response.StatusCode) {
		return response, err
	}
	if token, err = p.reader.allow(request.Context(), path); err != nil {
		response.Status += ", and the bench has no token to ask with: " + err.Error()
		return response, nil
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, mostPage))
	_ = response.Body.Close()
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+token)
	return p.client.Do(request)
}

// barred tells whether an answer says that the bench may not read a page.
func barred(code int) bool { return code == http.StatusUnauthorized || code == http.StatusForbidden }
