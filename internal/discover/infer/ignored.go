package infer

import (
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// askIgnored asks about fields that are named like something that never changed in a child, and
// that had no effect at all: a controller that forgets a field looks like one for which the
// value is a constant.
func (f *finder) askIgnored() {
	spec := f.Spec.Contract.Spec
	for _, of := range []struct {
		role  Role
		field *v1alpha1.Field
	}{{RoleImage, spec.Image}, {RoleReplicas, spec.Replicas}, {RolePort, spec.Port}} {
		path := f.ignored(of.role)
		if path == "" || of.field == nil || of.field.Constant == nil {
			continue
		}
		f.offer("contract.spec."+string(of.role), []string{fmt.Sprintf("%s: {path: %s}", of.role, inLine(path))},
			"%s was changed, and no child was: must %s of %s follow it? Then the controller has a mistake: write the path, and the requirements judge that. "+
				"Otherwise the constant is right", path, whatOf(of.role), f.main)
	}
}

// ignored returns a field that is named for a role, or that was given an image, and whose change
// had no effect on any child. It returns "" if there is none, or if it is known what decides
// about the role. A field that had the value of the child comes first.
func (f *finder) ignored(role Role) string {
	_, refused := f.refusedField(role)
	_, nameless := f.unnamed[role]
	known := slices.ContainsFunc(f.Unfit, func(u Unfit) bool { return u.Role == role })
	if known || refused || nameless || len(f.parts(role)) > 0 || role == RolePort && f.unserved != "" || role == RoleImage && f.imageOfAnother() != "" {
		return ""
	}
	var found []string
	for _, tried := range f.WithoutEffect() {
		act := Act{Path: tried.Path, To: tried.To}
		_, number := whole(tried.To)
		if (number || role == RoleImage) && f.speaksOf(role, act) && !f.mattered(tried.Path) {
			found = append(found, tried.Path)
		}
	}
	for _, path := range f.alike(f.main)[role] {
		if slices.Contains(found, path) {
			return path
		}
	}
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// mattered tells whether the controller wrote to any child when a field changed, or when it was
// put back.
func (f *finder) mattered(path string) bool {
	return slices.ContainsFunc(f.acts(Change), func(a Act) bool {
		_, children := f.effective(a)
		return a.Path == path && children > 0
	})
}
