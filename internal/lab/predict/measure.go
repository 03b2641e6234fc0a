package predict

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"

	"reconform.dev/reconform/internal/lab"
)

// costLimit limits one evaluation.
const costLimit = 20_000_000

// Measure answers the questions of a lab from what was recorded.
func Measure(l *lab.Lab, r *Trace) (map[string]Answer, error) {
	measured := map[string]Answer{}
	facts := r.facts()
	for _, q := range l.Questions {
		program, err := compile(q)
		if err != nil {
			return nil, err
		}
		out, _, err := program.Eval(facts)
		if err != nil {
			return nil, fmt.Errorf("measuring %s: %w", q.ID, err)
		}
		if measured[q.ID], err = answer(q, out.Value()); err != nil {
			return nil, fmt.Errorf("measuring %s: %w", q.ID, err)
		}
	}
	return measured, nil
}

// compile checks the measure of a question.
func compile(q lab.Question) (cel.Program, error) {
	entries := cel.ListType(cel.MapType(cel.StringType, cel.DynType))
	env, err := cel.NewEnv(
		cel.Variable("requests", entries),
		cel.Variable("events", entries),
		cel.Variable("log", entries),
		cel.Variable("objects", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("began", cel.MapType(cel.StringType, cel.DoubleType)),
		cel.OptionalTypes(),
		ext.Strings(),
		ext.Lists(),
		ext.Math(),
		ext.Bindings(),
	)
	if err != nil {
		return nil, fmt.Errorf("preparing CEL: %w", err)
	}
	ast, issues := env.Compile(q.Measure)
	if err := issues.Err(); err != nil {
		return nil, fmt.Errorf("compiling the measure of %s: %w", q.ID, err)
	}
	program, err := env.Program(ast, cel.CostLimit(costLimit))
	if err != nil {
		return nil, fmt.Errorf("compiling the measure of %s: %w", q.ID, err)
	}
	return program, nil
}

// answer returns the result of a measure as an answer. True means yes, and false means no.
func answer(q lab.Question, value any) (Answer, error) {
	if len(q.Choices) > 0 {
		choice := fmt.Sprint(value)
		switch value {
		case true:
			choice = "yes"
		case false:
			choice = "no"
		}
		if !slices.Contains(q.Choices, choice) {
			return Answer{}, fmt.Errorf("it is %q; the choices are %v", choice, q.Choices)
		}
		return Answer{Choice: choice}, nil
	}
	number := reflect.ValueOf(value)
	if !number.IsValid() || !number.CanConvert(reflect.TypeFor[float64]()) {
		return Answer{}, fmt.Errorf("it is %v, not a number", value)
	}
	result := number.Convert(reflect.TypeFor[float64]()).Float()
	if math.IsNaN(result) || math.IsInf(result, 0) {
		return Answer{}, fmt.Errorf("it is %v, not a number", result)
	}
	return Answer{Number: result}, nil
}
