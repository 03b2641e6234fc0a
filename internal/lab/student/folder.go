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

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/lab/mistake"
	"reconform.dev/reconform/internal/lab/steps"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
)

// progressFile marks the folder, and stores the progress.
const progressFile = ".reconform-lab.yaml"

// Progress of a student in one lab.
type Progress struct {
	Lab string `json:"lab"` // the lab's folder
	// Language in which the lab was started; empty means Go.
	Language string `json:"language,omitempty"`
	// Hints is how many hints were given.
	Hints int `json:"hints,omitempty"`
	// Checks is how often it was checked; Reached is what the last check has found.
	Checks  int        `json:"checks,omitempty"`
	Reached []string   `json:"reached,omitempty"`
	Passed  *time.Time `json:"passed,omitempty"` // when everything was reached for the first time
	Shown   bool       `json:"solutionShown,omitempty"`
}

// Folder is the folder of a student.
type Folder struct {
	Dir string
	Progress
}

// Open opens the folder. The error is fs.ErrNotExist if it is not the folder of a lab.
func Open(dir string) (*Folder, error) {
	data, err := os.ReadFile(filepath.Join(dir, progressFile))
	if err != nil {
		return nil, fmt.Errorf("%s is not a folder of a lab: %w", dir, err)
	}
	const most = 1 << 20
	if len(data) > most {
		return nil, fmt.Errorf("the progress in %s has more than %d bytes", dir, most)
	}
	f := &Folder{Dir: dir}
	if err := yaml.UnmarshalStrict(data, &f.Progress); err != nil {
		return nil, fmt.Errorf("reading %s, which keeps your progress: %w (delete it, and start the lab in another folder)", filepath.Join(dir, progressFile), err)
	}
	return f, nil
}

// Save saves the progress.
func (f *Folder) Save() error {
	data, err := yaml.Marshal(f.Progress)
	if err != nil {
		return fmt.Errorf("saving the progress: %w", err)
	}
	if err := report.Replace(filepath.Join(f.Dir, progressFile), data); err != nil {
		return fmt.Errorf("saving the progress: %w", err)
	}
	return nil
}

// Start makes a lab's folder from its start in a language. It returns an error if one of
// the files exists already.
func Start(labs fs.FS, lab string, language steps.Language, dir string) (*Folder, error) {
	files, err := Files(labs, lab, language.Folder("start"))
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file, and no folder: give another name by --dir", dir)
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
		return nil, fmt.Errorf("%s has %s already, and nothing of yours is overwritten: give another folder by --dir, or begin anew with reconform lab reset --dir %s",
			dir, strings.Join(there, ", "), sanitize.Word(dir))
	}
	f := &Folder{Dir: dir, Progress: Progress{Lab: lab}}
	if language.Name != steps.Go().Name {
		f.Language = language.Name
	}
	if err := f.begin(files); err != nil {
		return nil, err
	}
	return f, nil
}

// begin writes the files, none of which exists, and the progress. If it cannot, for example
// because the disk is full, it removes what it wrote, so that the lab can be started again.
func (f *Folder) begin(files map[string]string) error {
	_, err := os.Stat(f.Dir)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err = Write(f.Dir, files); err == nil {
		err = f.Save()
	}
	if err == nil {
		return nil
	}
	for name := range files {
		_ = os.Remove(filepath.Join(f.Dir, name)) // the first error is told
	}
	if isNew {
		_ = os.Remove(f.Dir)
	}
	return err
}

// Reset restores the start. Files that differ from it, and sources that it does not have, are
// moved into a folder, whose name is returned. It returns "" if none differs.
func (f *Folder) Reset(labs fs.FS) (string, error) {
	files, err := Files(labs, f.Lab, path.Join(f.Language, "start"))
	if err != nil {
		return "", err
	}
	changed, err := f.changed(files)
	if err != nil {
		return "", err
	}
	aside := filepath.Join(f.Dir, "before-reset-"+time.Now().Format("20060102-150405"))
	moved := ""
	for _, name := range changed {
		// A Go file there would still belong to the module, so it gets another name.
		if err := os.MkdirAll(aside, 0o755); err != nil {
			return moved, fmt.Errorf("resetting: %w", err)
		}
		moved = aside
		if err := os.Rename(filepath.Join(f.Dir, name), filepath.Join(aside, name+".old")); err != nil {
			return moved, fmt.Errorf("resetting: %w", err)
		}
	}
	f.Progress = Progress{Lab: f.Lab, Language: f.Language}
	return moved, errors.Join(Write(f.Dir, files), f.Save())
}

