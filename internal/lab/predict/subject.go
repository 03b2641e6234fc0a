package predict

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/check"
	"reconform.dev/reconform/internal/lab/mistake"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/profile"
)

// files returns the files of the controller that a lab is about. If the question is about a
// mistake, they have it.
func files(labs fs.FS, l *lab.Lab) (map[string]string, error) {
	of := path.Dir(mistake.Base)
	if l.Controller != "" {
		of = l.Controller
	}
	files, err := student.Files(labs, of, path.Base(mistake.Base))
	if err != nil {
		return nil, err
	}
	wrong, err := mistake.Of(labs, l.Folder)
	if wrong == nil || err != nil {
		return files, err
	}
	return files, wrong.Make(files)
}

// Controller builds the controller that a lab is about, in a folder, and returns its
// profile.
func Controller(ctx context.Context, labs fs.FS, l *lab.Lab, dir string) (*profile.Profile, error) {
	files, err := files(labs, l)
	if err != nil {
		return nil, err
	}
	if err := student.Write(dir, files); err != nil {
		return nil, err
	}
	if err := check.Build(ctx, dir); err != nil {
		return nil, err
	}
	p, err := profile.Load(filepath.Join(dir, "profile.yaml"))
	if err != nil {
		return nil, err
	}
	if err := p.CheckFiles(); err != nil {
		return nil, err
	}
	p.Spec.Launch.Command = append(slices.Clone(p.Spec.Launch.Command), l.Arguments...)
	return p, nil
}
