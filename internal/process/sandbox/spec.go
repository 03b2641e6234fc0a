//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
)

// Spec says what is started, and what it finds in its environment.
type Spec struct {
	// Name of the replica, which is also its hostname: at most 63 characters.
	Name string
	// Namespace that it sees as its own.
	Namespace string
	// Command is the absolute path of the program, and its arguments.
	Command []string
	// Directory is the absolute path of the folder that it is started in and may read. If it
	// is empty, it is the HOME.
	Directory string
	// Readable are absolute paths of folders that it may read, too.
	Readable []string
	// Writable is the absolute path of a folder that it may write to, besides its HOME and
	// those for temporary files. The folder must let every user write. Empty if there is
	// none.
	Writable string
	// Hidden are absolute paths of folders of the bench. If the replica has namespaces, it
	// sees nothing in them except the folders above.
	Hidden []string
	// Env is added to an otherwise empty environment.
	Env map[string]string
	// Host and Port are the address of the API server, as the replica sees it.
	Host, Port string
	// Serve serves the API server at this address, for a replica with its own network: see
	// [Launcher.OwnNetwork]. It gets a listener, and returns at once. Other replicas do not
	// need it.
	Serve func(net.Listener)
	// Outside are the addresses (host:port) that a replica may reach besides the API server.
	// A replica without its own network reaches everything.
	Outside []string
	// HostNames are other names of the API server, for a replica with namespaces.
	HostNames []string
	// CA certificates, in PEM, with which the replica verifies the API server.
	CA []byte
	// Token of the replica's ServiceAccount.
	Token string
	// KubeconfigToken is for clients that read a token from a kubeconfig and do not support a
	// token file. It gives the same rights, and is never replaced.
	KubeconfigToken string
	// Files by name, which only the replica may read. [Launcher.FilesFolder] says where it
	// finds them.
	Files map[string]string
	// ScratchDir is created if files on disk are needed, which is only the case without
	// namespaces. It is removed at the end with everything in it.
	ScratchDir string
	// Log is the file that standard output and standard error are appended to.
	Log string
}

const minimalPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// place has the paths of a Spec that exist, with all symbolic links resolved.
type place struct {
	program, directory, writable string
	readable                     []string
}

// check looks for mistakes before anything is started.
func (s *Spec) check() (place, error) {
	for _, field := range []struct{ name, value string }{
		{"name", s.Name}, {"namespace", s.Namespace}, {"host", s.Host}, {"port", s.Port}, {"log", s.Log},
	} {
		if field.value == "" {
			return place{}, fmt.Errorf("no %s given", field.name)
		}
	}
	if len(s.Name) > 63 {
		return place{}, fmt.Errorf("the name cannot be a hostname: it has %d characters, at most 63 are allowed", len(s.Name))
	}
	if len(s.Command) == 0 {
		return place{}, errors.New("no command given")
	}
	program, info, err := resolve("program", s.Command[0])
	if err != nil {
		return place{}, err
	}
	if !info.Mode().IsRegular() {
		return place{}, fmt.Errorf("program %s: not a file", program)
	}
	if info.Mode()&0o111 == 0 {
		return place{}, fmt.Errorf("program %s: not executable (mode %04o)", program, info.Mode().Perm())
	}
	found := place{program: program}
	if s.Directory != "" {
		if found.directory, err = folder("directory", s.Directory); err != nil {
			return place{}, err
		}
	}
	if s.Writable != "" {
		if found.writable, err = folder("writable folder", s.Writable); err != nil {
			return place{}, err
		}
	}
	for _, path := range s.Readable {
		readable, err := folder("readable folder", path)
		if err != nil {
			return place{}, err
		}
		found.readable = append(found.readable, readable)
	}
	return found, nil
}

func folder(what, path string) (string, error) {
	resolved, info, err := resolve(what, path)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s %s: not a directory", what, resolved)
	}
	return resolved, err
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
		err = pathError.Err // the error names a part of the path, or the path again
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
	if env["KUBECONFIG"] == "" { // a profile takes it away
		delete(env, "KUBECONFIG")
	}
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}
