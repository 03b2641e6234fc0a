package envtest

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"reconform.dev/reconform/envtest/folder"
)

// SharedControlPlane is a control plane that other processes of this user use, too.
type SharedControlPlane struct {
	config *rest.Config
	assets string
	door   net.Conn // as long as it is open, the control plane stays up
}

// Config returns an administrator's access, without rate limits on the client's side. The
// caller may change it.
func (s *SharedControlPlane) Config() *rest.Config { return rest.CopyConfig(s.config) }

// AssetsDir returns the folder that the components were started from.
func (s *SharedControlPlane) AssetsDir() string { return s.assets }

// Release says that this process no longer needs the control plane. The end of the process
// says the same, however it ends.
func (s *SharedControlPlane) Release() error {
	if err := s.door.Close(); err != nil {
		return fmt.Errorf("releasing the shared control plane: %w", err)
	}
	return nil
}

// Shared returns a control plane that the tests of several packages share. It is started for
// the first process that asks for it, and ends some seconds after the last one has released
// it, or has ended. Processes get the same one if they belong to the same Go module and ask
// for the same options, and if the CRDs in the files have not changed. Each of them sees
// what the others create there: give each test a namespace of its own.
//
// The options WorkDir, RemoveIfKilled and CPUProfileDir are for one process, and are refused.
// A program that uses Shared must call [Main] first. ctx limits only the start.
func Shared(ctx context.Context, opts Options) (*SharedControlPlane, error) {
	s, err := shareControlPlane(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("sharing a control plane: %w", err)
	}
	return s, nil
}

func shareControlPlane(ctx context.Context, opts Options) (*SharedControlPlane, error) {
	opts.setDefaults()
	wanted, err := opts.toShare(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := wanted.dir()
	if err != nil {
		return nil, err
	}
	if s, err := borrow(ctx, dir); err == nil {
		return s, nil
	}
	// One process starts it; the others wait here until that is done.
	turn, err := os.OpenFile(filepath.Join(dir, turnFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	defer turn.Close()
	if err := whileWaiting(ctx, func() error { return syscall.Flock(int(turn.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }, nil); err != nil {
		return nil, fmt.Errorf("waiting for the process that starts it: %w", err)
	}
	if s, err := borrow(ctx, dir); err == nil {
		return s, nil
	}
	opts.Progress("starting a control plane to share")
	return startKeeper(ctx, dir, wanted)
}

// share is what a keeper needs to start the control plane.
type share struct {
	Module      string // root of the Go module
	AssetsDir   string
	WithoutPods bool
	CRDs        []*apiextensionsv1.CustomResourceDefinition // those of Options.CRDPaths, too
	Extended    corev1.ResourceList                         // Options.ExtendedResources
	Idle        time.Duration                               // how long it stays up if nobody uses it
}

// idleTime is how long a shared control plane stays up if nobody uses it: long enough for go
// test to start the tests of the next package.
const idleTime = 10 * time.Second

func (o *Options) toShare(ctx context.Context) (*share, error) {
	for name, value := range map[string]string{"WorkDir": o.WorkDir, "RemoveIfKilled": o.RemoveIfKilled, "CPUProfileDir": o.CPUProfileDir} {
		if value != "" {
			return nil, fmt.Errorf("the option %s is for a control plane of one process: leave it out, or use Start", name)
		}
	}
	assets, err := o.assets(ctx)
	if err != nil {
		return nil, err
	}
	module, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	definitions, err := o.definitions()
	if err != nil {
		return nil, err
	}
	wanted := &share{
		Module: module, AssetsDir: assets, WithoutPods: o.WithoutPods,
		CRDs: definitions, Extended: o.ExtendedResources, Idle: idleTime,
	}
	if o.idle != 0 {
		wanted.Idle = o.idle
	}
	return wanted, nil
}

// dir returns the folder of the control plane that is wanted, which only this user can enter. It
// creates the folder if there is none. The name is short, because the path of a socket must be.
func (s *share) dir() (string, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	// The keeper has another working directory, and TMPDIR may be relative.
	all, err := filepath.Abs(filepath.Join(os.TempDir(), "reconform-shared-"+strconv.Itoa(os.Getuid())))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(all, hex.EncodeToString(sum[:6]))
	if err := folder.CheckSocket(filepath.Join(dir, doorFile)); err != nil {
		return "", err
	}
	if err := os.Mkdir(all, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	// The folder of temporary files is everybody's: somebody else may have made this one.
	info, err := os.Lstat(all)
	if err != nil {
		return "", err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || int(owner.Uid) != os.Getuid() || info.Mode().Perm() != 0o700 {
		return "", fmt.Errorf("%s must be a folder that only this user can enter: remove it", all)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, nil
}

// The files in the folder of a shared control plane.
const (
	shareFile      = "share.json"
	turnFile       = "turn" // locked by the process that starts the keeper
	doorFile       = "door" // the socket of the keeper
	kubeconfigFile = "kubeconfig"
	keeperLog      = "keeper.log"
)

// greeting is what the keeper tells each process that comes to its door.
type greeting struct {
	Kubeconfig string
	AssetsDir  string
}

// borrow uses the control plane whose keeper is in the folder. The error says that there is
// none.
func borrow(ctx context.Context, dir string) (*SharedControlPlane, error) {
	door, err := (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(dir, doorFile))
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(door).ReadBytes('\n')
	if err != nil {
		return nil, errors.Join(err, door.Close()) // the keeper is ending
	}
	var hello greeting
	if err := json.Unmarshal(line, &hello); err != nil {
		return nil, errors.Join(err, door.Close())
	}
	config, err := clientcmd.BuildConfigFromFlags("", hello.Kubeconfig)
	if err != nil {
		return nil, errors.Join(err, door.Close())
	}
	config.QPS = -1
	return &SharedControlPlane{config: config, assets: hello.AssetsDir, door: door}, nil
}

// startKeeper starts a process that keeps the control plane, and waits until it is up.
func startKeeper(ctx context.Context, dir string, wanted *share) (*SharedControlPlane, error) {
	if !mainCalled.Load() {
		return nil, errors.New("envtest.Main is not the first statement of this program's main (or TestMain)")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(wanted)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, shareFile), data, 0o600); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, keeperLog))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	keeper := exec.Command(self, keeperFlag+dir)
	keeper.Dir = wanted.Module
	keeper.Stdout, keeper.Stderr = log, log
	// It must survive this process, and a Ctrl+C that is meant for this one.
	keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := keeper.Start(); err != nil {
		return nil, fmt.Errorf("starting its keeper: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = keeper.Wait() // its log says why
		close(ended)
	}()
	var shared *SharedControlPlane
	err = whileWaiting(ctx, func() (err error) {
		shared, err = borrow(ctx, dir)
		return err
	}, ended)
	if err != nil {
		said, _ := os.ReadFile(filepath.Join(dir, keeperLog))
		return nil, fmt.Errorf("%w; its keeper says: %s", err, said)
	}
	return shared, nil
}

var errKeeperEnded = errors.New("its keeper has ended")

// whileWaiting calls try until it succeeds, ctx ends, or ended is closed.
func whileWaiting(ctx context.Context, try func() error, ended <-chan struct{}) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if try() == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ended:
			return errKeeperEnded
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
