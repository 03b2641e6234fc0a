package render

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// values are the numbers of a scenario that the implementation may not accept, because
// their fields have bounds. If a scenario exceeds the bounds, these numbers are replaced:
// different numbers stay different, and they keep their order.
type values struct {
	// given are the numbers that primaries get in each field.
	given map[string]map[int]bool
	// compared are the numbers that a value which shows a field is compared with.
	compared map[string]map[int]bool
	// computed are the fields that are used in something else than a comparison.
	computed map[string]bool
	// counted are the numbers that a count is compared with.
	counted map[string]map[int]bool
	// others are numbers whose meaning is not known.
	others map[int]bool
	// elsewhere says that the current object shows nothing of a primary, whatever numbers
	// it contains.
	elsewhere bool
	// open are the fields that get a value which is not known.
	open map[string]bool
	// instead are the replacements, by field and number.
	instead map[string]map[int]int
}

func newValues() *values {
	return &values{
		given: map[string]map[int]bool{}, compared: map[string]map[int]bool{}, counted: map[string]map[int]bool{}, computed: map[string]bool{},
		others: map[int]bool{}, open: map[string]bool{}, instead: map[string]map[int]int{},
	}
}

func addNumber(sets map[string]map[int]bool, field string, n int) {
	if sets[field] == nil {
		sets[field] = map[int]bool{}
	}
	sets[field][n] = true
}

// recordGiven records the value that a field of a primary gets.
func (v *values) recordGiven(field, text string) {
	if n, err := strconv.Atoi(text); err == nil {
		addNumber(v.given, field, n)
	} else {
		v.open[field] = true
	}
}

// recordCompared records a value that is compared with something that shows a field.
func (v *values) recordCompared(means meaning, text string) {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
	case means.counted:
		addNumber(v.counted, means.field, n)
	default:
		addNumber(v.compared, means.field, n)
	}
}

// recordOther records a value that may mean anything.
func (v *values) recordOther(text string) {
	if n, err := strconv.Atoi(text); err == nil && !v.elsewhere {
		v.others[n] = true
	}
}

// recordComputed records that something is computed with a field.
func (v *values) recordComputed(field string) { v.computed[field] = true }

// moved returns what to write instead of a value of a field.
func (v *values) moved(field, text string) string {
	if n, err := strconv.Atoi(text); err == nil {
		if other, ok := v.instead[field][n]; ok {
			return strconv.Itoa(other)
		}
	}
	return text
}

// fit finds replacements for the numbers that are outside of the implementation's bounds.
// It returns none if all numbers fit. The error says why none were found.
func (m *mapper) fit() (map[string]map[int]int, error) {
	bounds := m.profile.Spec.Contract.Bounds
	if only := m.spec["replicas"].Values; len(only) > 0 {
		given := slices.Sorted(maps.Keys(m.values.given["replicas"]))
		instead, err := m.values.among("replicas", given, only)
		if err != nil {
			return nil, m.skip("it needs replicas of %s, the implementation takes %s, and %v", numbers(given), numbers32(only), err)
		}
		return map[string]map[int]int{"replicas": instead}, nil
	}
	if err := m.fitConstant(); err != nil {
		return nil, err
	}
	found := map[string]map[int]int{}
	for _, field := range []struct {
		name   string
		bounds *v1alpha1.Range
	}{{"port", bounds.Port}, {"replicas", bounds.Replicas}} {
		given := slices.Sorted(maps.Keys(m.values.given[field.name]))
		if field.bounds == nil || m.spec[field.name].Path == "" || len(given) == 0 {
			continue
		}
		least, most := int(field.bounds.Minimum), int(field.bounds.Maximum)
		if given[0] >= least && given[len(given)-1] <= most {
			continue
		}
		instead, err := m.values.inside(field.name, given, least, most)
		if err != nil {
			return nil, m.skip("it needs %s of %s, the bounds are %d to %d, and %v", field.name, numbers(given), least, most, err)
		}
		found[field.name] = instead
	}
	return found, nil
}

