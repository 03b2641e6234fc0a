package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report/evidence"
	"reconform.dev/reconform/internal/report/logline"
	"reconform.dev/reconform/internal/report/paragraph"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

const (
	redraw = 200 * time.Millisecond
	// heartbeat is how often a run without a terminal says that it goes on. Each scenario has
	// a line of its own, when it ends.
	heartbeat = time.Minute
	// shortWait is how long a wait must still last to be told.
	shortWait = 30 * time.Second
	// mostLog is how many characters of a line of a log are shown.
	mostLog   = 300
	clearLine = "\r\x1b[J"
)

// Console prints a run. Its methods may be called from any goroutine.
type Console struct {
	out   io.Writer
	width func() int // nil if out is not a terminal
	quiet bool       // show only what did not pass
	now   func() time.Time
	paint Painter

	mu      sync.Mutex
	phase   string
	since   time.Time
	running map[string]*activity
	planned int
	ended   int
	live    int // characters of the live line
	stop    chan struct{}
	stopped sync.WaitGroup
}

// activity is what a scenario is doing.
type activity struct {
	since time.Time
	at    string
	// until is when what it waits for must have come. It is zero if that is not known.
	until time.Time
}

// NewConsole makes a console that writes to out. It updates the live line until Close.
func NewConsole(out io.Writer) *Console {
	c := &Console{out: out, now: time.Now, paint: NewPainter(out), running: map[string]*activity{}, stop: make(chan struct{})}
	c.keepLive()
	return c
}

// NewLiveConsole makes a console that shows warnings, what did not pass, and the live line,
// which says what is being done. It updates that until Close.
func NewLiveConsole(out io.Writer) *Console {
	c := NewQuietConsole(out)
	c.keepLive()
	return c
}

// keepLive draws the live line from time to time, until Close.
func (c *Console) keepLive() {
	interval := heartbeat
	if file := terminal(c.out); file != nil {
		interval = redraw
		c.width = func() int {
			width, _, err := term.GetSize(int(file.Fd()))
			if err != nil || width <= 0 {
				return 80
			}
			return width
		}
	}
	c.stopped.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				c.tick()
			case <-c.stop:
				return
			}
		}
	})
}

// NewQuietConsole makes a console that shows only warnings and what did not pass.
func NewQuietConsole(out io.Writer) *Console {
	return &Console{
		out: out, now: time.Now, paint: NewPainter(out), running: map[string]*activity{}, stop: make(chan struct{}), quiet: true,
	}
}

// Close ends the live line. The console can still print afterwards.
func (c *Console) Close() {
	close(c.stop)
	c.stopped.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
}

// Phase says what begins now. Scenarios that ran before are no longer running.
func (c *Console) Phase(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.phase, c.since = name, c.now()
	clear(c.running)
	if c.width == nil && !c.quiet {
		fmt.Fprintf(c.out, "%s …\n", name)
	}
}

// Done says that the phase is over, and how long it took.
func (c *Console) Done(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.news(fmt.Sprintf("%s in %s", text, Round(c.now().Sub(c.since))))
	c.phase = ""
}

// Printf prints one separate line. It makes the line harmless, because an argument may
// come from a subject.
func (c *Console) Printf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.news(sanitize.Text(fmt.Sprintf(format, args...)))
}

// Warn is like Printf, for what one must know to understand the verdict. A quiet console
// prints it too.
func (c *Console) Warn(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line(sanitize.Text(fmt.Sprintf(format, args...)))
}

// Plan says how many scenarios will run.
func (c *Console) Plan(count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.planned, c.ended = count, 0
}

// Event shows what a scenario is doing, under the name in the event's field Test.
func (c *Console) Event(e chainsaw.Event) {
	sanitize.All(&e)
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.activity(e.Test)
	if e.Step != "@chainsaw" && a.at != e.Step { // the scenario's own words
		a.at, a.until = e.Step, time.Time{}
	}
}

// Awaits says until when a scenario waits at most in its present step.
func (c *Console) Awaits(title string, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.running[title]; a != nil {
		a.until = until
	}
}

// activity returns the activity of a scenario. If there is none, it begins now. The lock
// is held.
func (c *Console) activity(title string) *activity {
	present := c.running[title]
	if present == nil {
		present = &activity{since: c.now()}
		c.running[title] = present
	}
	return present
}

// Outcome is how a scenario ended. It is not yet the verdict on its requirement.
type Outcome string

