//go:build unix

package sandbox_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"reconform.dev/reconform/internal/process/sandbox"
)

// A replica cannot make the bench write to files of the bench when it replaces the token.
func TestReplacedTokenOfHostile(t *testing.T) {
	for role, replaced := range map[string]bool{"link": true, "linkfolder": false} {
		t.Run(role, func(t *testing.T) {
			launchers(t, func(t *testing.T, l *sandbox.Launcher) {
				target := filepath.Join(openFolder(t), "token")
				if err := os.WriteFile(target, []byte("mine"), 0o644); err != nil {
					t.Fatal(err)
				}
				line := newLine(t)
				s := spec(t, line, role)
				s.Env[linkEnv] = target
				p := start(t, l, s)
				conn := line.accept(t)
				err := p.ReplaceToken("another")
				if replaced && err != nil {
					t.Error(err)
				}
				content, unread := os.ReadFile(target)
				info, unseen := os.Stat(target)
				if err := errors.Join(unread, unseen); err != nil {
					t.Fatal(err)
				}
				if owner := info.Sys().(*syscall.Stat_t).Uid; string(content) != "mine" || int(owner) != os.Getuid() {
					t.Errorf("a file of the bench has %q, and belongs to user %d", content, owner)
				}
				if !replaced {
					return
				}
				fmt.Fprintln(conn, "read it")
				if seen, _ := bufio.NewReader(conn).ReadString('\n'); seen != "another <nil>\n" {
					t.Errorf("its token is %q", seen)
				}
			})
		})
	}
}
