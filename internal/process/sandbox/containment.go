//go:build unix

package sandbox

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"syscall"

	"reconform.dev/reconform/internal/process/sandbox/internal/pid1"
)

// unprivileged is the user and group of a subject that must not run as root. Images without
// root usually use it.
const unprivileged = 65532

// containment is a way to give a subject its own namespaces.
type containment struct {
	// words describes it in messages.
	words string
	// attributes of the init process.
	attributes syscall.SysProcAttr
	// drop is true if the init must change the user. Otherwise the user namespace has done
	// so.
	drop bool
	// network is true if the subject has its own network.
	network bool
}

// task describes what a contained subject sees, without its program.
func (c *containment) task(s *Spec, at place) (*pid1.Task, error) {
	run, err := runFolder()
	if err != nil {
		return nil, err
	}
	token, err := tokenInPod()
	if err != nil {
		return nil, err
	}
	home, account := homeIn(run), filepath.Dir(token)
	config, err := s.kubeconfig(token)
	if err != nil {
		return nil, err
	}
	v := view{drop: c.drop}
	v.hide(run, hiddenOptions)
	for _, path := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
		v.hide(path, scratchOptions)
	}
	for _, path := range append(private(), s.Hidden...) {
		v.hide(path, hiddenOptions)
	}
	revealed := append([]string{at.directory, at.program}, at.readable...)
	slices.Sort(revealed) // a folder must come before what is in it
	for _, path := range slices.Compact(revealed) {
		if path != "" {
			v.reveal(path)
		}
	}
	if at.writable != "" {
		v.open(at.writable)
	}
	task := &pid1.Task{
		Path: at.program, Args: s.Command, Directory: at.directory,
		Env: s.environment(home, map[string]string{
			"KUBERNETES_SERVICE_HOST":       s.Host,
			"KUBERNETES_SERVICE_PORT":       s.Port,
			"KUBERNETES_SERVICE_PORT_HTTPS": s.Port,
			"USER":                          userName,
			"LOGNAME":                       userName,
		}),
		Drop: c.drop, User: unprivileged, Group: unprivileged,
		Contained: true, Hostname: s.Name, View: v.mounts,
		Folders: []string{home, filepath.Dir(kubeconfigPath(home)), filesFolder("/tmp")},
		Files: append(s.files("/tmp"), []pid1.File{
			{Path: token, Content: s.Token, Mode: 0o600},
			{Path: filepath.Join(account, "ca.crt"), Content: string(s.CA), Mode: 0o644},
			{Path: filepath.Join(account, "namespace"), Content: s.Namespace, Mode: 0o644},
			{Path: kubeconfigPath(home), Content: config, Mode: 0o600},
		}...),
		Stage: run, Over: s.system(c.id(os.Geteuid()), c.id(os.Getegid()), home),
	}
	if task.Directory == "" {
		task.Directory = home
	}
	if c.network {
		task.Network = true
		task.Listen, err = s.listen()
	}
	return task, err
}

// private returns folders of the bench's user, because they contain keys and kubeconfigs.
func private() []string {
	folders := []string{temporary()}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, home)
	}
	if self, err := user.Current(); err == nil {
		folders = append(folders, self.HomeDir)
	}
	return folders
}

// temporary returns the absolute path of the folder for temporary files, without a slash at its
// end. TMPDIR may be relative, and that of macOS ends in a slash.
func temporary() string {
	dir, err := filepath.Abs(os.TempDir())
	if err != nil {
		return filepath.Clean(os.TempDir()) // the working directory is gone
	}
	return dir
}

// id returns a user or group of the bench as the subject sees it.
func (c *containment) id(bench int) int {
	if c.drop {
		return unprivileged
	}
	return notRoot(bench)
}

func notRoot(id int) int {
	if id == 0 {
		return unprivileged
	}
	return id
}
