package lab

// Question is a question that a student predicts, and that a measurement of the experiment
// answers.
type Question struct {
	// ID of the question: its field in the answer file.
	ID string `json:"id"`
	// Ask is the question.
	Ask string `json:"ask"`
	// Choices are the possible answers. If they are left out, the answer is a number.
	Choices []string `json:"choices,omitempty"`
	// Unit of the number: Seconds, or empty if the number counts something.
	Unit string `json:"unit,omitempty"`
	// Tolerance says how near to the measured number a right prediction must be.
	Tolerance Tolerance `json:"tolerance,omitempty"`
	// Measure is a CEL expression over what was recorded of the experiment.
	Measure string `json:"measure"`
	// Because explains the answer.
	Because string `json:"because"`
}

// Seconds is the unit of times. A prediction of a time may also be written as 300ms.
const Seconds = "s"

// Tolerance of a number. A prediction is right if it is within one of the two.
type Tolerance struct {
	// Plus is the allowed difference, up or down.
	Plus float64 `json:"plus,omitempty"`
	// Times is the allowed factor, up or down.
	Times float64 `json:"times,omitempty"`
}

// Asked returns the IDs of a lab's checks, or of its questions.
func (l *Lab) Asked() (ids []string) {
	for _, c := range l.Checks {
		ids = append(ids, c.ID)
	}
	for _, q := range l.Questions {
		ids = append(ids, q.ID)
	}
	return ids
}
