package manifest

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// kustomizations are the file names that kustomize knows.
var kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// kustomizationOf returns the kustomization file of a folder, or "".
func kustomizationOf(folder string) string {
	for _, name := range kustomizations {
		if file := filepath.Join(folder, name); isFile(file) {
			return file
		}
	}
	return ""
}

// oneAtATime is locked during a build, because kustomize keeps its schema in package
// variables.
var oneAtATime sync.Mutex

// build builds a kustomization, and returns notes. It may name files outside its folder.
// Nothing is fetched, and no plugin is started.
func build(folder string) ([]Object, []string, error) {
	_, notes, err := survey(folder)
	if err != nil {
		return nil, nil, err
	}
	oneAtATime.Lock()
	defer oneAtATime.Unlock()
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = types.LoadRestrictionsNone
	options.Reorder = krusty.ReorderOptionUnspecified // what the kustomization says counts
	built, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, nil, fmt.Errorf("building the kustomization %s, as kustomize build does: %w%s", folder, err, remedy(err))
	}
	text, err := built.AsYaml()
	if err != nil {
		return nil, nil, fmt.Errorf("building the kustomization %s: %w", folder, err)
	}
	objects, err := decode(kustomizationOf(folder), text, rendered)
	return objects, notes, err
}

// remedy says what to do about an error of kustomize.
func remedy(err error) string {
	if _, id, twice := strings.Cut(err.Error(), "already registered id: "); twice {
		id, _, _ = strings.Cut(id, "'")
		return fmt.Sprintf("; two of its files have the same object, %s: name one file in place of the folder", id)
	}
	return "; if another version of kustomize accepts it, give a file with its output"
}
