package explore

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
)

// KeptFile is the file in which an exploration keeps what it has done, in the folder of
// the report. Each line is one JSON document: what it is about, then what was recorded,
// then the result of each plan.
const KeptFile = "explore-kept.jsonl"

// Kept is an open KeptFile. Each result is written to it at once, so that an
// exploration can be resumed, however it was ended.
type Kept struct {
	recorded *recorded         // nil: nothing was recorded before
	endings  map[string]ending // by digest of the plan
	smaller  map[string]ending // by ID of the cause
	progress progress          // of the explorations before
	damaged  []int             // numbers of lines that cannot be read

	mu   sync.Mutex
	file *os.File
	torn bool  // the last line is not complete
	err  error // why something could not be kept
}

// recorded is what was recorded and planned.
type recorded struct {
	Recordings []*Recording `json:"recordings"`
	Plans      []keptPlan   `json:"plans"` // in order
	Objects    []string     `json:"objects"`
	All        int          `json:"all"`
	Left       []string     `json:"left,omitempty"`
	Took       time.Duration
	// Parallel is how many Trials ran side by side.
	Parallel int `json:"parallel,omitempty"`
}

// keptPlan is a plan. Many plans expect the same outcome, so that is kept once only.
type keptPlan struct {
	Plan
	Expects int `json:"expects"`
}

// ending is the result of a plan.
type ending struct {
	// Plan by its digest.
	Plan string `json:"plan,omitempty"`
	// Unreached says why it never got to its point.
	Unreached string `json:"unreached,omitempty"`
	// Unanswered says what the controller did without an answer, if the plan did not diverge.
	Unanswered *v1alpha1.Unanswered `json:"unanswered,omitempty"`
	// Finding if it diverged.
	Finding *keptFinding `json:"finding,omitempty"`
	// Cause whose plan was made smaller, and the result of that.
	Cause     string              `json:"cause,omitempty"`
	Minimised *v1alpha1.Minimised `json:"minimised,omitempty"`
	Smaller   *keptPlan           `json:"smaller,omitempty"`

	progress
}

// keptFinding is a finding without its plan.
type keptFinding struct {
	Status    v1alpha1.TrialStatus `json:"status"`
	Namespace string               `json:"namespace"`
	Came      int                  `json:"came"`
	Tries     int                  `json:"tries"`
	Confirmed bool                 `json:"confirmed,omitempty"`
}

// progress is what all explorations of a report had done together at some time.
type progress struct {
	Took       time.Duration `json:"took"`
	Repeats    int           `json:"repeats,omitempty"`
	Namespaces int64         `json:"namespaces"`
}

// Keep begins a new file.
func Keep(path string, identity Identity) (*Kept, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the file for what is done: %w", err)
	}
	k := &Kept{file: file}
	if err := k.add(identity); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return k, nil
}

// Resume reads a file, and goes on with it. The error says what has changed since, if the
// two cannot be one exploration.
func Resume(path string, identity Identity) (*Kept, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no exploration to go on with: %w; explore without --resume", err)
	}
	if err != nil {
		return nil, fmt.Errorf("opening what was done before: %w", err)
	}
	k := &Kept{file: file, endings: map[string]ending{}, smaller: map[string]ending{}}
	if err := k.read(path, identity); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return k, nil
}

// read reads what was kept. A line that cannot be read is left out. If it is not complete, the
// process was killed, or the disk was full, while it was written.
func (k *Kept) read(path string, identity Identity) error {
	lines := bufio.NewReader(k.file)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading what was done before: %w", err)
		}
		k.torn = len(line) > 0 && line[len(line)-1] != '\n'
		if number == 1 {
			if err := fits(path, line, identity); err != nil {
				return err
			}
		} else if len(line) > 0 && !k.take(line) {
			k.damaged = append(k.damaged, number)
		}
		if err != nil {
			return nil
		}
	}
}

