package student

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/internal/lab/mistake"
	"reconform.dev/reconform/internal/lab/steps"
)

// progressFile marks the folder, and has the progress.
const progressFile = ".reconform-lab.yaml"

// Progress of a student in one lab.
type Progress struct {
	Lab string `json:"lab"` // its folder
	// Language in which it was started; empty: Go.
	Language string `json:"language,omitempty"`
	// Hints is how many were given.
	Hints int `json:"hints,omitempty"`
	// Checks is how often it was checked; Reached is what the last one has found.
	Checks  int        `json:"checks,omitempty"`
	Reached []string   `json:"reached,omitempty"`
	Passed  *time.Time `json:"passed,omitempty"` // when all was reached for the first time
	Shown   bool       `json:"solutionShown,omitempty"`
}

// Folder of a student.
type Folder struct {
	Dir string
	Progress
}

// Open the folder. The error is fs.ErrNotExist where it is none.
func Open(dir string) (*Folder, error) {
	data, err := os.ReadFile(filepath.Join(dir, progressFile))
	if err != nil {
		return nil, fmt.Errorf("%s is no folder of a lab: %w", dir, err)
	}
	const most = 1 << 20
	if len(data) > most {
		return nil, fmt.Errorf("the progress in %s has more than %d bytes", dir, most)
	}
	f := &Folder{Dir: dir}
	if err := yaml.UnmarshalStrict(data, &f.Progress); err != nil {
		return nil, fmt.Errorf("reading the progress in %s: %w", dir, err)
	}
	return f, nil
}

// Save the progress.
func (f *Folder) Save() error {
	data, err := yaml.Marshal(f.Progress)
	if err != nil {
		return fmt.Errorf("saving the progress: %w", err)
	}
	if err := os.WriteFile(filepath.Join(f.Dir, progressFile), data, 0o644); err != nil {
		return fmt.Errorf("saving the progress: %w", err)
	}
	return nil
}

// Start makes the folder of a lab from its start in a language. It fails where a file is
// there already.
func Start(labs fs.FS, lab string, language steps.Language, dir string) (*Folder, error) {
	files, err := Files(labs, lab, language.Folder("start"))
	if err != nil {
		return nil, err
	}
	var there []string
	for name := range files {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			there = append(there, name)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, progressFile)); err == nil {
		there = append(there, progressFile)
	}
	if len(there) > 0 {
		slices.Sort(there)
		return nil, fmt.Errorf("%s has %s already, and nothing of yours is overwritten: give another folder by --dir, or reset",
			dir, strings.Join(there, ", "))
	}
	if err := Write(dir, files); err != nil {
		return nil, err
	}
	f := &Folder{Dir: dir, Progress: Progress{Lab: lab}}
	if language.Name != steps.Go().Name {
		f.Language = language.Name
	}
	return f, f.Save()
}

// Reset puts the start back. What differs from it is moved into a folder, whose name is
// returned; empty where nothing does.
func (f *Folder) Reset(labs fs.FS) (string, error) {
	files, err := Files(labs, f.Lab, path.Join(f.Language, "start"))
	if err != nil {
		return "", err
	}
	aside := filepath.Join(f.Dir, "before-reset-"+time.Now().Format("20060102-150405"))
	moved := ""
	for name, text := range files {
		file := filepath.Join(f.Dir, name)
		present, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) || err == nil && string(present) == text {
			continue
		}
		if err != nil {
			return moved, fmt.Errorf("resetting: %w", err)
		}
		// A file of Go beside the others would be built with them, so it gets another name.
		if err := os.MkdirAll(aside, 0o755); err != nil {
			return moved, fmt.Errorf("resetting: %w", err)
		}
		moved = aside
		if err := os.Rename(file, filepath.Join(aside, name+".old")); err != nil {
			return moved, fmt.Errorf("resetting: %w", err)
		}
	}
	f.Progress = Progress{Lab: f.Lab, Language: f.Language}
	return moved, errors.Join(Write(f.Dir, files), f.Save())
}

// Write files into a folder, by their names. It is made where it is not there.
func Write(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of the lab: %w", err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing the lab's files: %w", err)
		}
	}
	return nil
}

// AnswerFile is what a student writes predictions into.
const AnswerFile = "answer.yaml"

// Files of a student's folder at a point of a lab: start or solution, and in another
// language than Go that of its folder, node/start. Where the lab is to be predicted it has
// nothing but a form for the answers.
func Files(labs fs.FS, lab, point string) (map[string]string, error) {
	files := map[string]string{}
	sources := map[string]string{"README.md": lab + "/README.md"}
	if _, err := fs.Stat(labs, sources["README.md"]); errors.Is(err, fs.ErrNotExist) {
		sources["README.md"] = lab + ".md"
	}
	var wrong *mistake.Mistake
	if _, err := fs.Stat(labs, lab+"/"+AnswerFile); err == nil {
		sources[AnswerFile] = lab + "/" + AnswerFile
	} else {
		var folder string
		if folder, wrong, err = source(labs, lab, point); err != nil {
			return nil, err
		}
		if files, err = steps.Files(labs, folder); err != nil {
			return nil, fmt.Errorf("making the files of the %s of lab %s: %w", point, lab, err)
		}
		sources["crd.yaml"], sources["webapp.yaml"] = steps.CRDFile, "student/webapp.yaml"
		if path.Dir(point) == steps.Node().Name {
			sources["package.json"], sources["package-lock.json"] = "node/package.json", "node/package-lock.json"
		} else {
			sources["go.mod"], sources["go.sum"] = steps.ModFile, steps.SumFile
		}
	}
	for name, source := range sources {
		text, err := fs.ReadFile(labs, source)
		if err != nil {
			return nil, fmt.Errorf("reading the lab's files: %w", err)
		}
		files[name] = string(text)
	}
	if wrong != nil && point == "start" {
		return files, wrong.Make(files)
	}
	return files, nil
}

// source is the folder that has the files of a lab at a point, and what is wrong in the
// start of a debug lab; nil elsewhere.
func source(labs fs.FS, lab, point string) (string, *mistake.Mistake, error) {
	wrong, err := mistake.Of(labs, lab)
	if err != nil {
		return "", nil, err
	}
	if wrong != nil {
		return mistake.Base, wrong, nil
	}
	return lab + "/" + point, nil, nil
}
