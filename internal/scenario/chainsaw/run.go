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

	// The process is supervised, so that neither it nor a kubectl that it runs outlives us,
	// and so that Ctrl+C in the terminal reaches only us.
	running, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	cmd, err := supervisor.Command(running, supervisor.Options{}, executable, runnerFlag)
	if err != nil {
		return nil, fmt.Errorf("starting chainsaw: %w", err)
	}
	// What the user has set takes precedence. Each kubectl that Chainsaw runs gets it, too.
	cmd.Env = slices.Concat(garbage.Environment(), os.Environ(), []string{"KUBECONFIG=" + job.Kubeconfig, "TMPDIR=" + job.TempDir})
	if job.Path != "" {
		cmd.Env = append(cmd.Env, "PATH="+job.Path+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	cmd.Stderr = log
	cmd.WaitDelay = 5 * time.Second
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
	tests := map[string]*followed{}
	get := func(name string) *followed {
		if tests[name] == nil {
			tests[name] = &followed{}
		}
		return tests[name]
	}
	var current *followed
	var said verdicts            // at the times at which their lines were read
	held := map[string]bool{}    // tests that do not begin
	ended := map[string]string{} // what tests waited for whose assert was ended
	var command commanded
	lines := bufio.NewReaderSize(r, longestLine)
	for {
		line, err := readLine(lines)
		if err != nil {
			return tests
		}
		if verdict, ok := parseVerdict(line); ok {
			verdict.at = time.Now()
			said.add(verdict)
			continue
		}
		if name, ok := strings.CutPrefix(line, heldLine); ok {
			held[name] = true
			continue
		}
		if rest, ok := strings.CutPrefix(line, endedLine); ok {
			name, resource, _ := strings.Cut(rest, " ")
			ended[name] = resource
			continue
		}
		if event, failed, ok := parseProgress(line); ok && held[event.Test] {
			current = get(event.Test)
		} else if ok {
			current = get(event.Test)
			current.first.reading = false
			current.errors.begin(line)
			begins := began(line)
			if begins {
				current.began = time.Now()
			}
			if failed {
				current.first.begin(event, said.between(namespaceIn(event.Object), current.began, time.Now()))
			}
			if event.Kind == Ended && current.first.found {
				failure := current.errors.with(current.first.failure)
				event.Failure = &failure
			}
			if failed && current.failed == "" {
				current.failed, current.object = event.Step, event.Object
				current.errors.keep()
			}
			event.Failed = current.failed
			if failed {
				event.GivenUp = ended[event.Test]
			}
			onEvent(event)
			command.begin(event, begins)
		} else if event, ok := command.line(line); ok {
			onEvent(event)
		} else if name, passed, ok := parseClosing(line); ok {
			current = get(name)
			current.closed, current.passed = true, passed
		} else if current != nil {
			current.first.line(line)
			current.errors.line(line)
		}
		if current != nil {
			current.output = append(current.output, loggedAt.ReplaceAllString(line, ""))
			if len(current.output) > outputLines {
				current.output = current.output[1:]
			}
		}
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
