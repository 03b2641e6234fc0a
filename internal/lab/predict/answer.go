package predict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/lab"
)

// Answer is a prediction, or what was measured.
type Answer struct {
	Number float64
	Choice string // if the question has choices
}

// Answers reads the answer file: a prediction for each question, by its ID. The error names
// the file, the line and the field.
func Answers(file string, data []byte, l *lab.Lab) (map[string]Answer, error) {
	wrong := func(line int, format string, args ...any) error {
		return fmt.Errorf("%s:%d: %w", file, line, fmt.Errorf(format, args...))
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: it is not YAML: %w", file, err)
	}
	var fields yaml.Node
	if len(document.Content) > 0 {
		fields = *document.Content[0]
	}
	if fields.Kind != yaml.MappingNode {
		return nil, wrong(max(1, fields.Line), "want a line FIELD: ANSWER for each question, the fields %s", strings.Join(l.Asked(), ", "))
	}
	answers := map[string]Answer{}
	for i := 0; i+1 < len(fields.Content); i += 2 {
		key, value := fields.Content[i], fields.Content[i+1]
		n := slices.IndexFunc(l.Questions, func(q lab.Question) bool { return q.ID == key.Value })
		if n < 0 {
			return nil, wrong(key.Line, "%s: there is no such question; the fields are %s", key.Value, strings.Join(l.Asked(), ", "))
		}
		if _, twice := answers[key.Value]; twice {
			return nil, wrong(key.Line, "%s: it is answered twice", key.Value)
		}
		answer, err := answerOf(value, l.Questions[n])
		if err != nil {
			return nil, wrong(key.Line, "%s: %w", key.Value, err)
		}
		answers[key.Value] = answer
	}
	for _, q := range l.Questions {
		if _, ok := answers[q.ID]; !ok {
			return nil, wrong(max(1, fields.Line), "%s: the answer is missing: %s %s", q.ID, q.Ask, kindOf(q))
		}
	}
	return answers, nil
}

// answerOf reads the answer to a question.
func answerOf(value *yaml.Node, q lab.Question) (Answer, error) {
	text := strings.TrimSpace(value.Value)
	switch {
	case value.Kind != yaml.ScalarNode:
		return Answer{}, fmt.Errorf("want one value %s", kindOf(q))
	case text == "" || value.Tag == "!!null":
		return Answer{}, fmt.Errorf("nothing is predicted yet: %s %s", q.Ask, kindOf(q))
	case len(q.Choices) > 0:
		n := slices.IndexFunc(q.Choices, func(choice string) bool { return strings.EqualFold(choice, text) })
		if n < 0 {
			return Answer{}, fmt.Errorf("%q is not a choice; the choices are %s", text, strings.Join(q.Choices, ", "))
		}
		return Answer{Choice: q.Choices[n]}, nil
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil && q.Unit == lab.Seconds {
		number, err = seconds(text)
	}
	if err != nil && strings.Contains(text, ",") {
		return Answer{}, fmt.Errorf("%q has a comma: write 1.5, or 1500 without a separator %s", text, kindOf(q))
	}
	if err != nil || math.IsNaN(number) || math.IsInf(number, 0) || number < 0 {
		return Answer{}, fmt.Errorf("%q is not an answer %s", text, kindOf(q))
	}
	return Answer{Number: number}, nil
}

// seconds reads a time with its unit, as Go writes it, or in words.
func seconds(text string) (float64, error) {
	for _, unit := range []struct{ word, short string }{{"seconds", "s"}, {"second", "s"}, {"secs", "s"}, {"sec", "s"}, {"minutes", "m"}, {"minute", "m"}, {"min", "m"}} {
		if number, ok := strings.CutSuffix(strings.ToLower(text), unit.word); ok {
			text = number + unit.short
			break
		}
	}
	d, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
	return d.Seconds(), err
}
