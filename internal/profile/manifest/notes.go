package manifest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

// The notes of this package say in our words what helm and kustomize would warn of, and
// what is left out of what was given.

// replaced are the old fields of a kustomization, and what stands in their place today.
var replaced = []struct{ old, by string }{
	{"bases", "resources"},
	{"commonLabels", "labels"},
	{"imageTags", "images"},
	{"patchesJson6902", "patches"},
	{"patchesStrategicMerge", "patches"},
	{"vars", "replacements"},
}

// oldFields returns a note if a kustomization has old fields.
func oldFields(file string, content any) []string {
	fields, _ := content.(map[string]any)
	var found []string
	for _, r := range replaced {
		for key := range fields {
			if strings.EqualFold(key, r.old) {
				found = append(found, fmt.Sprintf("%s (today: %s)", key, r.by))
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s has old fields, which are read as before: %s", file, strings.Join(found, ", "))}
}

// subfolders returns a note if folders in a folder of manifests have manifests, too.
func subfolders(path string) []string {
	below, _ := folder.Glob(path, "*/*") // the pattern is valid
	var found []string
	for _, file := range below {
		if in := filepath.Base(filepath.Dir(file)); isManifest(file) && !slices.Contains(found, in) {
			found = append(found, in)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: folders in it are not read: %s", path, strings.Join(found, ", "))}
}

// otherKubernetes returns a note if a chart is for other versions of Kubernetes than the one
// that it is rendered for. Helm refuses that.
func otherKubernetes(path string, c *chart.Chart) []string {
	version := common.DefaultCapabilities.KubeVersion.String()
	if c.Metadata.KubeVersion == "" || chartutil.IsCompatibleRange(c.Metadata.KubeVersion, version) {
		return nil
	}
	return []string{fmt.Sprintf("%s: the chart asks for Kubernetes %s, and it is filled in for %s: helm would refuse that", path, c.Metadata.KubeVersion, version)}
}

// hooks returns a note if hooks of a chart are left out.
func hooks(path string, left []Object) []string {
	if len(left) == 0 {
		return nil
	}
	var names []string
	for _, o := range left {
		names = append(names, o.title())
	}
	return []string{fmt.Sprintf("%s: hooks that do not run at an install, or are deleted after it, are left out: %s", path, strings.Join(names, ", "))}
}

// switches returns notes about values that should switch a dependency of a chart on or off,
// and are neither true nor false. Helm ignores these.
func switches(path string, c *chart.Chart, given map[string]any) ([]string, error) {
	values, err := util.CoalesceValues(c, given)
	if err != nil {
		return nil, fmt.Errorf("merging the values of the chart %s: %w", path, err)
	}
	return switchesBelow(path, c, values, ""), nil
}

// switchesBelow does this for a chart and the charts in it. The prefix is the path of the
// chart in the values.
func switchesBelow(path string, c *chart.Chart, values common.Values, prefix string) (notes []string) {
	check := func(at string, dependency *chart.Dependency, what string) (isSwitch bool) {
		value, err := values.PathValue(at)
		if err != nil || value == nil {
			return false
		}
		if _, ok := value.(bool); ok {
			return true
		}
		notes = append(notes, fmt.Sprintf("%s: the value %s, %s of the chart %s, %s; helm ignores it as it is",
			path, at, what, dependency.Name, strictyaml.WrongType(value, "", strictyaml.ABoolean)))
		return false
	}
	for _, dependency := range c.Metadata.Dependencies {
		for condition := range strings.SplitSeq(strings.TrimSpace(dependency.Condition), ",") {
			if condition != "" && check(prefix+condition, dependency, "a condition") {
				break // the first one counts
			}
		}
		for _, tag := range dependency.Tags {
			check("tags."+tag, dependency, "a tag")
		}
	}
	for _, below := range c.Dependencies() {
		notes = append(notes, switchesBelow(path, below, values, prefix+below.Name()+".")...)
	}
	return notes
}
