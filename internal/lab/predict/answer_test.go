package predict

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/lab"
)

func asked() *lab.Lab {
	return &lab.Lab{Title: "Pauses", Folder: "predict/pauses", Questions: []lab.Question{
		{ID: "pause", Ask: "How long is it?", Unit: lab.Seconds, Tolerance: lab.Tolerance{Plus: 0.5}},
		{ID: "tries", Ask: "How many are there?", Tolerance: lab.Tolerance{Times: 2}},
		{ID: "ends", Ask: "Does it end?", Choices: []string{"yes", "no"}},
	}}
}

func TestAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want map[string]Answer
		err  string
	}{
		"all":         {"pause: 3\ntries: 7\nends: yes", map[string]Answer{"pause": {Number: 3}, "tries": {Number: 7}, "ends": {Choice: "yes"}}, ""},
		"a duration":  {"pause: 300ms\ntries: 1.5\nends: \"no\"", map[string]Answer{"pause": {Number: 0.3}, "tries": {Number: 1.5}, "ends": {Choice: "no"}}, ""},
		"with a gap":  {"pause: 3 s\ntries: 1\nends: no", map[string]Answer{"pause": {Number: 3}, "tries": {Number: 1}, "ends": {Choice: "no"}}, ""},
		"in words":    {"pause: 3 seconds\ntries: 7\nends: Yes", map[string]Answer{"pause": {Number: 3}, "tries": {Number: 7}, "ends": {Choice: "yes"}}, ""},
		"minutes":     {"pause: 1.5 min\ntries: 7\nends: no", map[string]Answer{"pause": {Number: 90}, "tries": {Number: 7}, "ends": {Choice: "no"}}, ""},
		"a comma":     {"pause: 1,5", nil, `answer.yaml:1: pause: "1,5" has a comma: write 1.5`},
		"other unit":  {"tries: 3s", nil, `answer.yaml:1: tries: "3s" is not an answer (a number`},
		"about":       {"tries: about 3", nil, `answer.yaml:1: tries: "about 3" is not an answer (a number`},
		"the form":    {Form(asked()), nil, "answer.yaml:7: pause: nothing is predicted yet: How long is it?"},
		"no file":     {"", nil, "answer.yaml:1: want a line FIELD: ANSWER"},
		"a list":      {"- 3", nil, "answer.yaml:1: want a line FIELD: ANSWER"},
		"no YAML":     {"pause: [3", nil, "answer.yaml: it is not YAML: "},
		"a word":      {"tries: 1\npause: soon", nil, `answer.yaml:2: pause: "soon" is not an answer (in seconds`},
		"below zero":  {"tries: -1", nil, `answer.yaml:1: tries: "-1" is not an answer`},
		"not finite":  {"tries: .inf", nil, `answer.yaml:1: tries: ".inf" is not an answer`},
		"too many":    {"tries: [1, 2]", nil, "answer.yaml:1: tries: want one value"},
		"no choice":   {"ends: maybe", nil, `answer.yaml:1: ends: "maybe" is not a choice; the choices are yes, no`},
		"unknown":     {"pause: 1\n\npuase: 3", nil, "answer.yaml:3: puase: there is no such question; the fields are pause, tries, ends"},
		"twice":       {"pause: 1\npause: 3", nil, "answer.yaml:2: pause: it is answered twice"},
		"one missing": {"pause: 1\ntries: 2", nil, "answer.yaml:1: ends: the answer is missing: Does it end? (yes, no)"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Answers("answer.yaml", []byte(tc.text), asked())
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("error %v, want %q", err, tc.err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestCompare(t *testing.T) {
	measured := map[string]Answer{"pause": {Number: 3}, "tries": {Number: 10}, "ends": {Choice: "yes"}}
	for name, tc := range map[string]struct {
		predicted map[string]Answer
		want      []bool
	}{
		"the same":       {measured, []bool{true, true, true}},
		"just within":    {map[string]Answer{"pause": {Number: 2.5}, "tries": {Number: 20}, "ends": {Choice: "yes"}}, []bool{true, true, true}},
		"just too far":   {map[string]Answer{"pause": {Number: 3.6}, "tries": {Number: 20.1}, "ends": {Choice: "no"}}, []bool{false, false, false}},
		"on one side":    {map[string]Answer{"pause": {Number: 2.4}, "tries": {Number: 5}, "ends": {Choice: "no"}}, []bool{false, true, false}},
		"much too small": {map[string]Answer{"pause": {Number: 0}, "tries": {Number: 4.9}, "ends": {Choice: "yes"}}, []bool{false, false, true}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []bool
			for _, c := range Compare(asked(), tc.predicted, measured) {
				got = append(got, c.Right)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
