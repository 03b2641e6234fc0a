package incluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/internal/process/capture"
	"reconform.dev/reconform/internal/process/sandbox"
)

// lingering is how long the log of a container is still read after it has ended. The log ends
// by itself, but perhaps a moment later than the status says.
const lingering = 2 * time.Second

// Process is a container that was started.
type Process struct {
	replica   *Replica
	pod       *corev1.Pod
	container string // its ID
	log       *capture.Output
	stop      context.CancelFunc
	done      chan struct{} // closed when it has ended; the fields below do not change after that

	code     int
	panicked bool
}

// follow follows a container that runs in a Pod.
func (r *Replica) follow(pod *corev1.Pod) (*Process, error) {
	log, out, err := capture.Open(r.spec.Log)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &Process{
		replica: r, pod: pod, container: statusOf(pod.Status.ContainerStatuses, r.spec.Container).ContainerID,
		log: log, stop: stop, done: make(chan struct{}), code: 128 + int(syscall.SIGKILL),
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		p.copyLog(ctx, out)
	}()
	go func() {
		defer close(p.done)
		p.awaitEnd(ctx)
		select {
		case <-copied:
		case <-time.After(lingering):
		}
		stop()
		<-copied
		_ = out.Close()
		log.Finish()
		p.panicked = (p.code == 2 || p.code == aborted) && log.EndsInPanic()
	}()
	return p, nil
}

// aborted is the status of a program that SIGABRT has ended.
const aborted = 128 + int(syscall.SIGABRT)

// copyLog copies the output of the container until it ends.
func (p *Process) copyLog(ctx context.Context, to io.Writer) {
	stream, err := p.replica.client.CoreV1().Pods(p.pod.Namespace).GetLogs(p.pod.Name, &corev1.PodLogOptions{
		Container: p.replica.spec.Container, Follow: true,
	}).Stream(ctx)
	if err != nil {
		_, _ = fmt.Fprintf(to, "[reconform could not read the log: %v]\n", err)
		return
	}
	defer stream.Close()
	_, _ = io.Copy(to, stream) // what is lost with the connection is lost
}

// awaitEnd returns when the container has ended, or the Pod is gone.
func (p *Process) awaitEnd(ctx context.Context) {
	// The only possible error is the end of the context. The code that ended it knows that it
	// is over.
	_ = p.replica.watch(ctx, selection{fields: "metadata.name=" + p.pod.Name}, func(event watch.EventType, pod *corev1.Pod) (bool, error) {
		status := statusOf(pod.Status.ContainerStatuses, p.replica.spec.Container)
		if status != nil {
			for _, ended := range []*corev1.ContainerStateTerminated{status.State.Terminated, status.LastTerminationState.Terminated} {
				if ended != nil && ended.ContainerID == p.container {
					p.code = int(ended.ExitCode)
					return true, nil
				}
			}
		}
		return event == watch.Deleted || pod.UID != p.pod.UID, nil
	})
}

// Describe names the Pod.
func (p *Process) Describe() string { return "Pod " + p.pod.Name }

// Done is closed when the container has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit tells how the program ended. code is its exit status, or 128 plus the number of the
// signal that ended it. signal is the name of that signal, or "". panicked is true if its
// output ends in a panic of the Go runtime. A Pod that was deleted at once has no status:
// that counts as SIGKILL. Exit may be called only after Done.
func (p *Process) Exit() (code int, signal string, panicked bool) {
	if p.code > 128 && p.code < 128+65 {
		signal = unix.SignalName(syscall.Signal(p.code - 128))
	}
	return p.code, signal, p.panicked
}

// Signal tells the program to end as a cluster does: SIGTERM, by deleting the Pod. For
// other signals it returns [errors.ErrUnsupported].
func (p *Process) Signal(signal os.Signal) error {
	select {
	case <-p.done:
		return os.ErrProcessDone
	default:
	}
	if signal != syscall.SIGTERM {
		return fmt.Errorf("a Pod cannot be sent %v: %w", signal, errors.ErrUnsupported)
	}
	return p.replica.scale(context.Background(), 0)
}

// Evict tells the program to end as the drain of a node does. Its Deployment creates
// another Pod at once.
func (p *Process) Evict(ctx context.Context) error {
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: p.pod.Name, Namespace: p.pod.Namespace}}
	if err := p.replica.client.PolicyV1().Evictions(p.pod.Namespace).Evict(ctx, eviction); err != nil {
		return fmt.Errorf("evicting %s: %w", p.Describe(), err)
	}
	return nil
}

// Kill ends the container at once. Requests that it has sent and the bench has not received
// are lost.
func (p *Process) Kill() error {
	r := p.replica
	r.mu.Lock()
	if r.link != nil && r.link.pod == p.pod.UID {
		r.unlink()
	}
	r.mu.Unlock()
	select {
	case <-p.done:
		return nil
	default:
	}
	err := errors.Join(r.scale(context.Background(), 0), r.remove(context.Background(), p.pod.Name))
	if err == nil {
		<-p.done
	}
	return err
}

// LogTail returns the last lines of the output, at most n.
func (p *Process) LogTail(n int) []string { return p.log.Tail(n) }

// Dial connects to a port of the Pod, on its own loopback interface.
func (p *Process) Dial(ctx context.Context, network, at string) (net.Conn, error) {
	p.replica.mu.Lock()
	l := p.replica.link
	p.replica.mu.Unlock()
	if l == nil || l.pod != p.pod.UID {
		return nil, fmt.Errorf("connecting to %s: its relay is gone", p.Describe())
	}
	return l.Dial(ctx, network, at)
}

// Usage returns an error: it cannot be measured for a Pod.
func (p *Process) Usage() (sandbox.Usage, error) {
	return sandbox.Usage{}, fmt.Errorf("measuring %s: %w", p.Describe(), errors.ErrUnsupported)
}

// ReplaceToken returns an error, because the token belongs to the cluster.
func (p *Process) ReplaceToken(string) error {
	return fmt.Errorf("replacing the token of %s: %w", p.Describe(), errors.ErrUnsupported)
}
