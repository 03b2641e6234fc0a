package profile

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// account is a ServiceAccount. The namespace is empty if the manifests leave it open: then
// it is chosen at installation.
type account struct{ namespace, name string }

func (a account) String() string {
	if a.namespace == "" {
		return a.name
	}
	return a.namespace + "/" + a.name
}

// fits tells whether both may be the same account.
func (a account) fits(b account) bool {
	return a.name == b.name && (a.namespace == b.namespace || a.namespace == "" || b.namespace == "")
}

const (
	userOfAccounts   = "system:serviceaccount:"
	groupOfAccounts  = "system:serviceaccounts"
	groupOfNamespace = "system:serviceaccounts:"
	groupOfAll       = "system:authenticated"
)

// is tells whether the subject of a binding is the account, or a Group that contains it. If
// the namespace of the account is not known, it is in no Group of a namespace.
func (a account) is(subject rbacv1.Subject) bool {
	if subject.Kind == rbacv1.GroupKind {
		namespace, ofNamespace := accountsIn(subject)
		return subject.Name == groupOfAll || subject.Name == groupOfAccounts || ofNamespace && a.namespace == namespace
	}
	one, ok := accountOf(subject)
	return ok && a.name != "" && one.fits(a)
}

// accountsIn returns the namespace whose accounts are the subject of a binding.
func accountsIn(subject rbacv1.Subject) (namespace string, ok bool) {
	namespace, ok = strings.CutPrefix(subject.Name, groupOfNamespace)
	return namespace, ok && namespace != "" && subject.Kind == rbacv1.GroupKind
}

// accountOf returns the ServiceAccount that is the subject of a binding, if it is one.
func accountOf(subject rbacv1.Subject) (account, bool) {
	if subject.Kind == rbacv1.ServiceAccountKind {
		return account{subject.Namespace, subject.Name}, true
	}
	name, ok := strings.CutPrefix(subject.Name, userOfAccounts)
	namespace, name, whole := strings.Cut(name, ":")
	return account{namespace, name}, subject.Kind == rbacv1.UserKind && ok && whole
}

// addAccount notes an account that an object creates, or that a workload runs as.
func (m *rights) addAccount(p *Profile, object shipped) error {
	switch object.GroupVersionKind() {
	case corev1.SchemeGroupVersion.WithKind("ServiceAccount"):
		m.accounts = join(m.accounts, account{object.GetNamespace(), object.GetName()})
	case appsv1.SchemeGroupVersion.WithKind("Deployment"), appsv1.SchemeGroupVersion.WithKind("StatefulSet"),
		appsv1.SchemeGroupVersion.WithKind("DaemonSet"):
		name, _, err := unstructured.NestedString(object.Unstructured.Object, "spec", "template", "spec", "serviceAccountName")
		if err != nil {
			return p.problemsIn(object.field, object.Check()).Err()
		}
		if old, _, err := unstructured.NestedString(object.Unstructured.Object, "spec", "template", "spec", "serviceAccount"); name == "" && err == nil {
			name = old // its former name, which the API server still accepts
		}
		if name == "" {
			name = "default"
		}
		m.running = join(m.running, account{object.GetNamespace(), name})
	}
	return nil
}

// join adds an account, unless it is there already. An account with a namespace replaces
// the same one without.
func join(all []account, one account) []account {
	i := slices.IndexFunc(all, one.fits)
	switch {
	case i < 0:
		return append(all, one)
	case all[i].namespace == "":
		all[i] = one
	}
	return all
}

// account returns the account that the implementation runs as. It is install.serviceAccount
// (NAME or NAMESPACE/NAME), if given. Otherwise it is the one that all workloads run as, or
// else the only one that is bound. If there is no binding, it is empty.
func (p *Profile) account(m *rights) (account, error) {
	if given := p.Spec.Install.ServiceAccount; given != "" {
		return p.named(given, m)
	}
	bound, groups := m.bound()
	if len(m.bindings) == 0 {
		return account{}, nil
	}
	candidates := bound
	if len(bound) == 0 && groups {
		candidates = m.accounts
	}
	if len(m.running) == 1 && (groups || slices.ContainsFunc(bound, m.running[0].fits)) {
		candidates = m.running
	}
	switch {
	case len(candidates) == 1:
		return candidates[0], nil
	case len(candidates) > 1:
		return account{}, strictyaml.Problems{p.document.Problem(accountField, "the bindings are for several ServiceAccounts: name one of %s", orNone(texts(candidates)))}
	case groups:
		return account{}, nil // no manifest names it
	default:
		return account{}, strictyaml.Problems{p.document.Problem("spec.install.rbac", "no binding in them is for a ServiceAccount; they are for: %s", orNone(m.subjects()))}
	}
}

// accountField is the field of a profile that names the account.
const accountField = "spec.install.serviceAccount"

// bound returns the accounts that the bindings name, each once, and whether a binding is for
// a Group that contains accounts.
func (m *rights) bound() (accounts []account, groups bool) {
	for _, b := range m.bindings {
		for _, subject := range b.subjects {
			if one, ok := accountOf(subject); ok {
				accounts = join(accounts, one)
			}
			_, ofNamespace := accountsIn(subject)
			groups = groups || ofNamespace || subject.Kind == rbacv1.GroupKind && (account{}).is(subject)
		}
	}
	return accounts, groups
}

// named returns the account with this name. If no binding of the manifests is for it, or
// for a Group that contains it, it has no rights, so the name must be a mistake.
func (p *Profile) named(name string, m *rights) (account, error) {
	bound, groups := m.bound()
	one := account{"", name}
	if namespace, rest, both := strings.Cut(name, "/"); both {
		one = account{namespace, rest}
	}
	pool := bound
	if groups {
		pool = slices.Concat(bound, m.accounts, m.running)
	}
	var found []account
	for _, known := range pool {
		if known.fits(one) {
			found = join(found, known)
		}
	}
	switch {
	case len(found) == 1 && found[0].namespace == "":
		return one, nil // the manifests do not say its namespace
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return one, strictyaml.Problems{p.document.Problem(accountField, "%s is in several namespaces: name one of %s", name, orNone(texts(found)))}
	case groups || len(m.bindings) == 0:
		return one, nil
	default:
		return one, strictyaml.Problems{p.document.Problem(accountField, "no binding in the RBAC manifests is for ServiceAccount %q; bound are: %s", name, orNone(texts(bound)))}
	}
}

// subjects returns the subjects of all bindings, each once.
func (m *rights) subjects() (names []string) {
	for _, b := range m.bindings {
		for _, subject := range b.subjects {
			if name := subject.Kind + " " + subject.Name; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func texts(accounts []account) (names []string) {
	for _, one := range accounts {
		names = append(names, one.String())
	}
	slices.Sort(names)
	return names
}
