package grade

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Sheet is the table of a class.
type Sheet []Result

// Write writes the table as markdown, csv or json.
func (s Sheet) Write(out io.Writer, format string) error {
	switch format {
	case "markdown":
		return s.markdown(out)
	case "csv":
		return s.csv(out)
	default:
		return s.json(out)
	}
}

// missing returns the IDs of what a submission has not reached.
func (r *Result) missing() string {
	var ids []string
	for _, c := range r.Checks {
		if !c.Reached {
			ids = append(ids, c.ID)
		}
	}
	return strings.Join(ids, " ")
}

// note returns a line with what people should know besides the marks.
func (r *Result) note() string {
	line, _, _ := strings.Cut(strings.TrimSpace(r.Why), "\n")
	if r.Promises != "" {
		line = strings.TrimPrefix(line+"; "+r.Promises, "; ")
	}
	return line
}

// markdown writes a table for people.
func (s Sheet) markdown(out io.Writer) error {
	text := "| submission | lab | outcome | reached | missing | seconds | note |\n|---|---|---|---|---|---|---|\n"
	for _, r := range s {
		cells := []string{r.Submission, r.Lab, string(r.Outcome), fmt.Sprintf("%d of %d", r.Reached, r.Of), r.missing(), seconds(r.Seconds), r.note()}
		for n, cell := range cells {
			cells[n] = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(cell)
		}
		text += "| " + strings.Join(cells, " | ") + " |\n"
	}
	_, err := io.WriteString(out, text)
	return err
}

// csv writes a table for a spreadsheet.
func (s Sheet) csv(out io.Writer) error {
	w := csv.NewWriter(out)
	rows := [][]string{{"submission", "lab", "outcome", "reached", "of", "missing", "seconds", "note"}}
	for _, r := range s {
		rows = append(rows, []string{
			noFormula(r.Submission), r.Lab, string(r.Outcome), strconv.Itoa(r.Reached), strconv.Itoa(r.Of), r.missing(), seconds(r.Seconds), noFormula(r.note()),
		})
	}
	return w.WriteAll(rows)
}

// noFormula prevents a spreadsheet from reading a text as a formula.
func noFormula(text string) string {
	if text != "" && strings.ContainsAny(text[:1], "=+-@\t\r") {
		return "'" + text
	}
	return text
}

func seconds(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }

// json writes everything.
func (s Sheet) json(out io.Writer) error {
	if s == nil {
		s = Sheet{}
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(s)
}
