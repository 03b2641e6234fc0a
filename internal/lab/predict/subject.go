package predict

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/check"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/internal/profile"
)

// base is the lab whose solution is experimented on.
const base = "12-leader-election"

// patchFile in the folder of a lab changes the controller, where the question is about a
// mistake.
const patchFile = "mistake.patch"

// files of the controller that a lab is about.
func files(labs fs.FS, l *lab.Lab) (map[string]string, error) {
	files, err := student.Files(labs, base, "solution")
	if err != nil {
		return nil, err
	}
	text, err := fs.ReadFile(labs, l.Folder+"/"+patchFile)
	if os.IsNotExist(err) {
		return files, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the mistake of %s: %w", l.Folder, err)
	}
	patch, _, err := mutant.ParsePatch(text)
	if err != nil {
		return nil, fmt.Errorf("reading the mistake of %s: %w", l.Folder, err)
	}
	patched := map[string][]byte{}
	for name, content := range files {
		patched[name] = []byte(content)
	}
	if err := patch.Apply(patched); err != nil {
		return nil, fmt.Errorf("making the mistake of %s: %w", l.Folder, err)
	}
	for name, content := range patched {
		files[name] = string(content)
	}
	return files, nil
}

// Controller builds the one that a lab is about in a folder, and returns its profile.
func Controller(ctx context.Context, labs fs.FS, l *lab.Lab, dir string) (*profile.Profile, error) {
	files, err := files(labs, l)
	if err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, fmt.Errorf("writing the controller: %w", err)
		}
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
