package report

import (
	"encoding/xml"
	"fmt"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// The JUnit dialect that CI systems agree on: one suite per area, one case per
// requirement; inconclusive is an error, not a failure.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
	Out      string      `xml:"system-out,omitempty"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	Time      string        `xml:"time,attr"`
	Failure   *junitMessage `xml:"failure,omitempty"`
	Error     *junitMessage `xml:"error,omitempty"`
	Skipped   *junitMessage `xml:"skipped,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr,omitempty"`
	Text    string `xml:",chardata"`
}

func junitOf(report *v1alpha1.ConformanceReport) ([]byte, error) {
	document := junitSuites{
		Name:  "reconform " + report.Implementation.Name,
		Tests: len(report.Results),
		Time:  seconds(report.Durations.Total.Seconds()),
	}
	if why := report.NotStarted; why != nil {
		document.Tests++
		document.Suites = append(document.Suites, notStarted(why))
	}
	index := map[string]int{}
	for _, result := range report.Results {
		i, ok := index[result.Area]
		if !ok {
			i = len(document.Suites)
			index[result.Area] = i
			document.Suites = append(document.Suites, junitSuite{Name: result.Area})
		}
		document.Suites[i].add(result, baseline.Of(result, report.Known))
	}
	for i := range document.Suites {
		document.Failures += document.Suites[i].Failures
		document.Errors += document.Suites[i].Errors
		document.Skipped += document.Suites[i].Skipped
		if document.Suites[i].Name == startSuite {
			continue
		}
		var total float64
		for _, result := range report.Results {
			if result.Area == document.Suites[i].Name {
				total += result.Duration.Seconds()
			}
		}
		document.Suites[i].Time = seconds(total)
	}
	if lines := notes(report); len(lines) > 0 {
		document.Suites = append(document.Suites, junitSuite{Name: "notes", Time: seconds(0), Out: strings.Join(lines, "\n")})
	}
	data, err := xml.MarshalIndent(document, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(data, '\n')...), nil
}

const startSuite = "start"

// notStarted returns a suite with one case, "the controller starts", which is an error.
func notStarted(why *v1alpha1.NotStarted) junitSuite {
	return junitSuite{Name: startSuite, Tests: 1, Errors: 1, Time: seconds(0), Cases: []junitCase{{
		Name: "the controller starts", ClassName: "reconform.start", Time: seconds(0),
		Error: &junitMessage{Message: why.Reason, Text: strings.Join(why.Log, "\n")},
	}}}
}

// add adds a result. A known failure counts as skipped, because it is not new.
func (s *junitSuite) add(result v1alpha1.Result, expected *v1alpha1.KnownResult) {
	c := junitCase{
		Name:      result.ID + " " + result.Must,
		ClassName: "reconform." + result.Area,
		Time:      seconds(result.Duration.Seconds()),
	}
	if result.Repeat > 0 {
		c.Name += fmt.Sprintf(" (run %d)", result.Repeat)
	}
	message := &junitMessage{Message: result.Reason, Text: evidenceText(result)}
	s.Tests++
	switch result.Verdict {
	case v1alpha1.Failed, v1alpha1.Flaky:
		if expected != nil {
			s.Skipped++
			c.Skipped = &junitMessage{Message: fmt.Sprintf("known to fail until %s (%s): %s", expected.Expires, expected.Owner, expected.Reason)}
			break
		}
		s.Failures++
		c.Failure = message
	case v1alpha1.ResultInconclusive:
		s.Errors++
		c.Error = message
	case v1alpha1.Skipped, v1alpha1.Blocked, v1alpha1.NotExercised:
		s.Skipped++
		c.Skipped = &junitMessage{Message: result.Reason}
	case v1alpha1.Passed:
	}
	s.Cases = append(s.Cases, c)
}

// evidenceText returns the evidence for people who read the page of a CI system.
func evidenceText(result v1alpha1.Result) string {
	e := result.Evidence
	if e == nil {
		return ""
	}
	var b strings.Builder
	var violations []string
	for _, violation := range e.Violations {
		violations = append(violations, fmt.Sprintf("%s: %s, in requests %s", violation.Rule, violation.Message, numbers(violation.Requests)))
	}
	for _, part := range []struct{ title, text string }{
		{"step", e.Step},
		{"what must never happen", strings.Join(violations, "\n")},
		{"the requests that prove it", strings.Join(e.Requests, "\n")},
		{"its last writes before that", strings.Join(e.Recent, "\n")},
		{"difference", e.Difference},
		{"this requirement exists to catch", e.Catches},
		{"hint", e.Hint},
		{"last lines of the controller", strings.Join(e.Log, "\n")},
		{"reproduce with", e.Reproduce},
	} {
		if part.text != "" {
			fmt.Fprintf(&b, "%s:\n%s\n\n", part.title, part.text)
		}
	}
	return b.String()
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
