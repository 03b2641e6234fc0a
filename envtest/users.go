package envtest

import (
	"crypto/rand"
	"fmt"
	"strings"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// masters is the group whose members may do everything.
const masters = "system:masters"

// admin is the administrator's name.
const admin = "admin"

// clients returns the components that are clients of kube-apiserver.
func clients() []string { return []string{controllerManager, scheduler, kwok} }

// storageDriver is a client that is not a component: it is part of this program.
const storageDriver = "storage-driver"

// clientUser returns the user name of such a component.
func clientUser(component string) string { return "system:" + component }

// writeTokens creates tokens for the administrator and the components, and writes the file
// from which kube-apiserver knows them. Tokens are used because kube-apiserver verifies a
// client certificate again with each request; that was a twentieth of its CPU time.
func (cp *ControlPlane) writeTokens() (path string, err error) {
	names := []string{admin, clientUser(storageDriver)}
	for _, component := range clients() {
		names = append(names, clientUser(component))
	}
	cp.tokens = map[string]string{}
	var file strings.Builder
	for _, name := range names {
		cp.tokens[name] = rand.Text()
		fmt.Fprintf(&file, "%s,%s,%s,%s\n", cp.tokens[name], name, name, masters)
	}
	return cp.work.write("certs/tokens.csv", []byte(file.String()))
}

// AddUser returns the access of a user with this name and these groups, who has the rights
// that RBAC gives to them.
func (cp *ControlPlane) AddUser(name string, groups ...string) (*rest.Config, error) {
	user, err := cp.user(name, groups...)
	if err != nil {
		return nil, err
	}
	return user.Config(), nil
}

func (cp *ControlPlane) user(name string, groups ...string) (*envtest.AuthenticatedUser, error) {
	return cp.User(envtest.User{Name: name, Groups: groups}, &rest.Config{QPS: -1})
}

// User is AddUser with the types of controller-runtime's envtest: the user has a kubeconfig,
// too, and the settings of base, unless that is nil.
func (cp *ControlPlane) User(user envtest.User, base *rest.Config) (*envtest.AuthenticatedUser, error) {
	added, err := cp.plane.AddUser(user, base)
	if err != nil {
		return nil, fmt.Errorf("adding the user %s: %w", user.Name, err)
	}
	return added, nil
}

// master returns the access of a user who has a token, and may do everything.
func (cp *ControlPlane) master(name string) (config *rest.Config, kubeconfig []byte, err error) {
	user, err := cp.user(name, masters)
	if err != nil {
		return nil, nil, err
	}
	// The kubeconfig is made from the same config.
	config = user.Config()
	config.CertData, config.KeyData, config.BearerToken = nil, nil, cp.tokens[name]
	if kubeconfig, err = user.KubeConfig(); err != nil {
		return nil, nil, fmt.Errorf("adding the user %s: %w", name, err)
	}
	return config, kubeconfig, nil
}
