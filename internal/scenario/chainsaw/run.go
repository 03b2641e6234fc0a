package chainsaw

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/envtest/garbage"
	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/process/capture"
)

// stopping is how long the runner may take to stop.
const stopping = 5 * time.Second

// outputLines is how many of the last lines of each test are kept.
const outputLines = 60

// Run executes the job in its own process, and returns the result of each test, in the
// order of job.Tests, as far as they started. It calls onEvent, from one goroutine, for
// each event. The error is not about tests that fail, but about a run that could not be
// carried out. Even then the tests are returned, as far as they got. If ctx ends, they are
// those that had ended.
func Run(ctx context.Context, job Job, onEvent func(Event)) ([]Test, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding our own executable: %w", err)
	}
	log, err := capture.OpenCapped(job.Log, capture.MaxOwn)
	if err != nil {
		return nil, fmt.Errorf("opening chainsaw's log: %w", err)
	}
	defer log.Close()

	running, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	cmd, err := job.command(running, executable)
	if err != nil {
		return nil, fmt.Errorf("starting chainsaw: %w", err)
	}
	cmd.Stderr = log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting chainsaw: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting chainsaw: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting chainsaw: %w", err)
	}
	defer stdin.Close()
	if err := json.NewEncoder(stdin).Encode(job); err != nil {
		return nil, errors.Join(fmt.Errorf("handing the job to chainsaw: %w", err), cmd.Wait())
	}

	// When ctx ends, ask the runner to stop, and kill it if it does not.
	forget := context.AfterFunc(ctx, func() {
		_ = stdin.Close()
		time.AfterFunc(stopping, kill)
	})
	defer forget()
	defer job.Endings.tell(stdin)()
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-job.Enough:
			_, _ = io.WriteString(stdin, enough+"\n") // a runner that has ended needs no word
		case <-over:
		}
	}()
	ended := map[string]bool{}
	ends := follow(io.TeeReader(stdout, log), func(event Event) {
		if ctx.Err() != nil {
			return // a run that is given up has ended, too
		}
		ended[event.Test] = ended[event.Test] || event.Kind == Ended
		onEvent(event)
	})
	waitErr := cmd.Wait()
	results, err := readResults(job.Results)
	if err != nil {
		return nil, err
	}
	tests := merge(results, ends)
	if ctx.Err() != nil {
		return slices.DeleteFunc(tests, func(t Test) bool { return !t.Finished || !ended[t.Name] }), ctx.Err()
	}
	if waitErr != nil {
		return tests, fmt.Errorf("running chainsaw: %w (its log is %s)", waitErr, job.Log)
	}
	return tests, nil
}