// fits says whether the first line is about the same as an exploration that goes on.
func fits(path string, line []byte, identity Identity) error {
	var earlier Identity
	if err := json.Unmarshal(line, &earlier); err != nil {
		return fmt.Errorf("%s:1: it does not say what was explored, so nobody can go on with it (%w); explore without --resume", path, err)
	}
	if differences := earlier.differs(identity); len(differences) > 0 {
		return fmt.Errorf("nobody can go on with the exploration in %s: since then, %s; explore without --resume", path, strings.Join(differences, ", and "))
	}
	return nil
}

// take reads one line, and says whether it could.
func (k *Kept) take(line []byte) bool {
	var one struct {
		Recorded *recorded `json:"recorded"`
		ending
	}
	if json.Unmarshal(line, &one) != nil {
		return false
	}
	k.progress.Took = max(k.progress.Took, one.Took)
	k.progress.Repeats = max(k.progress.Repeats, one.Repeats)
	k.progress.Namespaces = max(k.progress.Namespaces, one.Namespaces)
	switch {
	case one.Recorded != nil:
		k.recorded = one.Recorded
	case one.Plan != "":
		k.endings[one.Plan] = one.ending
	case one.Cause != "":
		k.smaller[one.Cause] = one.ending
	}
	return true
}

// lost says which lines could not be read, or returns "".
func (k *Kept) lost() string {
	if len(k.damaged) == 0 {
		return ""
	}
	var lines []string
	for _, number := range k.damaged {
		lines = append(lines, fmt.Sprint(number))
	}
	what := "line "
	if len(lines) > 1 {
		what = "lines "
	}
	return fmt.Sprintf("%s%s of %s cannot be read: what was kept there counts as not done", what, sanitize.CutList(lines, namesShown, ", "), KeptFile)
}

// add writes a line. An error is remembered: nothing that was found is lost by it, but a
// later exploration will not know it.
func (k *Kept) add(value any) error {
	if k == nil {
		return nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encoding what was done: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.torn {
		data = append([]byte("\n"), data...)
	}
	written, err := k.file.Write(append(data, '\n'))
	k.torn = k.torn && written == 0 || err != nil && written > 0
	if err != nil {
		k.err = fmt.Errorf("keeping what was done: %w", err)
	}
	return err
}

// broken says why something could not be kept, or returns "".
func (k *Kept) broken() string {
	if k == nil {
		return ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == nil {
		return ""
	}
	return "what was done could not be kept completely, so --resume will do some of it again: " + k.err.Error()
}

// Close closes the file.
func (k *Kept) Close() error {
	if k == nil {
		return nil
	}
	return k.file.Close()
}

// digest names a plan in the file.
func (p *Plan) digest() (string, error) {
	key, err := p.key()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(key)))[:20], nil
}

// keepPlans returns plans as they are kept. Many expect the same outcome, so the outcomes are
// returned apart, each once.
func keepPlans(plans []*Plan) (kept []keptPlan, objects []string) {
	index := map[string]int{}
	for _, p := range plans {
		expected := p.Undisturbed.Objects
		if _, known := index[expected]; !known {
			index[expected] = len(objects)
			objects = append(objects, expected)
		}
		one := p.kept()
		one.Expects, one.Undisturbed.Objects = index[expected], ""
		kept = append(kept, one)
	}
	return kept, objects
}

func (p *Plan) kept() keptPlan { return keptPlan{Plan: *p} }

// plans returns the plans that were kept.
func (r *recorded) plans() []*Plan {
	var all []*Plan
	for _, one := range r.Plans {
		p := one.Plan
		if one.Expects >= 0 && one.Expects < len(r.Objects) {
			p.Undisturbed.Objects = r.Objects[one.Expects]
		}
		all = append(all, &p)
	}
	return all
}

// finding returns the finding of a plan.
func (f *keptFinding) finding(plan *Plan) *finding {
	return &finding{plan: plan, first: &tried{f.Status, f.Namespace}, came: f.Came, tries: f.Tries, confirmed: f.Confirmed}
}

// kept returns a finding as it is kept. Its outcome, which is large, is not needed any more.
func (f *finding) kept() *keptFinding {
	status := f.first.TrialStatus
	status.Outcome = ""
	return &keptFinding{Status: status, Namespace: f.first.namespace, Came: f.came, Tries: f.tries, Confirmed: f.confirmed}
}
