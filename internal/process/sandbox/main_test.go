//go:build unix

package sandbox_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"reconform.dev/reconform/internal/process/sandbox"
)

// The test binary is also the subject, and the bench that gets killed.
const (
	roleEnv = "SUBJECT_ROLE"
	readEnv = "SUBJECT_READ" // a folder, of which it tries to read two files
	linkEnv = "SUBJECT_LINK" // a file of the bench, named token
	lineEnv = "SUBJECT_LINE" // where to connect: a connection stays as long as its process
)

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleEnv); role {
	case "":
		os.Exit(m.Run())
	case "inspect":
		say(look())
	case "serve":
		serve()
	case "parent":
		parent()
	case "leave":
		grandchild()
	case "network":
		network()
	case "panic":
		panic("on purpose")
	case "abort":
		debug.SetTraceback("crash")
		panic("on purpose")
	case "fatal":
		new(sync.Mutex).Unlock()
	case "exit137":
		os.Exit(137)
	case "exit2":
		fmt.Println("panic: a word in a log")
		os.Exit(2)
	case "flood":
		flood()
	case "link", "linkfolder":
		link(role == "linkfolder")
	case "killself":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "bench", "plainbench":
		bench(role == "plainbench")
	default:
		panic("no such role: " + role)
	}
}

// flood writes a beginning, one line of 100 MB, and an end, and crashes.
func flood() {
	fmt.Println("the beginning")
	piece := bytes.Repeat([]byte("x"), 1<<20)
	for range 100 {
		_, _ = os.Stdout.Write(piece)
	}
	fmt.Println()
	panic("the end")
}

// link puts a link to a folder or a file of the bench where its token is replaced, and then
// reads its token each time when it is asked to.
func link(folder bool) {
	token := "/var/run/secrets/kubernetes.io/serviceaccount/token"
	if _, err := os.Stat(token); err != nil {
		token = filepath.Join(os.Getenv("HOME"), ".kube", "token")
	}
	own, target := token, os.Getenv(linkEnv)
	if folder {
		own = filepath.Join(filepath.Dir(token)+".own", "token")
		if err := os.Rename(filepath.Dir(token), filepath.Dir(own)); err == nil {
			_ = os.Symlink(filepath.Dir(target), filepath.Dir(token))
		}
	} else {
		_ = os.Symlink(target, token+".next")
	}
	conn := connect()
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		content, err := os.ReadFile(own)
		fmt.Fprintln(conn, string(content), err)
	}
}

// connect opens a line to the test.
func connect() net.Conn {
	conn, err := net.Dial("unix", os.Getenv(lineEnv))
	if err != nil {
		panic(err)
	}
	return conn
}

func say(v any) {
	if err := json.NewEncoder(connect()).Encode(v); err != nil {
		panic(err)
	}
}

// serve echoes lines until SIGTERM or SIGINT, which it reports.
func serve() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	conn := connect()
	go func() {
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			fmt.Fprintln(conn, lines.Text())
		}
	}()
	fmt.Println("serving")
	sig := <-signals
	fmt.Fprintln(conn, sig)
	fmt.Println("got", sig)
}

// parent never ends by itself, and neither does its child in a session of its own.
func parent() {
	grandchild()
	conn := connect()
	_, _ = conn.Read(make([]byte, 1))
	select {}
}

func grandchild() {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleEnv+"=serve")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // it has connected
		panic(err)
	}
}

// bench starts a subject with a grandchild, and waits to be killed.
func bench(plain bool) {
	ctx := context.Background()
	launcher, err := sandbox.NewLauncher(ctx)
	if err != nil {
		panic(err)
	}
	if plain {
		launcher = sandbox.NewPlainLauncher("asked for")
	}
	dir := os.Getenv("SUBJECT_DIR")
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	_, err = launcher.Start(ctx, sandbox.Spec{
		Name: "subject-0", Namespace: "default", Command: []string{self}, Host: "127.0.0.1", Port: "1",
		Env:        map[string]string{roleEnv: "parent", lineEnv: os.Getenv(lineEnv)},
		Readable:   []string{filepath.Dir(os.Getenv(lineEnv))},
		ScratchDir: filepath.Join(dir, "scratch"), Log: filepath.Join(dir, "log"),
	})
	if err != nil {
		panic(err)
	}
	connect()
	select {}
}

