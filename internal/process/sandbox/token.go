//go:build unix

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// tokenPath returns the path of the replica's token.
func (s *Spec) tokenPath(contained bool) (string, error) {
	if !contained {
		return filepath.Join(s.ScratchDir, "home", ".kube", "token"), nil
	}
	run, err := runFolder()
	return filepath.Join(run, "secrets", "kubernetes.io", "serviceaccount", "token"), err
}

// ReplaceToken replaces the replica's token atomically, as a kubelet does.
func (p *Process) ReplaceToken(token string) error {
	path := p.token
	if p.contained {
		path = filepath.Join("/proc", strconv.Itoa(p.Pid()), "root", path)
	}
	if err := replace(path, token); err != nil {
		return fmt.Errorf("replacing the token of %s: %w", p.name, err)
	}
	return nil
}

// replace replaces a file by another with the same owner.
func replace(path, content string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	next := path + ".next"
	if err := os.WriteFile(next, []byte(content), info.Mode().Perm()); err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		if err := os.Chown(next, int(stat.Uid), int(stat.Gid)); err != nil {
			return err
		}
	}
	return os.Rename(next, path)
}
