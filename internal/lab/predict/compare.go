package predict

import (
	"math"
	"strconv"
	"strings"

	"reconform.dev/reconform/internal/lab"
)

// Comparison of a prediction with the measured answer.
type Comparison struct {
	lab.Question
	Predicted, Measured Answer
	Right               bool
}

// Compare compares the predictions with the measured answers, in the order of the
// questions.
func Compare(l *lab.Lab, predicted, measured map[string]Answer) (all []Comparison) {
	for _, q := range l.Questions {
		c := Comparison{Question: q, Predicted: predicted[q.ID], Measured: measured[q.ID]}
		c.Right = right(q, c.Predicted, c.Measured)
		all = append(all, c)
	}
	return all
}

// inexact is how much a number may differ because of its arithmetic.
const inexact = 1e-9

func right(q lab.Question, predicted, measured Answer) bool {
	if len(q.Choices) > 0 {
		return predicted.Choice == measured.Choice
	}
	if math.Abs(predicted.Number-measured.Number) <= q.Tolerance.Plus+inexact {
		return true
	}
	times := max(1, q.Tolerance.Times)
	return predicted.Number >= measured.Number/times-inexact && predicted.Number <= measured.Number*times+inexact
}

// Text returns an answer as text.
func (a Answer) Text(q lab.Question) string {
	if len(q.Choices) > 0 {
		return a.Choice
	}
	return withUnit(a.Number, q)
}

// withUnit returns a number with its unit.
func withUnit(number float64, q lab.Question) string {
	return strings.TrimSpace(short(number) + " " + q.Unit)
}

// short returns a number with at most two digits after the point.
func short(number float64) string {
	return strconv.FormatFloat(math.Round(number*100)/100, 'f', -1, 64)
}