// The outcomes of a scenario.
const (
	// Passes: every step passed.
	Passes Outcome = "passed"
	// Fails: a step that judges failed.
	Fails Outcome = "failed"
	// Unsettled: a step that does not judge failed. The requirement may have failed all the
	// same, because of what was recorded.
	Unsettled Outcome = "ended early"
	// NotClaimed: the scenario is about something that is not claimed. It is judged only
	// if that was seen.
	NotClaimed Outcome = "not claimed"
)

// Ended says that a scenario has ended.
func (c *Console) Ended(title string, outcome Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	took := c.now().Sub(c.activity(title).since)
	delete(c.running, title)
	c.ended++
	word := string(outcome)
	switch outcome {
	case Passes:
		word = c.paint.Good(word)
	case Fails:
		word = c.paint.Bad(word)
	case Unsettled:
		word = c.paint.Unsure(word)
	}
	c.news(fmt.Sprintf("  %s %s %s (%d of %d)", word, title, Round(took), c.ended, c.planned))
}

// Accuse prints one result that did not pass, with its evidence, made harmless.
func (c *Console) Accuse(result v1alpha1.Result) {
	r := result.DeepCopy()
	sanitize.All(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Verdict == v1alpha1.Blocked {
		c.line(c.wrapped(fmt.Sprintf("\nBLOCKED %s: %s\n  %s", r.ID, r.Must, paragraph.Indent(evidence.Reason(r)))))
		return
	}
	word := strings.ToUpper(string(r.Verdict))
	if r.Verdict == v1alpha1.ResultInconclusive {
		word = c.paint.Unsure(word)
	} else {
		word = c.paint.Bad(word)
	}
	if r.Evidence != nil {
		r.Evidence.Log = logline.InBrief(r.Evidence.Log)
		for n, line := range r.Evidence.Log {
			r.Evidence.Log[n] = sanitize.Cut(line, mostLog)
		}
	}
	c.line(c.wrapped(fmt.Sprintf("\n%s %s: %s\n  %s", word, r.ID, evidence.Must(r), paragraph.Indent(evidence.Text(r)))))
}

// usualWidth is the width of what is not a terminal.
const usualWidth = 120

// wrapped wraps the lines of a text to the width of the terminal.
func (c *Console) wrapped(text string) string {
	width := usualWidth
	if c.width != nil {
		width = c.width()
	}
	return paragraph.Keep(text, width)
}

// news prints a line, unless the console is quiet. The lock is held.
func (c *Console) news(text string) {
	if !c.quiet {
		c.line(text)
	}
}

// line prints a line above the live line. The lock is held.
func (c *Console) line(text string) {
	c.erase()
	fmt.Fprintln(c.out, text)
}

// erase erases the live line. If the terminal has become narrower, the live line takes
// several rows.
func (c *Console) erase() {
	if c.width == nil {
		return
	}
	if rows := (c.live - 1) / c.width(); rows > 0 {
		fmt.Fprintf(c.out, "\x1b[%dA", rows)
	}
	c.live = 0
	fmt.Fprint(c.out, clearLine)
}

// tick draws the live line: the running scenarios, the longest first, and what each is
// doing.
func (c *Console) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == "" {
		return
	}
	text := fmt.Sprintf("%s, %s so far", c.phase, c.now().Sub(c.since).Round(time.Second))
	if len(c.running) > 0 {
		text = fmt.Sprintf("%d of %d done, %d running", c.ended, c.planned, len(c.running))
		ids := make([]string, 0, len(c.running))
		for id := range c.running {
			ids = append(ids, id)
		}
		slices.SortFunc(ids, func(a, b string) int {
			return c.running[a].since.Compare(c.running[b].since)
		})
		for i, id := range ids {
			if i == 3 {
				text += ", …"
				break
			}
			a := c.running[id]
			text += fmt.Sprintf(" | %s %s %s", id, c.now().Sub(a.since).Round(time.Second), a.at)
			if left := a.until.Sub(c.now()).Round(time.Second); left >= shortWait {
				text += fmt.Sprintf(" (at most %s more)", left)
			}
		}
	}
	if c.width == nil {
		fmt.Fprintln(c.out, "  "+text)
		return
	}
	text = sanitize.CutEnd(text, c.width()-1)
	c.erase()
	c.live = len([]rune(text))
	fmt.Fprint(c.out, text)
}
