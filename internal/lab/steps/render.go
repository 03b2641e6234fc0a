package steps

import (
	"errors"
	"fmt"
	"strings"
)

// Render returns a file of the source as it is at a point, or "" if it does not exist yet.
func Render(text string, at Point) (string, error) {
	var out []string
	var open []region
	all := func(regions []region) bool {
		for _, r := range regions {
			if !r.has(at) {
				return false
			}
		}
		return true
	}
	for n, line := range strings.Split(text, "\n") {
		m, ok := markOf(line)
		if !ok {
			if all(open) {
				out = append(out, line)
			}
			continue
		}
		wrong := func(err error) error { return fmt.Errorf("line %d, %s: %w", n+1, strings.TrimSpace(line), err) }
		switch m.word {
		case "from", "given":
			r, err := regionOf(m)
			if err != nil {
				return "", wrong(err)
			}
			open = append(open, r)
		case "end":
			if len(open) == 0 {
				return "", wrong(errors.New("nothing is open"))
			}
			open = open[:len(open)-1]
		case "todo", "stub":
			if len(open) == 0 {
				return "", wrong(errors.New("nothing is open"))
			}
			inner := open[len(open)-1]
			if inner.pending(at) && all(open[:len(open)-1]) {
				out = append(out, m.standIn())
			}
		case "old":
			if all(open) {
				out = append(out, m.indent+m.text)
			}
		case "before":
			step, code, _ := strings.Cut(m.text, " ")
			until, rest, err := pointOf([]string{step}, Solution)
			if err != nil || len(rest) > 0 {
				return "", wrong(errors.Join(err, errors.New("want: before STEP CODE")))
			}
			if at < until && all(open) {
				out = append(out, m.indent+code)
			}
		default:
			return "", wrong(errors.New("unknown mark"))
		}
	}
	return tidy(out), nil
}

// standIn returns the line that a todo or a stub becomes.
func (m mark) standIn() string {
	if m.word == "todo" {
		return m.indent + "// " + m.text
	}
	return m.indent + m.text
}

// tidy removes the blank lines that marks have left: those at both ends, all but one in a
// row, and those at the ends of a block.
func tidy(lines []string) string {
	var out []string
	for _, line := range lines {
		last := ""
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		blank := strings.TrimSpace(line) == ""
		if blank && (last == "" || opens(last)) {
			continue
		}
		if closes(line) && len(out) > 0 && last == "" {
			out = out[:len(out)-1]
		}
		if blank {
			line = ""
		}
		out = append(out, line)
	}
	text := strings.TrimSpace(strings.Join(out, "\n"))
	if text == "" {
		return ""
	}
	return text + "\n"
}

func opens(line string) bool { return strings.HasSuffix(line, "{") || strings.HasSuffix(line, "(") }

func closes(line string) bool {
	body := strings.TrimSpace(line)
	return strings.HasPrefix(body, "}") || strings.HasPrefix(body, ")")
}
