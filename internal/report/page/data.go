package page

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/internal/record/history"
)

// data is what the script draws: the looks at each requirement, by the anchor of its
// entry.
type data struct {
	Text  []string              `json:"text"`
	Words []string              `json:"words"` // texts of logs
	Looks map[string][]drawable `json:"looks"`
	Times map[string]float64    `json:"times"` // declared in the profile, in seconds
}

// drawable is a look as numbers. Times are in tenths of milliseconds from its beginning.
// Texts are indexes in data.Text.
type drawable struct {
	Name     int     `json:"name"`
	Began    string  `json:"began"`
	Length   int64   `json:"length"`
	Judged   bool    `json:"judged"`
	LeftOut  int     `json:"leftOut"`
	Proving  []int64 `json:"proving,omitempty"`
	Requests [][]any `json:"requests"`
	Events   [][]any `json:"events"`
	Log      [][]any `json:"log,omitempty"`
	Unspoken int     `json:"unspoken,omitempty"`
}

// The bits of requests and events.
const (
	bitApply = 1 << iota
	bitStreaming
	bitUnfinished
	bitOptional
)

// Limits of the requests on the page: in all, in a scenario that was accused, and in
// another scenario. Each accused scenario has some, however many there are.
const (
	mostInAll   = 24000
	mostAccused = 3000
	leastEach   = 100
	mostOthers  = 120
)

// share returns how many requests of a look may be shown, if this many looks are accused.
func share(accused int) int {
	return min(mostAccused, max(leastEach, mostInAll/max(1, accused)))
}

// linesEach returns how many lines of a look's logs may be shown, if this many looks are
// accused.
func linesEach(accused int) int {
	return min(mostLinesEach, max(leastLines, mostLines/max(1, accused)))
}

// tick is the unit of time.
const tick = 100 * time.Microsecond

func (t *texts) drawable(l *look, most int) drawable {
	from, to := l.span()
	kept, leftOut := l.thin(most)
	d := drawable{
		Name: t.add(l.namespace), Began: from.UTC().Format("2006-01-02T15:04:05.000Z"), Length: int64(to.Sub(from) / tick),
		Judged: l.judged, LeftOut: leftOut, Requests: make([][]any, 0, len(kept)), Events: make([][]any, 0, len(l.events)),
	}
	for seq := range l.proving {
		d.Proving = append(d.Proving, seq)
	}
	slices.Sort(d.Proving)
	for n := range kept {
		d.Requests = append(d.Requests, t.request(&kept[n], from, l.namespace))
	}
	for _, e := range l.events {
		flags := 0
		if e.Optional {
			flags = bitOptional
		}
		d.Events = append(d.Events, trimmed([]any{
			e.Seq, int64(e.Time.Sub(from) / tick), t.add(e.Reason), t.add(e.Replica), t.add(e.Object), t.add(e.Message),
			flags, int64(e.Took.Duration / tick),
		}))
	}
	return d
}

// log returns the log of a look as numbers: when, by whom, how often, whether it is about
// an error, the text, whether its time is in whole seconds, and whether it has none: 1 if it
// belongs to the line before, 2 if no line before has one either.
func (t *texts) log(l *look, words *texts) [][]any {
	from, _ := l.span()
	var rows [][]any
	for _, one := range l.spoken {
		bad := 0
		if one.line.Level == "error" {
			bad = 1
		}
		whole, further := 0, 0
		if one.whole {
			whole = 1
		}
		switch {
		case one.further:
			further = 1
		case one.undated:
			further = 2
		}
		rows = append(rows, trimmed([]any{
			int64(one.at.Sub(from) / tick), t.add(one.replica), one.line.Times, bad, words.add(one.line.Text), whole, further,
		}))
	}
	return rows
}

// request returns a request as numbers.
func (t *texts) request(r *history.Request, from time.Time, namespace string) []any {
	kind, name := r.Resource, r.Name
	if r.Subresource != "" {
		kind += "/" + r.Subresource
	}
	if r.Resource == "" {
		kind, name = "no object", r.Path
	} else if r.Namespace != "" && r.Namespace != namespace {
		name = r.Namespace + "/" + name
	}
	flags := 0
	for _, f := range []struct {
		set bool
		bit int
	}{{r.Apply, bitApply}, {r.StreamingList, bitStreaming}, {!r.Finished, bitUnfinished}} {
		if f.set {
			flags |= f.bit
		}
	}
	return trimmed([]any{
		r.Seq, int64(r.Time.Sub(from) / tick), int64(max(0, r.Duration.Duration) / tick), t.add(r.Replica), t.add(r.Verb),
		t.add(kind), t.add(name), r.Code, t.add(string(r.Effect)), flags, r.Generation, r.GenerationBefore,
		t.add(r.Fault), t.add(said(r)), t.add(r.Holder), t.add(strings.Join(r.Changed, ", ")), t.add(r.EventReason),
	})
}

// said returns the message of an error answer, and what the proxy noted.
func said(r *history.Request) string {
	answer := r.Message
	if !strings.Contains(answer, r.Reason) {
		answer = strings.TrimPrefix(r.Reason+": "+answer, ": ")
	}
	return strings.Join(slices.DeleteFunc([]string{answer, r.Note}, func(s string) bool { return s == "" }), "; ")
}

// trimmed removes the zeros at the end, which need not be written.
func trimmed(row []any) []any {
	for len(row) > 0 && (row[len(row)-1] == 0 || row[len(row)-1] == int64(0)) {
		row = row[:len(row)-1]
	}
	return row
}

// byJudged sorts first the look that the result is about.
func byJudged(a, b *look) int {
	return -cmp.Compare(number(a.judged), number(b.judged))
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
