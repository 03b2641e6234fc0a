//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Spec says what is started, and what it finds.
type Spec struct {
	// Name of the replica, which is also its hostname: at most 63 characters.
	Name string
	// Namespace that it sees as its own.
	Namespace string
	// Command is the absolute path of the program, and its arguments.
	Command []string
	// Directory that it is started in and may read, absolute. Empty: its HOME.
	Directory string
	// Env is added to an otherwise clean environment.
	Env map[string]string
	// Host and Port of the API server, as the replica sees it.
	Host, Port string
	// CA certificates, in PEM, by which the replica trusts the API server.
	CA []byte
	// Token of the ServiceAccount that it acts as.
	Token string
	// ScratchDir is created where files on disk are needed, which is only the case
	// without namespaces. It is removed at the end with all that is in it.
	ScratchDir string
	// Log is the file that standard output and standard error are appended to.
	Log string
}

const minimalPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// check finds what is wrong before anything is started, and returns the paths
// of the program and its directory with all symbolic links resolved.
func (s *Spec) check() (program, directory string, err error) {
	for _, field := range []struct{ name, value string }{
		{"name", s.Name}, {"namespace", s.Namespace}, {"host", s.Host}, {"port", s.Port}, {"log", s.Log},
	} {
		if field.value == "" {
			return "", "", fmt.Errorf("no %s given", field.name)
		}
	}
	if len(s.Name) > 63 {
		return "", "", fmt.Errorf("the name cannot be a hostname: it has %d characters, at most 63 are allowed", len(s.Name))
	}
	if len(s.Command) == 0 {
		return "", "", errors.New("no command given")
	}
	program, info, err := resolve("program", s.Command[0])
	if err != nil {
		return "", "", err
	}
	if !info.Mode().IsRegular() {
		return "", "", fmt.Errorf("program %s: not a file", program)
	}
	if info.Mode()&0o111 == 0 {
		return "", "", fmt.Errorf("program %s: not executable (mode %04o)", program, info.Mode().Perm())
	}
	if s.Directory == "" {
		return program, "", nil
	}
	directory, info, err = resolve("directory", s.Directory)
	if err != nil {
		return "", "", err
	}
	if !info.IsDir() {
		return "", "", fmt.Errorf("directory %s: not a directory", directory)
	}
	return program, directory, nil
}

func resolve(what, path string) (string, fs.FileInfo, error) {
	if !filepath.IsAbs(path) {
		return "", nil, fmt.Errorf("%s %q: not an absolute path", what, path)
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(resolved); err == nil {
			return resolved, info, nil
		}
	}
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err // it names a part of the path, or the path again
	}
	return "", nil, fmt.Errorf("%s %s: %w", what, path, err)
}

// environment is the whole environment of the replica, sorted.
func (s *Spec) environment(home string, more map[string]string) []string {
	env := map[string]string{
		"PATH":          minimalPath,
		"HOME":          home,
		"KUBECONFIG":    kubeconfigPath(home),
		"HOSTNAME":      s.Name,
		"POD_NAME":      s.Name,
		"POD_NAMESPACE": s.Namespace,
	}
	maps.Copy(env, more)
	maps.Copy(env, s.Env)
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}
