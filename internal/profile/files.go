package profile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"reconform.dev/reconform/internal/profile/manifest"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

// CRDFiles returns the files behind install.crds, with absolute paths.
func (p *Profile) CRDFiles() ([]string, error) {
	return p.files("spec.install.crds", p.Spec.Install.CRDs)
}

// RBACFiles returns the files behind install.rbac, with absolute paths.
func (p *Profile) RBACFiles() ([]string, error) {
	return p.files("spec.install.rbac", p.Spec.Install.RBAC)
}

// WebhookFiles returns the files behind install.webhooks, with absolute paths.
func (p *Profile) WebhookFiles() ([]string, error) {
	return p.files("spec.install.webhooks", p.Spec.Install.Webhooks)
}

// SetupFiles returns the files behind install.setup, with absolute paths.
func (p *Profile) SetupFiles() ([]string, error) {
	return p.files("spec.install.setup", p.Spec.Install.Setup)
}

func (p *Profile) files(field string, names []string) ([]string, error) {
	var files []string
	var problems strictyaml.Problems
	for i, name := range names {
		found, err := manifest.Files(p.path(name))
		problems = append(problems, p.problemsIn(fmt.Sprintf("%s[%d]", field, i), err)...)
		for _, file := range found {
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files, problems.Err()
}

// shipped is an object of a manifest, with the field that names the manifest.
type shipped struct {
	manifest.Object
	field string
}

// shipped returns the objects of the manifests that a field names. The error is
// [strictyaml.Problems].
func (p *Profile) shipped(field string, names []string) ([]shipped, error) {
	var objects []shipped
	var problems strictyaml.Problems
	for i, name := range names {
		at := fmt.Sprintf("%s[%d]", field, i)
		found, err := p.readings.read(p.path(name), p.ValuesFiles())
		problems = append(problems, p.problemsIn(at, err)...)
		for _, object := range found {
			objects = append(objects, shipped{object, at})
		}
	}
	return objects, problems.Err()
}

// ValuesFiles returns the files of install.values, with absolute paths.
func (p *Profile) ValuesFiles() []string {
	var files []string
	for _, name := range p.Spec.Install.Values {
		files = append(files, p.path(name))
	}
	return files
}

// into decodes an object. The error is [strictyaml.Problems] of the field that names its
// manifest.
func (p *Profile) into(o shipped, target any) error {
	return p.problemsIn(o.field, o.Into(target)).Err()
}

// problemsIn returns the problems in a manifest as problems of the field that names it.
func (p *Profile) problemsIn(field string, err error) (problems strictyaml.Problems) {
	var found strictyaml.Problems
	if !errors.As(err, &found) {
		return p.problemsOf(field, err)
	}
	for _, problem := range found {
		problems = append(problems, p.document.Problem(field, "%s", problem.Error()))
	}
	return problems
}

// kindsOf returns the kinds of objects with their versions, each once.
func kindsOf(objects []shipped) []string {
	var kinds []string
	for _, object := range objects {
		if kind := object.GetAPIVersion() + " " + object.GetKind(); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// readings is a cache of what was read from each path. A bundle is read several times, for
// its CRDs, its roles and more, and building a kustomization takes a while.
type readings struct {
	mutex sync.Mutex
	known map[string]reading
}

type reading struct {
	objects []manifest.Object
	notes   []string
	err     error
}

func (r *readings) read(path string, values []string) ([]manifest.Object, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if known, ok := r.known[path]; ok {
		return known.objects, known.err
	}
	objects, notes, err := manifest.ReadNoted(path, values)
	if r.known == nil {
		r.known = map[string]reading{}
	}
	r.known[path] = reading{objects, notes, err}
	return objects, err
}

// Notes returns what is worth knowing of the manifests that were read so far, each once:
// what of them is left out, and what helm or kustomize would warn of.
func (p *Profile) Notes() []string {
	p.readings.mutex.Lock()
	defer p.readings.mutex.Unlock()
	var notes []string
	for _, path := range slices.Sorted(maps.Keys(p.readings.known)) {
		for _, note := range p.readings.known[path].notes {
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}
