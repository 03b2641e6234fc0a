package main

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
	"k8s.io/client-go/tools/clientcmd"

	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/profile"
)

// endWithin is how long a controller may take to end after SIGTERM.
const endWithin = 30 * time.Second

// process is a controller that runs. It ends with this program, also if that is killed.
type process struct {
	command *supervisor.Cmd
	ended   chan error
	log     *os.File
}

// start the controller. Its requests go through the wire.
func (s *session) start() (_ *process, err error) {
	p, dir := s.profile, s.plane.dir
	access := filepath.Join(dir, "kubeconfig")
	if err := writeAccess(access, s.plane.access, s.wire.address()); err != nil {
		return nil, err
	}
	replica := profile.Replica{Home: namespace, Served: []string{namespace}, Kubeconfig: access, Certificates: dir}
	if replica.Ports, err = s.ports.Find(p.PortNames()); err != nil {
		return nil, err
	}
	argv, err := p.Command(replica)
	if err != nil {
		return nil, err
	}
	env, err := p.Env(replica)
	if err != nil {
		return nil, err
	}
	if slices.Contains(s.options.byFlag, p.Name) {
		argv = append(argv, "--kubeconfig="+access)
	}
	command, err := supervisor.Command(context.Background(), supervisor.Options{}, argv[0], argv[1:]...)
	if err != nil {
		return nil, fmt.Errorf("starting the controller: %w", err)
	}
	started := &process{command: command, ended: make(chan error, 1)}
	started.command.Dir, started.command.Env = dir, []string{"KUBECONFIG=" + access, "HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		started.command.Env = append(started.command.Env, name+"="+env[name])
	}
	if started.log, err = os.Create(filepath.Join(dir, "controller.log")); err != nil {
		return nil, err
	}
	started.command.Stdout, started.command.Stderr = started.log, started.log
	if err := started.command.Start(); err != nil {
		return nil, fmt.Errorf("starting the controller: %w", err)
	}
	go func() { started.ended <- started.command.Wait() }()
	return started, nil
}

// writeAccess writes a kubeconfig that leads to an address on loopback.
func writeAccess(file string, kubeconfig []byte, address string) error {
	config, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return fmt.Errorf("reading the controller's kubeconfig: %w", err)
	}
	for _, cluster := range config.Clusters {
		cluster.Server = (&url.URL{Scheme: "https", Host: address}).String()
	}
	return clientcmd.WriteToFile(*config, file)
}

// stop the controller, if it has not ended already.
func (p *process) stop() error {
	defer p.log.Close()
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-p.ended:
		p.ended <- err
		return nil
	case <-time.After(endWithin):
		_ = p.command.Cut()
		p.ended <- <-p.ended
		return fmt.Errorf("the controller did not end within %s of SIGTERM", endWithin)
	}
}

// failure is why the controller has ended by itself, nil if it runs.
func (p *process) failure() error {
	select {
	case err := <-p.ended:
		p.ended <- err
		log, _ := os.ReadFile(p.log.Name())
		return fmt.Errorf("the controller ended (%w); its output ends with: %s", err, log[max(0, len(log)-2000):])
	default:
		return nil
	}
}

// usage of a process by now.
type usage struct {
	cpu      time.Duration
	resident uint64 // bytes of memory
}

// usage waits until the supervisor has started the process, which takes a moment on a busy
// machine.
func (p *process) usage() (usage, error) {
	for range endWithin / look {
		found, err := p.find()
		if err == nil && found == nil {
			err = p.failure()
		}
		if err != nil {
			return usage{}, err
		}
		if found != nil {
			return *found, nil
		}
		time.Sleep(look)
	}
	return usage{}, fmt.Errorf("reading what the controller uses: its supervisor has not started it within %s", endWithin)
}

// find returns what the process has used, or nil if it does not run.
func (p *process) find() (*usage, error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("reading what the controller uses: %w", err)
	}
	for _, proc := range all {
		stat, err := proc.Stat()
		if err != nil || stat.PPID != p.command.Process.Pid { // that one is the supervisor
			continue
		}
		return &usage{time.Duration(stat.CPUTime() * float64(time.Second)), uint64(stat.ResidentMemory())}, nil
	}
	return nil, nil
}
