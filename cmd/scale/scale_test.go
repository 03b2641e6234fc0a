package main

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/kubernetes/fake"

	"reconform.dev/reconform/cmd/internal/marked"
	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/profile"
)

func TestMain(m *testing.M) {
	supervisor.Main()
	os.Exit(m.Run())
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-sizes", "10,x", "p.yaml"}, `-sizes: "x" is not a number above 0`},
		{[]string{"-sizes", "0", "p.yaml"}, `-sizes: "0" is not a number above 0`},
		{[]string{"-limit", "-1s", "p.yaml"}, "-limit: -1s is not above 0"},
		{nil, "name the profiles"},
		{[]string{"absent.yaml"}, "absent.yaml"},
		{[]string{"../../fixtures/profiles/backup-any.yaml"}, "it has no contract"},
	} {
		_, err := parse(c.args)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("parse(%q) = %v, want %q", c.args, err, c.want)
		}
	}
}

// TestAudit reads a log while it is written: a line is read only when it is complete.
func TestAudit(t *testing.T) {
	a := &audit{path: filepath.Join(t.TempDir(), "audit.log")}
	lines := `{"verb":"list","stageTimestamp":"2026-11-26T10:00:00Z"}
{"verb":"watch","stageTimestamp":"2026-11-26T10:00:01Z"}
{"verb":"create","stageTimestamp":"2026-11-26T10:00:02Z","responseStatus":{"code":409}}
{"verb":"get","stageTimestamp":"2026-11-26T10:00:03Z"}
`
	appendTo(t, a.path, lines[:len(lines)-20])
	if err := a.read(); err != nil {
		t.Fatal(err)
	}
	appendTo(t, a.path, lines[len(lines)-20:])
	got, err := a.take()
	if err != nil {
		t.Fatal(err)
	}
	at := func(second int) time.Time { return time.Date(2026, 11, 26, 10, 0, second, 0, time.UTC) }
	want := requests{reads: 2, writes: 1, watches: 1, refused: 1, last: at(3)}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(requests{})); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if again, err := a.take(); err != nil || again.all() != 0 {
		t.Errorf("requests were counted twice: %+v, %v", again, err)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// TestWire counts what goes in both directions.
func TestWire(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		conn, err := server.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		question := make([]byte, 4)
		_, _ = io.ReadFull(conn, question)
		_, _ = conn.Write([]byte("an answer"))
	}()
	w, err := newWire(server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", w.address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("what")); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || string(answer) != "an answer" {
		t.Fatalf("the answer is %q, %v", answer, err)
	}
	if err := errors.Join(w.close(), w.close()); err != nil {
		t.Error(err)
	}
	w.done.Wait()
	if got := w.bytes.Load(); got != 13 {
		t.Errorf("%d bytes were counted, want 13", got)
	}
}

func results() []result {
	cost := func(seconds, requests int, megabytes uint64) cost {
		return cost{
			took: time.Duration(seconds) * time.Second, requests: requests, bytes: int64(requests) * 1000,
			cpu: time.Duration(seconds) * time.Second / 2, resident: megabytes * 1e6,
		}
	}
	conflicts := cost(4, 500, 60)
	conflicts.refused = 7
	return []result{
		{"one", 100, 100, false, cost(2, 400, 40), cost(1, 6, 40), cost(1, 3, 40)},
		{"other", 100, 100, false, conflicts, cost(2, 60, 60), cost(1, 4, 60)},
		{"one", 1000, 1000, false, cost(20, 4000, 50), cost(1, 6, 50), cost(1, 3, 50)},
		{"other", 1000, 321, true, cost(300, 2000, 80), cost(0, 0, 0), cost(0, 0, 0)},
	}
}

