package steps

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"

	"reconform.dev/reconform/internal/mutant"
)

const (
	// Exercise is the folder of the hands-on exercise. Its start is a project without a
	// controller, but with the profile and the rights of a complete one.
	Exercise = "hands-on"
	// shutdown is the last step that the exercise asks for.
	shutdown = 11
	// beyond is the step of the labs that follow the last build lab. Each of them patches the
	// source, and its marks have this step.
	beyond = 13
)

// buildLab matches the folder of a build lab: the number of its step, and its name.
var buildLab = regexp.MustCompile(`^([0-9]{2})-[a-z0-9-]+$`)

// Files returns the files of a start or a solution, by name. The folder says which one: the
// folder of the lab, that of the language unless it is Go, and start or solution, as in
// 03-create-the-deployment/node/start. If the lab does not have it, the error is
// fs.ErrNotExist.
func Files(labs fs.FS, folder string) (map[string]string, error) {
	lab, point, language := path.Dir(folder), path.Base(folder), Go()
	if path.Base(lab) == Node().Name {
		lab, language = path.Dir(lab), Node()
	}
	if _, err := fs.Stat(labs, lab); err != nil {
		return nil, fmt.Errorf("finding the lab: %w", err)
	}
	if folder == path.Join(Exercise, Start(1).Folder()) {
		return exercise(labs)
	}
	step, err := stepOf(lab)
	if err != nil {
		return nil, err
	}
	for _, at := range []Point{Start(step), Solution(step)} {
		if at.Folder() == point && step <= language.Last {
			return language.files(labs, lab, at)
		}
	}
	return nil, fmt.Errorf("making %s: %w", folder, fs.ErrNotExist)
}

// stepOf returns the step of a lab. If the lab has none, the error is fs.ErrNotExist.
func stepOf(lab string) (int, error) {
	if path.Dir(lab) == "beyond" {
		return beyond, nil
	}
	match := buildLab.FindStringSubmatch(lab)
	if match == nil {
		return 0, fmt.Errorf("finding the step of %s: %w", lab, fs.ErrNotExist)
	}
	step, err := strconv.Atoi(match[1])
	if err != nil {
		return 0, fmt.Errorf("reading the step of %s: %w", lab, err)
	}
	return step, nil
}

// exercise returns the files of the exercise's start.
func exercise(labs fs.FS) (map[string]string, error) {
	files, err := Go().files(labs, Exercise, Solution(1)) // watch.go shows how to watch
	if err != nil {
		return nil, err
	}
	whole, err := Go().files(labs, Exercise, Solution(shutdown))
	if err != nil {
		return nil, err
	}
	for name, text := range whole {
		if path.Ext(name) == ".yaml" {
			files[name] = text
		}
	}
	return files, nil
}

// files returns the files of a lab at a point.
func (l Language) files(labs fs.FS, lab string, at Point) (map[string]string, error) {
	source, err := l.source(labs)
	if err != nil {
		return nil, err
	}
	if at >= Start(beyond) {
		if err := patch(source, labs, lab); err != nil {
			return nil, err
		}
	}
	files := map[string]string{}
	for name, text := range source {
		made, err := Render(text, at)
		if err == nil && made != "" && path.Ext(name) == ".go" {
			made, err = goFile(name, made)
		}
		if err != nil {
			return nil, fmt.Errorf("making the %s of step %02d: %s: %w", at.Folder(), at/2, name, err)
		}
		if made != "" {
			files[name] = made
		}
	}
	return files, nil
}

// patch patches the source with the patch of a beyond lab.
func patch(source map[string]string, labs fs.FS, lab string) error {
	file := path.Join(lab, "step.patch")
	text, err := fs.ReadFile(labs, file)
	if err != nil {
		return fmt.Errorf("reading a step: %w", err)
	}
	patch, _, err := mutant.ParsePatch(text)
	if err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	if err := patch.Change(source); err != nil {
		return fmt.Errorf("applying %s to labs/controller: %w", file, err)
	}
	return nil
}