// fitConstant says why a scenario cannot be carried out if the number of replicas is constant.
// Numbers that a primary is given are replaced by the constant wherever they are compared. Other
// numbers, such as that of the Pods that are left, cannot be replaced.
func (m *mapper) fitConstant() error {
	constant, ok := m.constantOf("replicas")
	given := slices.Sorted(maps.Keys(m.values.given["replicas"]))
	if !ok || len(given) == 0 || len(given) == 1 && strconv.Itoa(given[0]) == constant.Value {
		return nil
	}
	for _, n := range slices.Sorted(maps.Keys(m.values.counted["replicas"])) {
		if n != 0 && !m.values.given["replicas"][n] {
			return m.skip("it needs replicas of %s, their number is always %s, and something is counted to be %d, a number that no object was given",
				numbers(given), constant.Value, n)
		}
	}
	for _, n := range given {
		if m.values.computed["replicas"] && m.values.others[n] && strconv.Itoa(n) != constant.Value {
			return m.skip("it needs replicas of %s, their number is always %s, and %d may count Pods", numbers(given), constant.Value, n)
		}
	}
	return nil
}

// inside maps the given numbers into the bounds.
func (v *values) inside(field string, given []int, least, most int) (map[int]int, error) {
	down := func(n int) (int, bool) { return min(n, most), min(n, most) >= least }
	up := func(n int) (int, bool) { return max(n, least), max(n, least) <= most }
	return v.fitted(field, given, least, down, up)
}

// among maps the given numbers to allowed ones. If all of them are allowed, none is
// mapped.
func (v *values) among(field string, given []int, allowed []int32) (map[int]int, error) {
	only := slices.Sorted(slices.Values(allowed))
	if !slices.ContainsFunc(given, func(n int) bool { return !slices.Contains(only, int32(n)) }) {
		return nil, nil
	}
	down := func(n int) (int, bool) {
		i, exact := slices.BinarySearch(only, int32(n))
		if !exact {
			i--
		}
		if i < 0 {
			return 0, false
		}
		return int(only[i]), true
	}
	up := func(n int) (int, bool) {
		i, _ := slices.BinarySearch(only, int32(n))
		if i == len(only) {
			return 0, false
		}
		return int(only[i]), true
	}
	return v.fitted(field, given, int(only[0]), down, up)
}

// fitted maps the given numbers to allowed ones. down and up find the next allowed
// number in their direction. Different numbers stay different and keep their order.
func (v *values) fitted(field string, given []int, least int, down, up func(int) (int, bool)) (map[int]int, error) {
	zero, allowsZero := down(0)
	switch {
	case field != "replicas":
		return nil, errors.New("other numbers may not mean the same")
	case v.computed[field]:
		return nil, errors.New("something is computed with them")
	case v.open[field]:
		return nil, errors.New("not all of them are written down")
	case given[0] <= 0 && (!allowsZero || zero != given[0]):
		return nil, fmt.Errorf("%d has a special meaning", given[0])
	}
	for n := range v.counted[field] {
		if n != 0 && !v.given[field][n] {
			return nil, fmt.Errorf("something is counted to be %d, a number that no object was given", n)
		}
	}
	// From the top: each number must be below the next. Then numbers that are too low go
	// up.
	instead, top := map[int]int{}, math.MaxInt32
	for _, n := range slices.Backward(given) {
		to, ok := down(min(n, top))
		if !ok {
			to = least - 1
		}
		instead[n], top = to, to-1
	}
	bottom := max(least, 1)
	for _, n := range given {
		if n == 0 {
			instead[n] = 0
			continue
		}
		to, ok := up(max(instead[n], bottom))
		if !ok {
			return nil, errors.New("there are too few between them")
		}
		instead[n], bottom = to, to+1
	}
	return instead, v.keepOrder(field, instead)
}

// keepOrder removes numbers that do not change from the replacements, or says why the
// others cannot be replaced. A number that is only compared must not change, and must
// still be above and below the same numbers.
func (v *values) keepOrder(field string, instead map[int]int) error {
	all := maps.Clone(v.given[field])
	maps.Copy(all, v.compared[field])
	last, first := 0, true
	for _, n := range slices.Sorted(maps.Keys(all)) {
		to, isGiven := instead[n]
		if !isGiven {
			to = n
		}
		if !first && to <= last {
			return fmt.Errorf("%d would no longer lie between the others", n)
		}
		last, first = to, false
		if to == n {
			delete(instead, n)
		} else if v.others[n] {
			return fmt.Errorf("%d stands for something else, too", n)
		}
	}
	return nil
}

func numbers32(list []int32) string {
	var wide []int
	for _, n := range list {
		wide = append(wide, int(n))
	}
	return numbers(wide)
}

func numbers(list []int) string {
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ", ")
}