// surroundings are what a subject finds.
type surroundings struct {
	Hostname     string
	User         int
	Groups       []int
	Env          []string
	Directory    string
	Files        map[string]string // path: mode, owner, content
	Run, Tmp     []string
	Descriptors  []string
	Status       map[string]string
	WriteHome    string
	WriteTmp     string
	WriteOutside string
	Processes    []string
	System       map[string]string // files of /etc
	Name         string            // of the user, as its own libraries find it
	Home         string            // of that user
	Resolved     []string          // the API server's name
	Read         map[string]string // files of the folder that it was told to read
}

func look() surroundings {
	var s surroundings
	s.Hostname, _ = os.Hostname()
	s.User = os.Getuid()
	s.Groups, _ = os.Getgroups()
	s.Env = os.Environ()
	s.Directory, _ = os.Getwd()
	s.Run, s.Tmp = names("/var/run"), names(os.TempDir())
	for _, fd := range names("/proc/self/fd") {
		to, err := os.Readlink("/proc/self/fd/" + fd)
		// These are Go's own: its poller, and the cgroup from which it sets GOMAXPROCS.
		if err != nil || strings.HasPrefix(to, "anon_inode:") || strings.HasPrefix(to, "/sys/fs/cgroup/") {
			continue
		}
		to, _, _ = strings.Cut(to, ":[") // the number of a pipe
		s.Descriptors = append(s.Descriptors, fd+" "+to)
	}
	again, err := os.OpenFile("/dev/stdout", os.O_WRONLY|os.O_APPEND, 0)
	s.Descriptors = append(s.Descriptors, fmt.Sprintf("/dev/stdout again: %v", err))
	_ = again.Close()
	s.Files = map[string]string{}
	for _, root := range []string{"/var/run/secrets", os.Getenv("HOME"), filepath.Join(os.TempDir(), "k8s-webhook-server")} {
		root, _ = filepath.EvalSymlinks(root)
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			content, err := os.ReadFile(path)
			s.Files[path] = fmt.Sprintf("%04o %d %v %s", info.Mode().Perm(), info.Sys().(*syscall.Stat_t).Uid, err, content)
			return nil
		})
	}
	s.Status = map[string]string{}
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		s.Status[key] = strings.TrimSpace(value)
	}
	s.WriteHome = write(os.Getenv("HOME"))
	s.WriteTmp = write(os.TempDir())
	s.WriteOutside = write(os.Getenv("SUBJECT_OUTSIDE"))
	for _, name := range names("/proc") {
		if strings.Trim(name, "0123456789") == "" {
			s.Processes = append(s.Processes, name)
		}
	}
	if folder := os.Getenv(readEnv); folder != "" {
		s.Read = map[string]string{}
		for _, name := range []string{"modules/module", "key"} {
			content, _ := os.ReadFile(filepath.Join(folder, name))
			s.Read[name] = string(content)
		}
	}
	s.System = map[string]string{}
	for _, path := range []string{"/etc/passwd", "/etc/group", "/etc/hosts"} {
		content, _ := os.ReadFile(path)
		s.System[path] = string(content)
		if file, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			_ = file.Close()
			s.System[path] += "writable"
		}
	}
	if self, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil {
		s.Name, s.Home = self.Username, self.HomeDir
	}
	s.Resolved, _ = net.DefaultResolver.LookupHost(context.Background(), "kubernetes.default.svc")
	return s
}

func names(dir string) []string {
	entries, _ := os.ReadDir(dir)
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func write(dir string) string {
	if err := os.WriteFile(filepath.Join(dir, "written"), nil, 0o600); err != nil {
		return err.Error()
	}
	return ""
}
