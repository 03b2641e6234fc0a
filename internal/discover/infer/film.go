package infer

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Frame is one version of an object.
type Frame struct {
	Object *unstructured.Unstructured
	// Gone is true if the object was deleted with this version.
	Gone bool

	// version and ref are what the object says, read once: a film may have many thousand
	// frames, if a controller writes without end.
	version int64
	ref     Ref
}

// NewFrame returns a version of an object.
func NewFrame(object *unstructured.Unstructured, gone bool) Frame {
	return Frame{Object: object, Gone: gone, version: VersionOf(object), ref: refOf(object)}
}

// Version of the frame. The versions of all objects come from one store, so they are
// ordered.
func (f Frame) Version() int64 { return f.version }

// VersionOf returns the version of an object as a number, or 0 if it is not one.
func VersionOf(object *unstructured.Unstructured) int64 {
	version, err := strconv.ParseInt(object.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return version
}

// Film has every version of every object that was watched, in order.
type Film []Frame

// NewFilm sorts frames, and keeps each once.
func NewFilm(frames []Frame) Film {
	film := slices.Clone(frames)
	slices.SortStableFunc(film, func(a, b Frame) int { return cmp.Compare(a.Version(), b.Version()) })
	return slices.CompactFunc(film, func(a, b Frame) bool {
		return a.Version() == b.Version() && a.Object.GetUID() == b.Object.GetUID() && a.Gone == b.Gone
	})
}

// Ref names an object of a namespace.
type Ref struct{ Kind, Name string }

func (r Ref) String() string { return r.Kind + " " + r.Name }

func refOf(object *unstructured.Unstructured) Ref { return Ref{object.GetKind(), object.GetName()} }

// At returns the objects that existed right after a version.
func (f Film) At(version int64) map[Ref]*unstructured.Unstructured {
	objects := map[Ref]*unstructured.Unstructured{}
	for _, frame := range f {
		if frame.Version() > version {
			break
		}
		frame.change(objects)
	}
	return objects
}

// change changes what there was before the frame into what there is after it.
func (f Frame) change(objects map[Ref]*unstructured.Unstructured) {
	if f.Gone {
		delete(objects, f.ref)
	} else {
		objects[f.ref] = f.Object
	}
}

// Last returns the objects that exist at the end of the film.
func (f Film) Last() map[Ref]*unstructured.Unstructured { return f.At(math.MaxInt64) }

// Of returns the frames of one object.
func (f Film) Of(ref Ref) Film {
	return slices.DeleteFunc(slices.Clone(f), func(frame Frame) bool { return frame.ref != ref })
}

// Between returns the frames after a version, up to and including another one.
func (f Film) Between(after, until int64) Film {
	return slices.DeleteFunc(slices.Clone(f), func(frame Frame) bool {
		return frame.Version() <= after || frame.Version() > until
	})
}
