//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// tokenInPod returns the path of the token of a contained replica: as in a Pod.
func tokenInPod() (string, error) {
	run, err := runFolder()
	return filepath.Join(run, "secrets", "kubernetes.io", "serviceaccount", "token"), err
}

// tokenInScratch returns the path of the token of a replica that is not contained.
func (s *Spec) tokenInScratch() string { return filepath.Join(s.ScratchDir, "home", ".kube", "token") }

// ReplaceToken replaces the replica's token atomically, as a kubelet does.
func (p *Process) ReplaceToken(token string) error {
	root, path := p.scratch, p.token
	if p.contained {
		root = filepath.Join("/proc", strconv.Itoa(p.Pid()), "root")
		path = filepath.Join(root, path)
	}
	if err := replace(root, path, token); err != nil {
		return fmt.Errorf("replacing the token of %s: %w", p.name, err)
	}
	return nil
}

// replace replaces a file below root by another with the same owner. The replica may have put
// links below root that lead elsewhere: what they lead to is not written.
func replace(root, path, content string) error {
	below, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer below.Close()
	if path, err = filepath.Rel(root, path); err != nil {
		return err
	}
	info, err := below.Lstat(path)
	if err != nil {
		return err
	}
	next := path + ".next"
	if err := below.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := below.OpenFile(next, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	if stat, ok := info.Sys().(*syscall.Stat_t); err == nil && ok && int(stat.Uid) != os.Geteuid() {
		err = file.Chown(int(stat.Uid), int(stat.Gid))
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return below.Rename(next, path)
}