// changed returns the files that differ from the start, and the sources that it does not have:
// what is defined in them would be defined twice.
func (f *Folder) changed(start map[string]string) (names []string, err error) {
	for name, text := range start {
		present, err := os.ReadFile(filepath.Join(f.Dir, name))
		if errors.Is(err, fs.ErrNotExist) || err == nil && string(present) == text {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("resetting: %w", err)
		}
		names = append(names, name)
	}
	for _, pattern := range []string{"*.go", "*.js"} {
		sources, err := folder.Glob(f.Dir, pattern)
		if err != nil {
			return nil, fmt.Errorf("resetting: %w", err)
		}
		for _, source := range sources {
			if _, given := start[filepath.Base(source)]; !given {
				names = append(names, filepath.Base(source))
			}
		}
	}
	return names, nil
}

// Write writes files into a folder, by their names. It creates the folder if necessary.
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

// AnswerFile is the file into which a student writes predictions.
const AnswerFile = "answer.yaml"

// Files returns the files of a student's folder at a point of a lab: start or solution, and
// for another language than Go with the language before it, as in node/start. If the lab is
// to be predicted, there is only a form for the answers. If the lab does not have that
// point, the error is fs.ErrNotExist.
func Files(labs fs.FS, lab, point string) (map[string]string, error) {
	text := lab + "/README.md"
	if _, err := fs.Stat(labs, text); errors.Is(err, fs.ErrNotExist) {
		text = lab + ".md"
	}
	files, copied := map[string]string{}, map[string]string{"README.md": text}
	if _, err := fs.Stat(labs, lab+"/"+AnswerFile); err == nil {
		copied[AnswerFile] = lab + "/" + AnswerFile
	} else {
		if files, err = controller(labs, lab, point); err != nil {
			return nil, fmt.Errorf("making the %s of lab %s: %w", point, lab, err)
		}
		copied["crd.yaml"], copied["webapp.yaml"] = steps.CRDFile, "student/webapp.yaml"
		if path.Dir(point) == steps.Node().Name {
			copied["package.json"], copied["package-lock.json"] = "node/package.json", "node/package-lock.json"
		} else {
			copied["go.mod"], copied["go.sum"] = steps.ModFile, steps.SumFile
		}
	}
	for name, from := range copied {
		text, err := fs.ReadFile(labs, from)
		if err != nil {
			return nil, fmt.Errorf("reading the lab's files: %w", err)
		}
		files[name] = string(text)
	}
	return files, nil
}

// controller returns the controller of a lab at a point. The start of a debug lab has the
// mistake.
func controller(labs fs.FS, lab, point string) (map[string]string, error) {
	wrong, err := mistake.Of(labs, lab)
	if err != nil {
		return nil, err
	}
	if wrong == nil {
		return steps.Files(labs, lab+"/"+point)
	}
	files, err := steps.Files(labs, mistake.Base)
	if err == nil && point == "start" {
		err = wrong.Make(files)
	}
	return files, err
}

// CRD returns the definition of WebApps, which each student's folder has.
func CRD(labs fs.FS) (*apiextensionsv1.CustomResourceDefinition, error) {
	data, err := fs.ReadFile(labs, steps.CRDFile)
	if err != nil {
		return nil, fmt.Errorf("reading the definition of WebApps: %w", err)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, definition); err != nil {
		return nil, fmt.Errorf("reading the definition of WebApps in %s: %w", steps.CRDFile, err)
	}
	return definition, nil
}
