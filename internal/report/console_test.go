package report

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

func TestPlainOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		c := NewConsole(&out)
		c.Phase("starting the control plane")
		time.Sleep(61 * time.Second)
		c.Done("control plane ready")
		c.Plan(3)
		c.Phase("running the scenarios")
		c.Event(chainsaw.Event{Test: "SH-001", Step: "Start", Operation: "assert", Object: "v1/Pod"})
		time.Sleep(2 * time.Second)
		c.Event(chainsaw.Event{Test: "SH-002", Step: "@chainsaw"})
		time.Sleep(58 * time.Second)
		c.Ended("SH-001", Passes)
		c.Ended("SH-002", Fails)
		c.Ended("ST-005", NotClaimed)
		c.Done("scenarios ran")
		c.Close()
		time.Sleep(time.Minute) // nothing comes after the end
		want := `starting the control plane …
  starting the control plane, 1m0s so far
control plane ready in 1m1s
running the scenarios …
  0 of 3 done, 2 running | SH-001 59s Start | SH-002 57s
  passed SH-001 1m0s (1 of 3)
  failed SH-002 58s (2 of 3)
  not claimed ST-005 0s (3 of 3)
scenarios ran in 1m0s
`
		got := strings.ReplaceAll(out.String(), " \n", "\n")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("output (-want +got):\n%s", diff)
		}
	})
}

// TestQuietOutput: only what did not pass is shown, with what is needed to understand
// it.
func TestQuietOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		c := NewQuietConsole(&out)
		c.Phase("running the scenarios")
		c.Plan(1)
		c.Event(chainsaw.Event{Test: "SH-001", Step: "Start"})
		time.Sleep(time.Minute)
		c.Printf("news")
		c.Ended("SH-001", Fails)
		c.Done("scenarios ran")
		c.Warn("nothing can be concluded: %v", "x\x1b[2J")
		c.Accuse(v1alpha1.Result{ID: "SH-001", Must: "m", Verdict: v1alpha1.Failed, Reason: "r"})
		c.Close()
		if diff := cmp.Diff("nothing can be concluded: x\n\nFAILED SH-001: m\n  reason: r\n", out.String()); diff != "" {
			t.Errorf("output (-want +got):\n%s", diff)
		}
	})
}

func TestTerminalOutput(t *testing.T) {
	now := time.Unix(0, 0)
	var out bytes.Buffer
	c := &Console{out: &out, now: func() time.Time { return now }, width: func() int { return 30 }, running: map[string]*activity{}}
	c.Phase("running the scenarios")
	c.Plan(5)
	for _, test := range []string{"SH-001", "SH-002", "SH-003", "SH-004"} {
		c.Event(chainsaw.Event{Test: test, Step: "Wait"})
		now = now.Add(time.Second)
	}
	c.tick()
	c.Ended("SH-001", Passes)
	c.width = func() int { return 200 }
	c.tick()
	c.Awaits("SH-002", now.Add(17*time.Minute))
	c.Awaits("SH-003", now.Add(2*time.Second)) // not worth telling
	c.Awaits("SH-001", now.Add(time.Minute))   // it has ended
	c.tick()
	c.Event(chainsaw.Event{Test: "SH-002", Step: "Then"})
	c.tick()
	c.Done("scenarios ran")
	c.tick() // between phases there is nothing to show
	want := clearLine + "0 of 5 done, 4 running |…" +
		clearLine + "  passed SH-001 4s (1 of 5)\n" +
		clearLine + "1 of 5 done, 3 running | SH-002 3s Wait | SH-003 2s Wait | SH-004 1s Wait" +
		clearLine + "1 of 5 done, 3 running | SH-002 3s Wait (at most 17m0s more) | SH-003 2s Wait | SH-004 1s Wait" +
		clearLine + "1 of 5 done, 3 running | SH-002 3s Then | SH-003 2s Wait | SH-004 1s Wait" +
		clearLine + "scenarios ran in 4s\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// TestNarrower: lines are folded again if the terminal becomes narrower.
func TestNarrower(t *testing.T) {
	var out bytes.Buffer
	width := 40
	c := &Console{out: &out, now: time.Now, width: func() int { return width }}
	c.Phase("starting the control plane")
	c.tick()
	width = 10
	out.Reset()
	c.Printf("done")
	if want := "\x1b[3A" + clearLine + "done\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestPaint(t *testing.T) {
	if got := NewPainter(&bytes.Buffer{}).Bad("failed"); got != "failed" {
		t.Errorf("painted what is not a terminal: %q", got)
	}
	var out bytes.Buffer
	c := &Console{out: &out, now: time.Now, paint: Painter{on: true}, running: map[string]*activity{}}
	c.Ended("SH-001", Fails)
	if want := "  \x1b[31mfailed\x1b[0m SH-001 0s (1 of 0)\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestAccuse(t *testing.T) {
	var out bytes.Buffer
	c := &Console{out: &out}
	c.Accuse(v1alpha1.Result{
		ID: "SH-004", Must: "A foreign image is undone.", Verdict: v1alpha1.Failed, Reason: "at \"undone\" (assert): no",
		Evidence: &v1alpha1.Evidence{Difference: "-a\n+b\n", Hint: "look there", Log: []string{"one", "two"}, Reproduce: "reconform run --run '^SH-004$'"},
	})
	want := `
FAILED SH-004: A foreign image is undone.
  reason: at "undone" (assert): no
  hint:
    look there
  reproduce with:
    reconform run --run '^SH-004$'
  expected and observed:
    -a
    +b
  last lines of the controller:
    one
    two
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}
