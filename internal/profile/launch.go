package profile

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Replica has the values that the launch templates of one replica may name.
type Replica struct {
	// Home is the namespace that it lives in.
	Home string
	// Served are the namespaces of the primary objects.
	Served []string
	// Ports that were found for it, by their names in launch.ports.
	Ports map[string]int
	// Kubeconfig is the file for access to its API server.
	Kubeconfig string
	// Certificates is the folder of the certificate with which it serves webhooks.
	Certificates string
	// LeaderElection is true if leader election is on.
	LeaderElection bool
	// Namespaced is true if it must serve no other namespaces.
	Namespaced bool
}

func (r Replica) data() map[string]any {
	ports := make(map[string]any, len(r.Ports))
	for name, port := range r.Ports {
		ports[name] = port
	}
	return map[string]any{
		"namespace": r.Home, "served": strings.Join(r.Served, ","), "ports": ports, "certificates": r.Certificates,
		"kubeconfig": r.Kubeconfig,
	}
}

// Command returns the argv of one replica: the program as an absolute path, its arguments,
// those that switch leader election on or off, and those that name the namespaces. It
// returns an error if the program does not exist.
func (p *Profile) Command(r Replica) ([]string, error) {
	program, err := p.Program()
	if err != nil {
		return nil, err
	}
	args, err := p.expand(slices.Concat(p.Spec.Launch.Command[1:], p.extra(r)), r)
	return append([]string{program}, args...), err
}

// ArgsInCluster returns the arguments that the profile adds to those of a container.
func (p *Profile) ArgsInCluster(r Replica) ([]string, error) {
	return p.expand(slices.Concat(p.Spec.Launch.InCluster.Args, p.extra(r)), r)
}

// EnvInCluster returns what the profile adds to the environment of a container.
func (p *Profile) EnvInCluster(r Replica) (map[string]string, error) {
	return p.expandEnv(p.namespacedEnv(r), r)
}

// extra returns the arguments that switch leader election on or off, and those that name
// the namespaces.
func (p *Profile) extra(r Replica) (args []string) {
	if election := p.Spec.Launch.LeaderElection; election != nil {
		if r.LeaderElection {
			args = append(args, election.Enabled...)
		} else {
			args = append(args, election.Disabled...)
		}
	}
	if namespaced := p.Spec.Launch.Namespaced; r.Namespaced && namespaced != nil {
		args = append(args, namespaced.Args...)
	}
	return args
}

// expand fills in the templates in the arguments of a replica.
func (p *Profile) expand(args []string, r Replica) ([]string, error) {
	var expanded []string
	for _, arg := range args {
		value, err := expand(arg, r.data())
		if err != nil {
			return nil, fmt.Errorf("making the command of %s: %w", p.Name, err)
		}
		expanded = append(expanded, value)
	}
	return expanded, nil
}

// Env returns what the profile adds to the environment of one replica.
func (p *Profile) Env(r Replica) (map[string]string, error) {
	values := maps.Clone(p.Spec.Launch.Env)
	if values == nil {
		values = map[string]string{}
	}
	maps.Copy(values, p.namespacedEnv(r))
	return p.expandEnv(values, r)
}

func (p *Profile) namespacedEnv(r Replica) map[string]string {
	if namespaced := p.Spec.Launch.Namespaced; r.Namespaced && namespaced != nil {
		return namespaced.Env
	}
	return nil
}

func (p *Profile) expandEnv(values map[string]string, r Replica) (map[string]string, error) {
	env := make(map[string]string, len(values))
	for name, value := range values {
		expanded, err := expand(value, r.data())
		if err != nil {
			return nil, fmt.Errorf("making variable %s of %s: %w", name, p.Name, err)
		}
		env[name] = expanded
	}
	return env, nil
}

// Program returns the absolute path of the program. It returns an error if the file does
// not exist or cannot be executed.
func (p *Profile) Program() (string, error) {
	name := p.Spec.Launch.Command[0]
	if strings.ContainsRune(name, '/') {
		name = p.path(name)
	}
	program, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("finding the program of %s: %w", p.Name, err)
	}
	return filepath.Abs(program)
}

// Directory returns the absolute path of the folder that the program is started in, or ""
// for a temporary one.
func (p *Profile) Directory() string {
	if p.Spec.Launch.Directory == "" {
		return ""
	}
	return p.path(p.Spec.Launch.Directory)
}

// Readable returns the absolute paths of the folders that it may read besides Directory.
func (p *Profile) Readable() []string {
	var folders []string
	for _, name := range p.Spec.Launch.Readable {
		folders = append(folders, p.path(name))
	}
	return folders
}

// HomeSuffix is the end of the name of a home, after the name of the served namespace.
const HomeSuffix = "-home"

// Home returns the namespace in which the replicas that serve the given namespace live.
func (p *Profile) Home(namespace string) string {
	if p.Spec.Install.InServedNamespace {
		return namespace
	}
	return namespace + HomeSuffix
}

// Lease returns the Lease for which the replicas that serve this namespace compete. The
// second result is false if the implementation has no leader election.
func (p *Profile) Lease(namespace string) (v1alpha1.LeaseName, bool) {
	election := p.Spec.Launch.LeaderElection
	if election == nil {
		return v1alpha1.LeaseName{}, false
	}
	lease := election.Lease
	if lease.Namespace == "" {
		lease.Namespace = p.Home(namespace)
	}
	return lease, true
}

// path makes a path in the profile absolute.
func (p *Profile) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(p.Dir, name)
}

// checkProgram says what is wrong with the program, or returns "".
func (p *Profile) checkProgram() string {
	if len(p.Spec.Launch.Command) == 0 {
		return "is required to run it as a process; as Pods, on the cluster of --kubeconfig, it runs with --in-cluster"
	}
	name := p.Spec.Launch.Command[0]
	if !strings.ContainsRune(name, '/') {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Sprintf("no program %q on the PATH (a path has a slash and is relative to the profile)", name)
		}
		return ""
	}
	switch info, err := os.Stat(p.path(name)); {
	case err != nil:
		return fmt.Sprintf("no program %s: build it first, or name another (relative to %s)", p.path(name), p.Dir)
	case info.IsDir():
		return fmt.Sprintf("%s is a folder, not a program", p.path(name))
	case info.Mode()&0o111 == 0:
		return fmt.Sprintf("%s is not executable: chmod +x makes it so", p.path(name))
	}
	return ""
}
