package steps

import (
	"fmt"
	"strings"
)

// mark is a line of the source that does not belong to the controller.
type mark struct {
	indent string
	word   string // from, given, end, todo, stub, old or before
	text   string // what follows the word, with its indentation
}

// markOf reads a line; ok is false if the line is not a mark.
func markOf(line string) (_ mark, ok bool) {
	body := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(body)]
	rest, ok := strings.CutPrefix(body, "//lab:")
	if !ok {
		if rest, ok = strings.CutPrefix(body, "#lab:"); !ok {
			return mark{}, false
		}
	}
	word, text, _ := strings.Cut(rest, " ")
	return mark{indent, word, text}, true
}

// region is a part of the source that a mark has opened and that is not closed yet.
type region struct {
	begin, until Point
}

// regionOf reads the range of a from or a given mark.
func regionOf(m mark) (region, error) {
	point := Solution
	if m.word == "given" {
		point = Start
	}
	r := region{until: end}
	begin, rest, err := pointOf(strings.Fields(m.text), point)
	if err != nil {
		return r, err
	}
	r.begin = begin
	if len(rest) == 0 {
		return r, nil
	}
	if rest[0] != "until" {
		return r, fmt.Errorf("%q where only until may follow", rest[0])
	}
	if r.until, rest, err = pointOf(rest[1:], Solution); err != nil {
		return r, err
	}
	if len(rest) > 0 || r.until <= r.begin {
		return r, fmt.Errorf("%q says of no span that it is one", m.text)
	}
	return r, nil
}

// has tells whether the region exists at a point.
func (r region) has(at Point) bool { return r.begin <= at && at < r.until }

// pending tells whether a point is the start of the step whose solution adds the region. At
// this point, the todo and the stub in its place are shown.
func (r region) pending(at Point) bool { return at == r.begin-1 && r.begin%2 == 1 }
