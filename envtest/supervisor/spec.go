package supervisor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Options say how to supervise a child. The zero value is valid.
type Options struct {
	// Grace is how long the child may take to end after SIGTERM when the parent is gone. If
	// it is zero, the child gets SIGKILL at once.
	Grace time.Duration
	// Credential is the user that the child runs as; nil means the parent's. The supervisor
	// always runs as the parent's user.
	Credential *syscall.Credential
	// Env is added to the child's environment: "NAME=value" each.
	Env []string
	// Dir is the folder that the child is started in; empty means the supervisor's.
	Dir string
	// Report makes the supervisor print on standard error how the child ended, unless it was
	// successful.
	Report bool
	// Remove is a folder to remove when the parent is gone and the child has ended. It may be
	// empty. A parent that closes a [Lifeline] but goes on must remove its folders itself. One that
	// somebody has taken since by [folder.Hold] stays.
	Remove string
}

// spec is the supervisor's task.
type spec struct {
	Options
	// Path of the child's executable, and the name it gets as argv[0].
	Path string
	// Lifeline is the FIFO to watch; empty means the inherited file descriptor lifelineFD.
	Lifeline string
}

const (
	// flag precedes a spec among the arguments of a supervisor made by Command.
	flag = "--reconform-supervise="
	// linkDir is the folder for the links that Lifeline.Link creates. The spec is beside the
	// link.
	linkDir = ".supervised"
	// lifelineFD is the first of exec.Cmd.ExtraFiles.
	lifelineFD = 3
)

// specOf returns the task of a process that was started with args, and the arguments
// for its child. The task is nil when the process is not a supervisor.
func specOf(args []string) (*spec, []string, error) {
	if len(args) > 1 && strings.HasPrefix(args[1], flag) {
		s, err := decode([]byte(strings.TrimPrefix(args[1], flag)))
		return s, args[2:], err
	}
	if len(args) > 0 && filepath.Base(filepath.Dir(args[0])) == linkDir {
		data, err := os.ReadFile(args[0] + ".json")
		if err != nil {
			return nil, nil, fmt.Errorf("reading what to supervise: %w", err)
		}
		s, err := decode(data)
		return s, args[1:], err
	}
	return nil, nil, nil
}

func decode(data []byte) (*spec, error) {
	s := &spec{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("decoding what to supervise: %w", err)
	}
	return s, nil
}

func (s *spec) encode() ([]byte, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encoding what to supervise: %w", err)
	}
	return data, nil
}
