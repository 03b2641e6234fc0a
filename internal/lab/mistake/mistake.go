package mistake

import (
	"errors"
	"fmt"
	"io/fs"

	"reconform.dev/reconform/internal/mutant"
)

// Base is the folder of the controller that the patches change. It is also the solution of
// every debug lab.
const Base = "12-leader-election/solution"

// File is the patch, in the folder of a debug lab. Students do not get it.
const File = "mistake.patch"

// Of reads the mistake of a lab. It returns nil if there is none, because the lab is not a
// debug lab.
func Of(labs fs.FS, lab string) (*Mistake, error) {
	text, err := fs.ReadFile(labs, lab+"/"+File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the mistake of %s: %w", lab, err)
	}
	patch, above, err := mutant.ParsePatch(text)
	if err == nil && above != "" {
		err = errors.New("what it says of the mistake belongs into lab.yaml")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the mistake of %s: %w", lab, err)
	}
	return &Mistake{lab, patch}, nil
}

// Mistake of a debug lab.
type Mistake struct {
	lab   string
	patch mutant.Patch
}

// Make makes the mistake in the files of Base, by their names in a student's folder.
func (m *Mistake) Make(files map[string]string) error {
	if err := m.patch.Change(files); err != nil {
		return fmt.Errorf("making the mistake of %s: %w", m.lab, err)
	}
	return nil
}
