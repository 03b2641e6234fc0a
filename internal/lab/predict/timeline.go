package predict

import (
	"fmt"
	"strings"
	"time"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// Timeline returns the timeline of an experiment: what was done, and what the controller
// sent, and who held its Lease. Similar requests between two events of the bench are one
// line.
func Timeline(r *Trace) []string {
	t := &timeline{first: r.began(), spoken: map[string]*row{}}
	requests := r.Requests
	for _, event := range r.Events {
		n := 0
		for n < len(requests) && requests[n].Seq < event.Seq {
			n++
		}
		t.sent(requests[:n])
		requests = requests[n:]
		if text := told(event); text != "" {
			t.flush()
			t.say(event.Time, event.Replica, text)
		}
	}
	t.sent(requests)
	t.flush()
	return t.lines
}

// timeline is a timeline that is being made.
type timeline struct {
	first  time.Time
	holder string // of the Lease
	lines  []string
	spoken map[string]*row
	order  []*row // since the last event
}

// row is a request that a replica sent several times.
type row struct {
	first, last time.Time
	replica     string
	what        string
	names       []string
	answer      string
	times       int
}

// told returns what the timeline says about an event, or "".
func told(e history.Event) string {
	what, isReplica := strings.CutPrefix(e.Reason, "Replica")
	switch {
	case e.Reason == history.StepBegan && catalogue.RoleOf(e.Message) != "":
		return "── " + e.Message
	case e.Reason == history.ReplicaCrashed:
		return "ends by itself"
	case isReplica:
		return "is " + strings.ToLower(what)
	case e.Reason == history.FaultArmed, e.Reason == history.FaultDone, e.Reason == history.DisruptionDone:
		kind, name, _ := strings.Cut(e.Object, "/")
		return fmt.Sprintf("   the %s %s is %s", kind, name, strings.ToLower(strings.TrimPrefix(e.Reason, kind)))
	default:
		return ""
	}
}

// say adds a line. It names a replica as the texts of the labs do.
func (t *timeline) say(at time.Time, who, what string) {
	who = strings.Replace(who, "subject-", "replica ", 1)
	t.lines = append(t.lines, fmt.Sprintf("%8.2f s  %-10s %s", at.Sub(t.first).Seconds(), who, what))
}

// sent adds requests to the lines that are collected.
func (t *timeline) sent(requests []history.Request) {
	for n := range requests {
		q := &requests[n]
		if q.Resource == "" {
			continue // discovery, health and the like
		}
		t.lease(q)
		r := &row{first: q.Time, replica: q.Replica, what: verbOf(q) + " " + q.Resource, answer: answerTo(q)}
		if q.Subresource != "" {
			r.what += "/" + q.Subresource
		}
		key := strings.Join([]string{r.replica, r.what, r.answer}, "|")
		if have := t.spoken[key]; have != nil {
			r = have
		} else {
			t.spoken[key] = r
			t.order = append(t.order, r)
		}
		r.times++
		r.last = q.Time
		if q.Name != "" && (len(r.names) == 0 || r.names[len(r.names)-1] != q.Name) {
			r.names = append(r.names, q.Name)
		}
	}
}

// lease adds a line when the Lease has another holder.
func (t *timeline) lease(q *history.Request) {
	if !q.WritesLease() || q.Holder == t.holder {
		return
	}
	t.flush()
	if t.holder = q.Holder; t.holder == "" {
		t.say(q.Time, q.Replica, "gives the Lease back")
		return
	}
	t.say(q.Time, q.Replica, "takes the Lease")
}

// flush writes the collected lines.
func (t *timeline) flush() {
	for _, r := range t.order {
		text := r.what
		switch len(distinct(r.names)) {
		case 0:
		case 1:
			text += " " + r.names[0]
		default:
			text += fmt.Sprintf(" (%d names)", len(distinct(r.names)))
		}
		text += ": " + r.answer
		if r.times > 1 {
			text += fmt.Sprintf(" × %d, until %.2f s", r.times, r.last.Sub(t.first).Seconds())
		}
		t.say(r.first, r.replica, text)
	}
	t.order, t.spoken = nil, map[string]*row{}
}

func verbOf(q *history.Request) string {
	if q.StreamingList {
		return "list and watch"
	}
	return q.Verb
}

// answerTo describes the answer to a request in words.
func answerTo(q *history.Request) string {
	text := fmt.Sprint(q.Code)
	switch {
	case q.Code == 0 && q.Verb == history.VerbWatch:
		text = "open"
	case q.Code == 0:
		text = "no answer"
	case q.Effect == history.EffectNoop:
		text += ", nothing changed"
	}
	if q.Fault != "" && q.Verb != history.VerbWatch { // The watch was open before.
		text += ", by the Fault " + q.Fault
	}
	return text
}

func distinct(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}
