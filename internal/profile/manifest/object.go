package manifest

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// Object is an object of a manifest, with its place in the file.
type Object struct {
	*unstructured.Unstructured
	from origin
}

// Into decodes the object into a type, strictly. The error is [strictyaml.Problems].
func (o Object) Into(target any) error {
	problems := o.problems(misfits(reflect.TypeOf(target).Elem(), o.Object, nil))
	if o.GetName() == "" && len(problems) == 0 {
		problems = o.problems([]misfit{{path: []any{"metadata", "name"}, message: "is required"}})
	}
	if len(problems) > 0 {
		return problems.Err()
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Object, target, true); err != nil {
		return o.problems([]misfit{{message: err.Error()}}).Err()
	}
	return nil
}

// Check says whether the object fits its kind. For kinds of Kubernetes it checks
// everything, for all others only the metadata. The error is [strictyaml.Problems].
func (o Object) Check() error {
	if known, err := scheme.Scheme.New(o.GroupVersionKind()); err == nil {
		return o.problems(misfits(reflect.TypeOf(known).Elem(), o.Object, nil)).Err()
	}
	return o.checkMetadata().Err()
}

func (o Object) checkMetadata() strictyaml.Problems {
	return o.problems(misfits(reflect.TypeFor[metav1.ObjectMeta](), o.Object["metadata"], []any{"metadata"}))
}

// problems returns problems with fields of the object, each with its line.
func (o Object) problems(found []misfit) (problems strictyaml.Problems) {
	for _, m := range found {
		line, text := o.from.find(m.path)
		problems = append(problems, strictyaml.Problem{
			File: o.from.file, Line: line, Field: o.title() + fieldAt(m.path), Message: m.tell(text),
		})
	}
	return problems
}

// Refused returns what the API server says of the object, each with its line. The error is
// [strictyaml.Problems], or nil if there are no errors.
func (o Object) Refused(errs field.ErrorList) error {
	var found []misfit
	for _, err := range errs {
		found = append(found, misfit{path: stepsOf(err.Field), message: refusal(err)})
	}
	return o.problems(found).Err()
}

// refusal says what is there, and what is due.
func refusal(err *field.Error) string {
	switch err.Type {
	case field.ErrorTypeRequired:
		if err.Detail == "" {
			return "is required"
		}
		return "is required: " + err.Detail
	case field.ErrorTypeInvalid, field.ErrorTypeNotSupported, field.ErrorTypeTypeInvalid:
		switch reflect.ValueOf(err.BadValue).Kind() {
		case reflect.String, reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64:
			return fmt.Sprintf("is %#v: %s", err.BadValue, err.Detail)
		}
		return err.Detail
	}
	return err.ErrorBody()
}

// stepsOf returns the keys and indices of a path such as rules[0].verbs or a[key].b.
func stepsOf(path string) (steps []any) {
	for path != "" {
		step, inBrackets := "", strings.HasPrefix(path, "[")
		if inBrackets {
			step, path, _ = strings.Cut(path[1:], "]")
		} else {
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			step, path = path[:end], path[end:]
		}
		path = strings.TrimPrefix(path, ".")
		if index, err := strconv.Atoi(step); err == nil && inBrackets {
			steps = append(steps, index)
		} else {
			steps = append(steps, step)
		}
	}
	return steps
}

// Place returns the file and the line of the object.
func (o Object) Place() string {
	if line, _ := o.from.find(nil); line > 0 {
		return fmt.Sprintf("%s:%d", o.from.file, line)
	}
	return o.from.file
}

// title returns the kind and the name of the object.
func (o Object) title() string {
	if o.GetName() == "" {
		return o.GetKind()
	}
	return o.GetKind() + " " + o.GetName()
}

func fieldAt(path []any) string {
	text := ""
	for _, step := range path {
		switch step := step.(type) {
		case int:
			text += fmt.Sprintf("[%d]", step)
		default:
			if text != "" {
				text += "."
			}
			text += fmt.Sprint(step)
		}
	}
	if text != "" {
		text = ": " + text
	}
	return text
}
