package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	strict "sigs.k8s.io/json"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/strictyaml"
	"reconform.dev/reconform/internal/verdict"
)

// Parse parses a report that was read from a file. An error names the line.
func Parse(file string, data []byte) (*v1alpha1.ConformanceReport, error) {
	d, problems := strictyaml.Parse(file, v1alpha1.KindConformanceReport, data)
	if len(problems) > 0 {
		return nil, problems.Err()
	}
	if problems := d.CheckKind(v1alpha1.GroupVersion.String(), v1alpha1.KindConformanceReport); len(problems) > 0 {
		return nil, problems
	}
	if _, both := d.Object["classes"]; both && d.Object["profiles"] != nil {
		return nil, strictyaml.Problems{d.Problem("profiles", "the earlier name of classes, which is given, too")}
	}
	report := &v1alpha1.ConformanceReport{}
	if err := decode(renamed(d.Object), report); err != nil {
		return nil, strictyaml.Problems{locate(d, err)}
	}
	if problems := check(d, report); len(problems) > 0 {
		return nil, problems.Err()
	}
	return report, nil
}

// decode decodes a value strictly: it accepts no unknown fields, and no field names in
// other upper or lower case.
func decode(value any, into any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	unknown, err := strict.UnmarshalStrict(data, into)
	return errors.Join(append([]error{err}, unknown...)...)
}

// renamed returns the fields of a report with the names that they have today. Earlier
// versions wrote the conformance classes as profiles.
func renamed(fields map[string]any) map[string]any {
	earlier, found := fields["profiles"]
	if !found {
		return fields
	}
	fields = maps.Clone(fields)
	delete(fields, "profiles")
	fields["classes"] = earlier
	return fields
}

// locate finds the line of a decoding error. The decoder names no line, and only sometimes
// the field. So locate decodes all fields, and the fields of each row, one by one. It
// returns the first problem in the file.
func locate(d *strictyaml.Document, err error) strictyaml.Problem {
	first := d.Problem("", "%s", told(err))
	fails := func(field string, part map[string]any) bool {
		err := decode(renamed(part), &v1alpha1.ConformanceReport{})
		if err == nil {
			return false
		}
		if found := d.Problem(field, "%s", told(err)); first.Field == "" || found.Line < first.Line {
			first = found
		}
		return true
	}
	for key, value := range d.Object {
		found := false
		rows, _ := value.([]any)
		for n, row := range rows {
			fields, _ := row.(map[string]any)
			for name, value := range fields {
				one := map[string]any{key: []any{map[string]any{name: value}}}
				found = fails(fmt.Sprintf("%s[%d].%s", key, n, name), one) || found
			}
		}
		if !found {
			fails(key, map[string]any{key: value})
		}
	}
	return first
}

// told returns the first line of a decoder's error, without the names of Go types.
func told(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	if found := new(json.UnmarshalTypeError); errors.As(err, &found) {
		return fmt.Sprintf("a %s is not allowed here", found.Value)
	}
	return strings.TrimPrefix(text, "json: ")
}

// check checks the rules that the Go types cannot express. A report that was cut off can be valid YAML.
// Then its summary counts more than the report contains.
func check(d *strictyaml.Document, report *v1alpha1.ConformanceReport) strictyaml.Problems {
	var problems strictyaml.Problems
	add := func(field, format string, args ...any) {
		problems = append(problems, d.Problem(field, format, args...))
	}
	if !slices.Contains(verdicts(), report.Verdict) {
		add("verdict", "%q is not a verdict on a run", report.Verdict)
	}
	if s := report.Shard; s != nil && !s.Valid() {
		add("shard", "there is no shard %s", s)
	}
	type row struct {
		id     string
		repeat int
	}
	first := map[row]int{}
	for n, r := range report.Results {
		at := fmt.Sprintf("results[%d]", n)
		if r.ID == "" {
			add(at, "a result without an id")
			continue
		}
		if before, twice := first[row{r.ID, r.Repeat}]; twice {
			add(at+".id", "%s is given twice: it is already result %d", r.ID, before+1)
		}
		first[row{r.ID, r.Repeat}] = n
		if !slices.Contains(resultVerdicts(), r.Verdict) {
			add(at+".verdict", "%q is not a verdict on a requirement", r.Verdict)
		}
		if r.Itself != nil && !slices.Contains(resultVerdicts(), r.Itself.Verdict) {
			add(at+".itself.verdict", "%q is not a verdict on a requirement", r.Itself.Verdict)
		}
	}
	// Earlier versions counted requirements that a run did not reach as skipped.
	if counted := verdict.Summary(report); len(problems) == 0 && counted != report.Summary && verdict.Summarize(report.Results) != report.Summary {
		add("summary", "it says %s, and the results are %s: the file was cut off, or changed by hand", Counts(report.Summary), Counts(counted))
	}
	return problems
}

func verdicts() []v1alpha1.Verdict {
	return []v1alpha1.Verdict{v1alpha1.Conformant, v1alpha1.Partial, v1alpha1.NotConformant, v1alpha1.Inconclusive}
}

func resultVerdicts() []v1alpha1.ResultVerdict {
	return []v1alpha1.ResultVerdict{
		v1alpha1.Passed, v1alpha1.Failed, v1alpha1.ResultInconclusive, v1alpha1.Skipped, v1alpha1.Blocked, v1alpha1.Flaky, v1alpha1.NotExercised,
	}
}
