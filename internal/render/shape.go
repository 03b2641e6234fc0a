package render

import "slices"

// shape is where a value of an expression may come from. An empty shape is a
// value that has nothing to do with the contract.
type shape []origin

// origin is one place that a value comes from, and in how many lists the expression has
// wrapped it.
type origin struct {
	place
	lists int
	// of is the name of the primary whose child it is a part of, where that is known.
	of string
}

// at is another place in the same object.
func (o origin) at(p place) origin {
	o.place = p
	return o
}

// child is the shape of a whole child of the primary with this name.
func child(kind objectKind, of string) shape {
	return shape{{place: place{kind: kind}, of: of}}
}

// object is the shape of a whole object of a kind.
func object(kind objectKind) shape { return shape{{place: place{kind: kind}}} }

// each makes a shape from the results of f for each origin.
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

// field is the shape of a field of a value. A list has none.
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

// element is the shape of an element of a list.
func (s shape) element() shape {
	return s.each(func(o origin) (origin, bool) {
		if o.lists > 0 {
			o.lists--
			return o, true
		}
		return o.at(o.element()), o.path != listOf
	})
}

// flattened is a list after its elements that are lists were replaced by their own
// elements.
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

// listed is the shape of a list of such values.
func (s shape) listed() shape {
	return s.each(func(o origin) (origin, bool) {
		o.lists++
		return o, true
	})
}

// holds says whether the value has anything below it that means something.
func (s shape) holds() bool {
	return slices.ContainsFunc(s, func(o origin) bool { return o.place.holds() })
}

// isList says whether the value is known to be a list.
func (s shape) isList() bool {
	return !slices.ContainsFunc(s, func(o origin) bool { return o.lists == 0 && !o.place.isList() })
}

// means is what a value says.
func (o origin) means() meaning {
	says := o.place.means()
	if says.what == namesContainer {
		says.of = o.of
	}
	return says
}

// means is what a value of this shape says, and whether that is the same for all
// of its origins.
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

// shows are the fields of the reference's spec that a value shows.
func (s shape) shows() []string {
	var fields []string
	for _, o := range s {
		if field := o.shows(); field != "" && !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	return fields
}
