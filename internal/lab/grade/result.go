package grade

// Outcome of grading one submission.
type Outcome string

// The outcomes.
const (
	// Judged: the checks say what is reached.
	Judged Outcome = "judged"
	// NotBuilt: it does not compile, or its build used too much.
	NotBuilt Outcome = "not built"
	// Refused: it is not a submission that can be graded.
	Refused Outcome = "refused"
	// TimeUp: it took longer than allowed.
	TimeUp Outcome = "time up"
	// Broken: it could not be graded. The reason may be the machine.
	Broken Outcome = "not graded"
)

// Result of one submission. It has nothing about any other.
type Result struct {
	Submission string  `json:"submission"`
	Lab        string  `json:"lab,omitempty"`
	Outcome    Outcome `json:"outcome"`
	Why        string  `json:"why,omitempty"`
	// Reached of Of checks are reached.
	Reached int     `json:"reached"`
	Of      int     `json:"of"`
	Checks  []Check `json:"checks,omitempty"`
	// Promises says that its profile promises something else than the lab's.
	Promises string  `json:"promises,omitempty"`
	Seconds  float64 `json:"seconds"`
	// Report is what a check tells the student.
	Report string `json:"report,omitempty"`
}

// Check is a check of the lab.
type Check struct {
	ID      string `json:"id"`
	Must    string `json:"must"`
	Verdict string `json:"verdict"`
	Reached bool   `json:"reached"`
}

// All tells whether all checks are reached.
func (r *Result) All() bool { return r.Outcome == Judged && r.Reached == r.Of }
