package explore

import "slices"

// double is an operation that has the steps of another one, under its own name: "create then
// delete" does what "delete" does.
type double struct {
	Operation
	of string
}

// withoutDoubles returns the operations of more that must be recorded. The others are doubles:
// an operation of base, or one before them in more, has the same steps.
func withoutDoubles(base, more []Operation) (apart []Operation, doubles []double, err error) {
	names := map[string]string{}
	for i, o := range slices.Concat(base, more) {
		key, err := (&Plan{Operation: o}).key()
		if err != nil {
			return nil, nil, err
		}
		first, known := names[key]
		switch {
		case !known:
			names[key] = o.Name
			if i >= len(base) {
				apart = append(apart, o)
			}
		case i >= len(base):
			doubles = append(doubles, double{o, first})
		}
	}
	return apart, doubles, nil
}

// underBothNames adds the recording of an operation under the names of its doubles.
func underBothNames(recorded map[string]*Recording, doubles []double) {
	for _, d := range doubles {
		if r := recorded[d.of]; r != nil {
			again := *r
			again.Operation = d.Operation
			recorded[d.Name] = &again
		}
	}
}
