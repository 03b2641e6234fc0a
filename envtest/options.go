package envtest

import (
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Options say how to start a control plane. The zero value is valid.
type Options struct {
	// Kubernetes is the version of the control plane: one of [Versions], or only its minor
	// version, as in 1.35. If it is empty, the version is [Version], or that of the folder
	// that AssetsDir or KUBEBUILDER_ASSETS names.
	Kubernetes string

	// AssetsDir has the components' binaries. If it is empty, RECONFORM_ASSETS names the
	// archive of a release, which is downloaded if necessary, and unpacked. If that is not set
	// either, or is of another version than Kubernetes, the first of these folders is taken
	// that has all of them: the one that KUBEBUILDER_ASSETS names; bin/k8s/VERSION at the root
	// of the module of the working directory; k8s/VERSION beside the running executable; and
	// one among the user's caches into which an archive was unpacked before.
	AssetsDir string

	// WorkDir receives the logs of all components (logs/<component>.log) and, while the
	// control plane runs, its data, certificates and kubeconfigs. It is created if it does
	// not exist, readable only by this user. Only one control plane at a time can use it;
	// files that an earlier one left there are overwritten. A folder that contains anything
	// else is refused. If WorkDir is empty, a temporary folder is used, and removed at the
	// end. If this process is killed, the next one that creates a temporary folder removes
	// it.
	WorkDir string

	// RemoveIfKilled is a folder to remove if this process ends without Stop, after the
	// components have ended: the folder that contains WorkDir, for example. If it is empty, a
	// temporary WorkDir is removed, and nothing otherwise. Stop leaves the folder to the caller.
	RemoveIfKilled string

	// WithoutPods leaves out kube-scheduler and kwok: Pods are created but never run.
	// It saves time and memory.
	WithoutPods bool

	// ExtendedResources are what each Node has besides CPU, memory, storage and room for Pods:
	// nvidia.com/gpu, for example.
	ExtendedResources corev1.ResourceList

	// CPUProfileDir, if set, receives a CPU profile of each component except kwok
	// (<component>.pb.gz, for go tool pprof), taken until Stop, and profiles of their memory
	// then (in the folder heap). The file requests.txt says how often each client asked
	// kube-apiserver for each resource. Meanwhile any user of this machine can read the
	// profiles of these components.
	CPUProfileDir string

	// CRDPaths are files and folders with CustomResourceDefinitions to install before
	// anything else. The garbage collector knows these from the start.
	CRDPaths []string
	// CRDs are installed like those of CRDPaths.
	CRDs []*apiextensionsv1.CustomResourceDefinition

	// Progress, if set, is called with a few words about what is being done. It must be safe
	// for concurrent use.
	Progress func(string)

	// disposable means that nothing stays of WorkDir after Stop.
	disposable bool
	// idle is how long a shared control plane stays up if nobody uses it, for tests.
	idle time.Duration
	// port finds a free port, for tests.
	port func() (int, error)
}

func (o *Options) setDefaults() {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.port == nil {
		o.port = freePort
	}
}

// freePort returns a TCP port on the loopback interface that is free at the moment.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("finding a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
