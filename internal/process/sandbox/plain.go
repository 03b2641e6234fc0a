//go:build unix

package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"

	"reconform.dev/reconform/internal/process/sandbox/internal/pid1"
)

// plainTask describes files in the scratch directory, for a subject without namespaces.
// With drop, the subject runs as another user, who needs access to them.
func plainTask(s *Spec, at place, drop bool) (*pid1.Task, error) {
	if !filepath.IsAbs(s.ScratchDir) {
		return nil, &os.PathError{Op: "create the scratch directory", Path: s.ScratchDir, Err: os.ErrInvalid}
	}
	home, tmp := homeIn(s.ScratchDir), temporaryIn(s.ScratchDir)
	token := s.tokenInScratch()
	config, err := s.kubeconfig(token)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{tmp, filepath.Dir(kubeconfigPath(home)), filesFolder(tmp)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	own := []pid1.File{{Path: kubeconfigPath(home), Content: config, Mode: 0o600}, {Path: token, Content: s.Token, Mode: 0o600}}
	for _, file := range append(own, s.files(tmp)...) {
		if err := os.WriteFile(file.Path, []byte(file.Content), os.FileMode(file.Mode)); err != nil {
			return nil, err
		}
	}
	if at.directory == "" {
		at.directory = home
	}
	env := map[string]string{"TMPDIR": tmp, "USER": userName, "LOGNAME": userName}
	if drop {
		if err := admit(s.ScratchDir, at); err != nil {
			return nil, err
		}
	} else if self, err := user.Current(); err == nil {
		env["USER"], env["LOGNAME"] = self.Username, self.Username
	}
	return &pid1.Task{
		Path: at.program, Args: s.Command, Directory: at.directory,
		Env: s.environment(home, env), Drop: drop, User: unprivileged, Group: unprivileged,
	}, nil
}

// admit gives the scratch directory to the unprivileged user. This user must be able to
// enter the folders above it, and those that the program reads.
func admit(scratch string, at place) error {
	err := filepath.WalkDir(scratch, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, unprivileged, unprivileged)
	})
	if err != nil {
		return fmt.Errorf("giving the scratch directory to the subject: %w", err)
	}
	if err := openOwn(filepath.Dir(scratch)); err != nil {
		return err
	}
	if err := at.permit(); err != nil {
		return err
	}
	entered := append([]string{scratch, at.directory}, at.readable...)
	if at.writable != "" {
		entered = append(entered, at.writable)
	}
	for _, path := range entered {
		if folder := shut(path); folder != "" {
			return fmt.Errorf("%s: folder %s keeps out user %d, which subjects run as when the bench runs as root"+
				" (chmod o+x, or --unconfined to run them as root)", path, folder, unprivileged)
		}
	}
	return nil
}

// openOwn lets other users pass through the bench's folders below the one for temporary
// files. They still cannot list what is in them.
func openOwn(path string) error {
	for above := temporary(); path != above && within(path, above); path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err == nil && !allowed(info, 0o1) {
			err = os.Chmod(path, info.Mode().Perm()|0o1)
		}
		if err != nil {
			return fmt.Errorf("letting the subject into its scratch directory: %w", err)
		}
	}
	return nil
}

// shut returns the innermost folder above path that the unprivileged user must not enter,
// or "".
func shut(path string) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && !allowed(info, 0o1) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
