package bench

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/kubernetes"

	"reconform.dev/reconform/conformance/fault"
	"reconform.dev/reconform/conformance/profile"
	"reconform.dev/reconform/conformance/proxy"
	"reconform.dev/reconform/conformance/sandbox"
)

// environment is what all Subjects of a bench share.
type environment struct {
	options   Options
	launcher  *sandbox.Launcher
	authority *proxy.Authority
	clientset kubernetes.Interface
	roles     map[*profile.Profile]roles
	ports     ports
	// faults stand in every proxy.
	faults *fault.Engine
}

// rolesIn are those that the implementation in a namespace asks for.
func (e *environment) rolesIn(namespace string) roles {
	return e.roles[e.options.profile(namespace)]
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
