package lab

// Question is what a student predicts, and a measure of the experiment answers.
type Question struct {
	// ID of it: the field of the answer file.
	ID string `json:"id"`
	// Ask is the question.
	Ask string `json:"ask"`
	// Choices are the answers that there are. Left out: it is a number.
	Choices []string `json:"choices,omitempty"`
	// Unit of the number: Seconds, or none where it counts something.
	Unit string `json:"unit,omitempty"`
	// Tolerance says how near to the measured number a prediction is right.
	Tolerance Tolerance `json:"tolerance,omitempty"`
	// Measure is a CEL expression of what was recorded of the experiment.
	Measure string `json:"measure"`
	// Because explains the answer.
	Because string `json:"because"`
}

// Seconds is the unit of times. A prediction in it may also be written as 300ms.
const Seconds = "s"

// Tolerance of a number. A prediction is right within either.
type Tolerance struct {
	// Plus is how much it may be more or less.
	Plus float64 `json:"plus,omitempty"`
	// Times is how many times as much, or as little, it may be.
	Times float64 `json:"times,omitempty"`
}

// Asked is what there is to reach in a lab: the IDs of its checks, or of its questions.
func (l *Lab) Asked() (ids []string) {
	for _, c := range l.Checks {
		ids = append(ids, c.ID)
	}
	for _, q := range l.Questions {
		ids = append(ids, q.ID)
	}
	return ids
}