// command returns the command that starts the runner. The process is supervised, so that
// neither it nor a kubectl that it runs outlives us, and so that Ctrl+C in the terminal
// reaches only us.
func (j *Job) command(ctx context.Context, executable string) (*supervisor.Cmd, error) {
	cmd, err := supervisor.Command(ctx, supervisor.Options{}, executable, runnerFlag)
	if err != nil {
		return nil, err
	}
	// What the user has set takes precedence. Each kubectl that Chainsaw runs gets it, too.
	cmd.Env = slices.Concat(garbage.Environment(), os.Environ(), []string{"KUBECONFIG=" + j.Kubeconfig, "TMPDIR=" + j.TempDir})
	if j.Path != "" {
		cmd.Env = append(cmd.Env, "PATH="+j.Path+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	cmd.WaitDelay = 5 * time.Second
	return cmd, nil
}

// followed is what the printed lines say about one test.
type followed struct {
	failed         string // the first step with a failed operation
	object         string // the object of this operation
	closed, passed bool   // verdict of go test
	output         []string
	began          time.Time // its last operation, when the line about that was read
	first          failing   // failure, as far as the lines tell
	errors         commandErrors
}

// follow reads what the runner prints, until the runner closes its output.
func follow(r io.Reader, onEvent func(Event)) map[string]*followed {
	f := follower{onEvent: onEvent, tests: map[string]*followed{}, held: map[string]bool{}, ended: map[string]string{}}
	lines := bufio.NewReaderSize(r, longestLine)
	for {
		line, err := readLine(lines)
		if err != nil {
			return f.tests
		}
		f.line(line)
	}
}

// follower is what the lines until now have told.
type follower struct {
	onEvent func(Event)
	tests   map[string]*followed
	current *followed         // the test that the last lines were about
	said    verdicts          // at the times at which their lines were read
	held    map[string]bool   // tests that do not begin
	ended   map[string]string // what tests waited for whose assert was ended
	command commanded
}

// line takes in one line: a word of our runner to us, or one that Chainsaw or go test printed.
func (f *follower) line(line string) {
	if verdict, ok := parseVerdict(line); ok {
		verdict.at = time.Now()
		f.said.add(verdict)
		return
	}
	if name, ok := strings.CutPrefix(line, heldLine); ok {
		f.held[name] = true
		return
	}
	if rest, ok := strings.CutPrefix(line, endedLine); ok {
		name, resource, _ := strings.Cut(rest, " ")
		f.ended[name] = resource
		return
	}
	if event, failed, ok := parseProgress(line); ok && f.held[event.Test] {
		f.current = f.test(event.Test)
	} else if ok {
		f.current = f.test(event.Test)
		f.progress(line, event, failed)
	} else if event, ok := f.command.line(line); ok {
		f.onEvent(event)
	} else if name, passed, ok := parseClosing(line); ok {
		f.current = f.test(name)
		f.current.closed, f.current.passed = true, passed
	} else if f.current != nil {
		f.current.first.line(line)
		f.current.errors.line(line)
	}
	if f.current != nil {
		f.current.keep(loggedAt.ReplaceAllString(line, ""))
	}
}

// progress takes in a line that says how far the current test is.
func (f *follower) progress(line string, event Event, failed bool) {
	test := f.current
	test.first.reading = false
	test.errors.begin(line)
	begins := began(line)
	if begins {
		test.began = time.Now()
	}
	if failed {
		test.first.begin(event, f.said.between(namespaceIn(event.Object), test.began, time.Now()))
	}
	if event.Kind == Ended && test.first.found {
		failure := test.errors.with(test.first.failure)
		event.Failure = &failure
	}
	if failed && test.failed == "" {
		test.failed, test.object = event.Step, event.Object
		test.errors.keep()
	}
	event.Failed = test.failed
	if failed {
		event.GivenUp = f.ended[event.Test]
	}
	f.onEvent(event)
	f.command.begin(event, begins)
}

// test returns what is known about the test of this name.
func (f *follower) test(name string) *followed {
	if f.tests[name] == nil {
		f.tests[name] = &followed{}
	}
	return f.tests[name]
}

// keep adds a line to the output, of which only the last lines are kept.
func (t *followed) keep(line string) {
	t.output = append(t.output, line)
	if len(t.output) > outputLines {
		t.output = t.output[1:]
	}
}

// loggedAt is the place in Chainsaw's source at which a line was logged. Chainsaw makes a
// terminal delete it.
var loggedAt = regexp.MustCompile(`\S+\.go:\d+: \x08+`)

// longestLine is how much of a line is read, in bytes. A line may contain an object of the
// subject's.
const longestLine = 64 << 10

// readLine reads a line, and drops the rest of one that is too long.
func readLine(r *bufio.Reader) (string, error) {
	first, more, err := r.ReadLine()
	line, rest := string(first), 0
	for more && err == nil {
		var part []byte
		part, more, err = r.ReadLine()
		rest += len(part)
	}
	if rest > 0 {
		line += fmt.Sprintf("… (%d bytes left out)", rest)
	}
	return line, err
}

// merge joins the results that the runner wrote at its end with what the printed lines say.
// Either may lack a test if the runner was cut short.
func merge(results []Test, ends map[string]*followed) []Test {
	seen := map[string]bool{}
	for i := range results {
		test := &results[i]
		seen[test.Name] = true
		if end := ends[test.Name]; end != nil {
			test.Finished, test.Passed, test.Output = end.closed, end.passed, end.output
			if len(test.Failures) > 0 {
				test.Failures[0].Object = end.object
				test.Failures[0] = end.errors.with(test.Failures[0])
			}
		}
	}
	for name, end := range ends {
		if !seen[name] {
			results = append(results, Test{Name: name, Finished: end.closed, Passed: end.passed, Output: end.output})
		}
	}
	return results
}
