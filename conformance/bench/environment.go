package bench

import (
	"fmt"
	"net"
	"os"
	"path/filepath"

	"k8s.io/client-go/kubernetes"

	"reconform.dev/reconform/conformance/fault"
	"reconform.dev/reconform/conformance/proxy"
	"reconform.dev/reconform/conformance/subject"
)

// environment is what all Subjects of a bench share.
type environment struct {
	options   Options
	launcher  *subject.Launcher
	authority *proxy.Authority
	clientset kubernetes.Interface
	roles     roles
	// faults stand in every proxy.
	faults *fault.Engine
}

// LogFile is where the output of a replica goes, below the bench's LogDir.
func (o Options) LogFile(namespace, replica string) string {
	return filepath.Join(o.LogDir, namespace, replica+".log")
}

func (e *environment) logFile(namespace, replica string) (string, error) {
	path := e.options.LogFile(namespace, replica)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("making the folder for the subject's output: %w", err)
	}
	return path, nil
}

// freePorts finds a port for each name. All are held until all are found, so
// that no two are the same.
func freePorts(names []string) (map[string]int, error) {
	ports := make(map[string]int, len(names))
	for _, name := range names {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("finding a port for %s: %w", name, err)
		}
		defer listener.Close()
		ports[name] = listener.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}
