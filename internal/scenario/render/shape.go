package render

import "slices"

// shape is where a value of an expression may come from. A value with an empty shape has
// nothing to do with the contract.
type shape []origin

// origin is one place that a value may come from. lists is the number of lists that the
// expression has put around the value.
type origin struct {
	place
	lists int
	// of is the name of the primary whose child the value is a part of, if that is known.
	of string
}

// at returns another place in the same object.
func (o origin) at(p place) origin {
	o.place = p
	return o
}

// child returns the shape of a whole child of the primary with this name.
func child(kind objectKind, of string) shape {
	return shape{{place: place{kind: kind}, of: of}}
}

// object returns the shape of a whole object of a kind.
func object(kind objectKind) shape { return shape{{place: place{kind: kind}}} }

// each makes a shape from the results of f, one for each origin.
func (s shape) each(f func(origin) (origin, bool)) shape {
	var result shape
	for _, o := range s {
		if next, ok := f(o); ok && !slices.Contains(result, next) {
			result = append(result, next)
		}
	}
	return result
}

func (s shape) and(other shape) shape {
	return append(slices.Clone(s), other...).each(func(o origin) (origin, bool) { return o, true })
}

// field returns the shape of a field of a value. A list has no fields.
func (s shape) field(name string) shape {
	return s.each(func(o origin) (origin, bool) {
		switch {
		case o.lists > 0:
			return o, false
		case o.path == listOf:
			return origin{place: place{kind: o.kind}, lists: 1}, name == "items"
		}
		return o.at(o.field(name)), true
	})
}

// element returns the shape of an element of a list.
func (s shape) element() shape {
	return s.each(func(o origin) (origin, bool) {
		if o.lists > 0 {
			o.lists--
			return o, true
		}
		return o.at(o.element()), o.path != listOf
	})
}

// flattened returns the shape of a list in which the elements that are lists are replaced
// by their own elements.
func (s shape) flattened() shape {
	return s.each(func(o origin) (origin, bool) {
		switch {
		case o.lists > 1:
			o.lists--
		case o.lists == 1 && o.isList():
			o.place = o.element()
		case o.lists == 0:
			o = o.at(o.element())
			o.lists = 1
		}
		return o, true
	})
}

// listed returns the shape of a list of such values.
func (s shape) listed() shape {
	return s.each(func(o origin) (origin, bool) {
		o.lists++
		return o, true
	})
}

// holds says whether anything below the value means something.
func (s shape) holds() bool {
	return slices.ContainsFunc(s, func(o origin) bool { return o.place.holds() })
}

// isList says whether the value is known to be a list.
func (s shape) isList() bool {
	return !slices.ContainsFunc(s, func(o origin) bool { return o.lists == 0 && !o.place.isList() })
}

// means returns what a value means.
func (o origin) means() meaning {
	means := o.place.means()
	if means.sense == namesContainer {
		means.of = o.of
	}
	return means
}

// means returns what a value of this shape means, and whether all of its origins mean the
// same.
func (s shape) means() (meaning, bool) {
	var found meaning
	for i, o := range s {
		m := o.means()
		if i > 0 && m != found {
			return meaning{}, false
		}
		found = m
	}
	return found, true
}

// shows returns the fields of the reference's spec that a value shows.
func (s shape) shows() []string {
	var fields []string
	for _, o := range s {
		if field := o.shows(); field != "" && !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	return fields
}
