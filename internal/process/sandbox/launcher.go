//go:build unix

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"

	"reconform.dev/reconform/internal/process/capture"
	"reconform.dev/reconform/internal/process/sandbox/internal/pid1"
)

// Launcher starts replicas of controllers, isolated as well as this machine allows. Several
// goroutines may use it at the same time.
type Launcher struct {
	contain *containment // nil if there are no namespaces
	refusal string       // the reason why there are none
	drop    bool         // subjects run as another user, without namespaces
	missing []string
}

// NewLauncher tries what this machine can isolate. It returns an error if it cannot find
// that out. Without namespaces, and if the bench is root, subjects run as another user.
func NewLauncher(ctx context.Context) (*Launcher, error) {
	refusals := []string{}
	for _, c := range containments() {
		missing, err := c.try(ctx)
		if err == nil {
			if !c.network {
				missing = append(missing, "no network of its own ("+strings.Join(refusals, "; ")+"): a replica reaches all that listens on this machine, and its network")
			}
			return &Launcher{contain: &c, missing: missing}, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("finding out what can be isolated: %w", ctx.Err())
		}
		if errors.Is(err, syscall.ENOSPC) {
			err = fmt.Errorf("%w: the limit user.max_user_namespaces is reached", err)
		}
		refusals = append(refusals, c.words+": "+err.Error())
	}
	if len(refusals) == 0 {
		refusals = append(refusals, runtime.GOOS+" has none")
	}
	return NewPlainLauncher(strings.Join(refusals, "; ")), nil
}

// NewPlainLauncher returns a Launcher that uses no namespaces, for the given reason. If the
// bench is root, subjects run as a user without privileges.
func NewPlainLauncher(reason string) *Launcher {
	l := &Launcher{refusal: reason, drop: os.Geteuid() == 0}
	who := "they run as the bench's user and see its files and processes"
	if l.drop {
		who = fmt.Sprintf("they run as user %d and see what any user sees", unprivileged)
	}
	l.missing = []string{"no namespaces (" + reason + "): replicas have KUBECONFIG, HOME and TMPDIR of their own, " +
		"but no hostname, no service-account folder and no network; " + who}
	return l
}

// Unconfine makes subjects run as root if there are no namespaces and the bench is root.
// Otherwise it changes nothing.
func (l *Launcher) Unconfine() {
	if l.drop {
		l.drop = false
		l.missing = append(l.missing, "not confined: subjects run as root, and may do to this machine what they like")
	}
}

// Isolation says what could not be isolated. It is empty if everything could.
func (l *Launcher) Isolation() []string { return l.missing }

// CheckReplicas says why several replicas of one subject cannot run here: if they share a
// hostname, they have the same identity in an election. It returns nil if each has its own
// identity.
func (l *Launcher) CheckReplicas() error {
	if l.contain != nil {
		return nil
	}
	return fmt.Errorf("this machine cannot give two replicas identities of their own: no namespaces (%s)", l.refusal)
}

// CheckElection says why a replica may not find the namespace of its Lease, which it reads
// in the folder of its service account. It returns nil if the replica has that folder.
func (l *Launcher) CheckElection() error {
	if l.contain != nil {
		return nil
	}
	return fmt.Errorf("this machine cannot give a replica the folder by which it finds the namespace of its Lease: no namespaces (%s)", l.refusal)
}

// try runs an init that does everything except start a subject.
func (c *containment) try(ctx context.Context) (missing []string, err error) {
	task, err := c.task(&Spec{Name: "probe", Namespace: "probe", Host: "127.0.0.1", Port: "443"}, place{})
	if err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	p := newProcess("probe", null)
	if err := p.launch(c.attributes, task); err != nil {
		return nil, err
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), p.Kill())
	}
	if !p.cmd.ProcessState.Success() {
		return nil, p.refusal()
	}
	for _, what := range p.missed {
		missing = append(missing, "failed at "+what)
	}
	return missing, nil
}

// Start starts a replica and returns when its program runs. The context limits the start,
// not the life of the replica. An error names what is missing or wrong: the program, its
// directory, the right to use them, the architecture.
func (l *Launcher) Start(ctx context.Context, spec Spec) (*Process, error) {
	p, err := l.start(ctx, &spec)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", spec.Name, err)
	}
	return p, nil
}

func (l *Launcher) start(ctx context.Context, spec *Spec) (*Process, error) {
	at, err := spec.check()
	if err != nil {
		return nil, err
	}
	var task *pid1.Task
	attributes, scratch := syscall.SysProcAttr{Setsid: true}, ""
	if l.contain != nil {
		if l.contain.drop {
			if err := at.permit(); err != nil {
				return nil, err
			}
		}
		attributes = l.contain.attributes
		task, err = l.contain.task(spec, at)
	} else {
		scratch = spec.ScratchDir
		task, err = plainTask(spec, at, l.drop)
	}
	if err != nil {
		return nil, err
	}
	log, out, err := capture.Open(spec.Log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	if task.Drop {
		// Some programs open /dev/stdout again. For that they need the right to open the pipe.
		if err := out.Chown(unprivileged, unprivileged); err != nil {
			return nil, fmt.Errorf("giving the log to the subject: %w", err)
		}
	}
	p := newProcess(spec.Name, out)
	p.log = log
	p.contained, p.network, p.scratch = task.Contained, task.Network, scratch
	p.token = spec.tokenInScratch()
	if task.Contained {
		if p.token, err = tokenInPod(); err != nil {
			return nil, fmt.Errorf("finding the place of the token: %w", err)
		}
	}
	err = p.launch(attributes, task)
	out.Close() // otherwise the end of the pipe could not be seen
	if err != nil {
		return nil, err
	}
	if task.Network {
		// If the init fails, it says why itself.
		if err := p.serve(ctx, spec); err != nil && !errors.Is(err, io.EOF) {
			return nil, errors.Join(fmt.Errorf("opening its network: %w", err), p.Kill())
		}
	}
	if err := p.awaitStart(ctx, at.program); err != nil {
		return nil, err
	}
	return p, nil
}

// awaitStart returns when the program runs. Otherwise the error says why not, and nothing is left
// of the replica.
func (p *Process) awaitStart(ctx context.Context, program string) error {
	select {
	case <-p.started:
		return nil
	case <-p.done:
	case <-ctx.Done():
		return errors.Join(ctx.Err(), p.Kill())
	}
	select {
	case <-p.started: // and may have ended already
		return nil
	default:
		return fmt.Errorf("program %s: %w", program, explain(p.refusal()))
	}
}

// explain adds what an error of execve(2) means if the file exists.
func explain(refusal error) error {
	for errno, meaning := range map[syscall.Errno]string{
		syscall.ENOEXEC: "not a program for " + runtime.GOOS + "/" + runtime.GOARCH + ", nor a script that names its interpreter",
		syscall.ENOENT:  "its interpreter or loader is missing",
		syscall.EPERM:   "the bench runs as root, and may not start it as another user (--unconfined starts it as root)",
		syscall.EACCES:  "the subject's user may not execute it, or not enter its directory",
	} {
		if strings.HasSuffix(refusal.Error(), "executing it: "+errno.Error()) {
			return fmt.Errorf("%w: %s", refusal, meaning)
		}
	}
	return refusal
}
