package steps

import (
	"errors"
	"fmt"
	"strconv"
)

// Point is a state of the controller: the start or the solution of a step. Later points are
// greater.
type Point int

// Start returns the start of a step: the solution of the step before, and what is given for
// this one.
func Start(step int) Point { return Point(2 * step) }

// Solution returns the solution of a step.
func Solution(step int) Point { return Point(2*step + 1) }

// Folder returns the folder of the point, inside that of its lab.
func (p Point) Folder() string {
	if p%2 == 0 {
		return "start"
	}
	return "solution"
}

// end is after every point.
const end = Point(1 << 30)

// pointOf reads a point from the words of a mark: 03, or given 03. It returns the rest of
// the words.
func pointOf(words []string, point func(int) Point) (Point, []string, error) {
	if len(words) > 0 && words[0] == "given" {
		point, words = Start, words[1:]
	}
	if len(words) == 0 {
		return 0, nil, errors.New("the number of the step is missing")
	}
	step, err := strconv.Atoi(words[0])
	if err != nil || step < 1 {
		return 0, nil, fmt.Errorf("%q is not the number of a step", words[0])
	}
	return point(step), words[1:], nil
}
