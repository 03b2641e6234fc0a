package environment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	whole "reconform.dev/reconform/envtest"
)

func init() { whole.Main() }

// The types of the fields and methods, under the names that a suite uses for them.
type (
	CRDInstallOptions     = envtest.CRDInstallOptions
	WebhookInstallOptions = envtest.WebhookInstallOptions
	User                  = envtest.User
	AuthenticatedUser     = envtest.AuthenticatedUser
)

// Environment is a control plane for a test suite. The fields without a comment mean the
// same as in envtest.Environment of controller-runtime.
type Environment struct {
	Scheme *runtime.Scheme

	// Config is set by Start. If it is set before, and UseExistingCluster is true, that
	// cluster is used.
	Config     *rest.Config
	KubeConfig []byte

	CRDInstallOptions     CRDInstallOptions
	CRDs                  []*apiextensionsv1.CustomResourceDefinition
	CRDDirectoryPaths     []string
	ErrorIfCRDPathMissing bool
	WebhookInstallOptions WebhookInstallOptions

	UseExistingCluster *bool

	// BinaryAssetsDirectory is used if it has a kube-controller-manager, and the version that
	// Kubernetes asks for. The folders of setup-envtest have no such program. Otherwise the
	// binaries are looked for as envtest.Options says.
	BinaryAssetsDirectory string

	// Kubernetes is the version of the control plane, as in envtest.Options.
	Kubernetes string
	// Progress, if set, is called with a few words about what is being done.
	Progress func(string)

	inner *envtest.Environment
	plane *whole.ControlPlane
}

// Start starts the control plane, installs the definitions and the webhooks, and returns
// the access of an administrator.
func (e *Environment) Start() (*rest.Config, error) {
	if e.inner != nil {
		return nil, errors.New("the environment was started before; Stop it first")
	}
	paths, err := e.existingPaths()
	if err != nil {
		return nil, err
	}
	existing := ptr.Deref(e.UseExistingCluster, os.Getenv("USE_EXISTING_CLUSTER") == "true")
	if !existing {
		e.CRDs, e.CRDInstallOptions.CRDs = anew(e.CRDs), anew(e.CRDInstallOptions.CRDs)
	}
	e.inner = &envtest.Environment{
		UseExistingCluster: ptr.To(true), Config: e.Config, KubeConfig: e.KubeConfig, Scheme: e.Scheme,
		CRDInstallOptions: e.CRDInstallOptions, CRDs: e.CRDs, CRDDirectoryPaths: e.CRDDirectoryPaths,
		ErrorIfCRDPathMissing: e.ErrorIfCRDPathMissing, WebhookInstallOptions: e.WebhookInstallOptions,
	}
	if !existing {
		options, err := e.options(context.Background(), paths)
		if err != nil {
			e.inner = nil
			return nil, err
		}
		plane, err := whole.Start(context.Background(), options)
		if err != nil {
			e.inner = nil
			return nil, err
		}
		e.plane, e.inner.Config = plane, plane.Config()
	}
	config, err := e.inner.Start()
	if err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	e.Config, e.KubeConfig, e.Scheme = config, e.inner.KubeConfig, e.inner.Scheme
	e.CRDs, e.CRDInstallOptions, e.WebhookInstallOptions = e.inner.CRDs, e.inner.CRDInstallOptions, e.inner.WebhookInstallOptions
	return config, nil
}

// existingPaths returns the paths of definitions that exist. Those that do not are left to the
// installation, which knows whether that is an error. With any other error it would panic.
func (e *Environment) existingPaths() (paths []string, err error) {
	for _, path := range slices.Concat(e.CRDDirectoryPaths, e.CRDInstallOptions.Paths) {
		switch _, err := os.Stat(path); {
		case err == nil:
			paths = append(paths, path)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("reading the definitions: %w", err)
		}
	}
	return paths, nil
}

// anew returns copies of definitions without what an earlier control plane gave to them.
func anew(definitions []*apiextensionsv1.CustomResourceDefinition) (copies []*apiextensionsv1.CustomResourceDefinition) {
	for _, definition := range definitions {
		definition = definition.DeepCopy()
		definition.ResourceVersion, definition.UID = "", ""
		copies = append(copies, definition)
	}
	return copies
}

// options returns how the control plane is started. The garbage collector must know the
// definitions from its start, because it looks for new ones only every 30 seconds.
func (e *Environment) options(ctx context.Context, paths []string) (whole.Options, error) {
	options := whole.Options{Kubernetes: e.Kubernetes, Progress: e.Progress, CRDs: slices.Concat(e.CRDs, e.CRDInstallOptions.CRDs), CRDPaths: paths}
	use, err := e.usesDirectory(ctx)
	if use {
		options.AssetsDir = e.BinaryAssetsDirectory
	}
	return options, err
}

// usesDirectory tells whether the binaries are those of BinaryAssetsDirectory. A suite of
// kubebuilder's takes the first folder of bin/k8s, which may have another version than the
// one that Kubernetes asks for.
func (e *Environment) usesDirectory(ctx context.Context) (bool, error) {
	dir := e.BinaryAssetsDirectory
	if dir == "" {
		return false, nil
	}
	if _, err := os.Stat(filepath.Join(dir, "kube-controller-manager")); err != nil {
		return false, nil
	}
	if e.Kubernetes == "" {
		return true, nil
	}
	wanted, err := whole.ParseVersion(e.Kubernetes)
	if err != nil {
		return false, err
	}
	found, err := whole.VersionIn(ctx, dir)
	if err != nil {
		return false, fmt.Errorf("BinaryAssetsDirectory: %w", err)
	}
	if found != wanted && e.Progress != nil {
		e.Progress(fmt.Sprintf("BinaryAssetsDirectory is not used: %s has Kubernetes %s, not %s", dir, found, wanted))
	}
	return found == wanted, nil
}

// Stop ends the control plane, and removes what Start has made.
func (e *Environment) Stop() error {
	if e.inner == nil {
		return nil
	}
	var err error
	if stopErr := e.inner.Stop(); stopErr != nil {
		err = fmt.Errorf("cleaning up after the environment: %w", stopErr)
	}
	if e.plane != nil {
		err = errors.Join(err, e.plane.Stop(context.Background()))
	}
	e.inner, e.plane = nil, nil
	return err
}

// AddUser returns the access of a user, who has the rights that RBAC gives to the name and
// the groups.
func (e *Environment) AddUser(user User, base *rest.Config) (*AuthenticatedUser, error) {
	if e.plane == nil {
		return nil, fmt.Errorf("adding the user %s: there is no control plane of this environment; Start starts it, unless an existing cluster is used", user.Name)
	}
	return e.plane.User(user, base)
}

// InstallCRDs is that of controller-runtime. The garbage collector knows what it installs
// after up to 30 seconds.
func InstallCRDs(config *rest.Config, options CRDInstallOptions) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	return envtest.InstallCRDs(config, options)
}

// ControlPlane returns the control plane that Start has started, to add a user for example.
// On an existing cluster it is nil.
func (e *Environment) ControlPlane() *whole.ControlPlane { return e.plane }
