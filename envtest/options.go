package envtest

import (
	"fmt"
	"net"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Options say how a control plane is started. The zero value is valid.
type Options struct {
	// AssetsDir holds the components' binaries. Empty: what was unpacked from the archive
	// of a release that RECONFORM_ASSETS names, and is fetched where needed. Where that is
	// not set, the folder named by KUBEBUILDER_ASSETS if that has all of them, else
	// bin/k8s/<Version> at the root of the module of the working directory, else
	// k8s/<Version> beside the running executable.
	AssetsDir string

	// WorkDir receives the logs of all components (logs/<component>.log) and, while the
	// control plane runs, its data, certificates and kubeconfigs. It is created if it
	// does not exist, readable by this user only, and serves one control plane at a
	// time; what an earlier one left there is overwritten. One that holds anything else
	// is refused. Empty: a temporary folder, removed in the end; where this process is
	// killed, by the next that makes one.
	WorkDir string

	// RemoveIfKilled is a folder to remove where this process ends without Stop, once
	// the components have ended: the one that WorkDir lies in, say. Empty: WorkDir
	// where that is a temporary one, else none.
	RemoveIfKilled string

	// WithoutPods leaves out kube-scheduler and kwok: Pods are created but never run.
	// It saves time and memory.
	WithoutPods bool

	// ProfileDir, if set, receives a CPU profile of each component but kwok
	// (<component>.pb.gz, for go tool pprof), taken until Stop. Any user of this machine
	// can read these components' profiles meanwhile.
	ProfileDir string

	// CRDPaths are files and folders with CustomResourceDefinitions to install before
	// anything else. The garbage collector knows these from the start.
	CRDPaths []string
	// CRDs are installed like those of CRDPaths.
	CRDs []*apiextensionsv1.CustomResourceDefinition

	// Progress, if set, is called with what is being done, in a few words. It must be
	// safe for concurrent use.
	Progress func(string)

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
