package profile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/internal/document"
)

// kustomizations are the names that kustomize knows its file by.
var kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// kustomization is what a kustomization says as far as it matters here: names, namespaces
// and labels do not.
type kustomization struct {
	Resources []string `json:"resources"`
	Bases     []string `json:"bases"` // an older name
}

// changes are the fields with which a kustomization makes other objects than the files
// have.
var changes = []string{
	"patches", "patchesStrategicMerge", "patchesJson6902", "replacements", "components", "transformers", "generators",
	"helmCharts",
}

// kustomizationOf a folder is its file, or nothing where it has none.
func kustomizationOf(folder string) string {
	for _, name := range kustomizations {
		file := filepath.Join(folder, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// maxKustomizations limits how far they may lead.
const maxKustomizations = 20

// resources are the files that a kustomization names, in its order, and those of the
// folders that it names.
func resources(file string, depth int) ([]string, error) {
	if depth > maxKustomizations {
		return nil, errors.New("kustomizations lead around in a circle")
	}
	data, err := document.ReadRegular(file, maxManifest)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	var k kustomization
	var fields map[string]any
	if err := errors.Join(yaml.Unmarshal(data, &k), yaml.Unmarshal(data, &fields)); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	for _, change := range changes {
		if list, _ := fields[change].([]any); len(list) > 0 {
			return nil, fmt.Errorf("%s has %s, which are not carried out here: name what it is made of (such as config/crd/bases), or a file with the output of kustomize build",
				file, change)
		}
	}
	var files []string
	for _, name := range append(k.Resources, k.Bases...) {
		path := filepath.Join(filepath.Dir(file), name)
		info, err := os.Stat(path)
		switch {
		case err != nil && (strings.Contains(name, "://") || strings.HasPrefix(name, "github.com/")):
			return nil, fmt.Errorf("%s names %s, and nothing is fetched here", file, name)
		case err != nil:
			return nil, fmt.Errorf("%s names a resource: %w", file, err)
		case !info.IsDir():
			files = append(files, path)
			continue
		}
		below := kustomizationOf(path)
		if below == "" {
			return nil, fmt.Errorf("%s names %s, a folder without a kustomization", file, name)
		}
		found, err := resources(below, depth+1)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}