func TestTables(t *testing.T) {
	want := `### 100 objects

| controller | all served after | requests for each | KB for each | CPU for each | memory | a restart | a change |
|---|---|---|---|---|---|---|---|
| one | 2.0 s | 4.0 | 4.0 | 10.0 ms | 40 MB | 1.0 s, 6 requests, 0.0 MB, CPU 500ms | 1s, 3 requests |
| other | 4.0 s | 5.0 (×1.2), 7 refused | 5.0 (×1.2) | 20.0 ms (×2) | 60 MB (×1.5) | 2.0 s, 60 requests, 0.1 MB, CPU 1s | 1s, 4 requests |

### 1000 objects

| controller | all served after | requests for each | KB for each | CPU for each | memory | a restart | a change |
|---|---|---|---|---|---|---|---|
| one | 20.0 s | 4.0 | 4.0 | 10.0 ms | 50 MB | 1.0 s, 6 requests, 0.0 MB, CPU 500ms | 1s, 3 requests |
| other | not at rest within the limit, 321 served | | | | 80 MB | | |
`
	if diff := cmp.Diff(want, tables(results())); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

// TestNothingToCompareWith: if the first controller was given up, none is compared with it.
func TestNothingToCompareWith(t *testing.T) {
	both := of(results(), func(r result) bool { return r.size == 1000 })
	if table := tables([]result{both[1], both[0]}); strings.Contains(table, "×") {
		t.Errorf("it compares:\n%s", table)
	}
}

// TestWrite puts the tables between the marks, also a second time, and leaves the rest
// of the page.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "performance.md")
	appendTo(t, page, "before\n"+begin+"old\n"+marked.End+"after\n")
	for range 2 {
		if err := write(dir, results()); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if want := "before\n" + begin + "\n" + tables(results()) + "\n" + marked.End + "after\n"; string(text) != want {
		t.Errorf("the page (-want +got):\n%s", cmp.Diff(want, string(text)))
	}
}

// TestPlot: each complete measurement has a dot inside the axes.
func TestPlot(t *testing.T) {
	picture, err := plot(results())
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(picture, new(struct{})); err != nil {
		t.Errorf("the plot is not XML: %v", err)
	}
	if got := strings.Count(string(picture), "<circle"); got != 3*3 {
		t.Errorf("%d dots, want 9", got)
	}
	for _, p := range []panel{drawn(0, "", results(), func(r result) float64 { return float64(r.size) })} {
		for _, l := range p.Lines {
			for _, d := range l.Dots {
				if d.X < 0 || d.X > width || d.Y < 0 || d.Y > height {
					t.Errorf("%s has a dot at %v", l.Controller, d)
				}
			}
		}
	}
}

// TestDocuments: docs/performance.md has the marks for the tables.
func TestDocuments(t *testing.T) {
	text, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := marked.Replace(string(text), begin, ""); err != nil {
		t.Error(err)
	}
}

// running is a process that runs until it is stopped.
func running(t *testing.T) *process {
	t.Helper()
	command, err := supervisor.Command(context.Background(), supervisor.Options{}, "sleep", "600")
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{command: command, ended: make(chan error, 1), log: log}
	go func() { p.ended <- command.Wait() }()
	return p
}

// TestStopAgain: a controller that could not be started once more is stopped a second time.
func TestStopAgain(t *testing.T) {
	p := running(t)
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
	again := make(chan error, 1)
	go func() { again <- p.stop() }()
	select {
	case err := <-again:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(endWithin / 2):
		t.Error("it waits for the end of a process that has ended")
	}
}

// TestNeverAtRest: a controller that goes on before there is any object is given up, and does
// not end the whole measurement.
func TestNeverAtRest(t *testing.T) {
	p, err := profile.Load("../../fixtures/profiles/reference.yaml")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "audit.log")
	appendTo(t, log, "")
	s := &session{options: &options{limit: time.Nanosecond}, profile: p, plane: &plane{audit: &audit{path: log}}, process: running(t), wire: &wire{}}
	t.Cleanup(func() { _ = s.process.stop() })
	if s.deployments, err = serveDeployments(t.Context(), fake.NewClientset()); err != nil {
		t.Fatal(err)
	}
	r, err := s.phases(t.Context(), 10)
	if err != nil || r.complete() || r.ready != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
