package manifest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// chartFile is the file that every chart has in its folder.
const chartFile = "Chart.yaml"

// readChart renders a chart as helm template does, with its own values and those of the
// files, and returns notes. The release and its namespace have the chart's name. It uses no
// cluster and fetches nothing.
func readChart(path string, values []string) (objects []Object, notes []string, err error) {
	c, err := loader.Load(path)
	if err != nil {
		if isFile(path) {
			return nil, nil, fmt.Errorf("%s is packed, and cannot be read as the archive of a chart: %w; unpack it, or pack the chart by helm package", path, err)
		}
		return nil, nil, fmt.Errorf("reading the chart %s: %w", path, cmp.Or(unreadableIn(path), err))
	}
	if c.Metadata.Type == "library" {
		return nil, nil, fmt.Errorf("the chart %s is a library, which has no manifests of its own: give a chart that uses it", path)
	}
	if lacking := lacksCharts(c); len(lacking) > 0 {
		return nil, nil, fmt.Errorf("the chart %s depends on what is not in its folder charts, %s: run helm dependency build, or give a file with the output of helm template",
			path, strings.Join(lacking, ", "))
	}
	given, err := readValues(values)
	if err != nil {
		return nil, nil, err
	}
	if notes, err = switches(path, c, given); err != nil {
		return nil, nil, err
	}
	files, err := fillIn(c, given)
	if err != nil {
		return nil, nil, fmt.Errorf("filling in the chart %s, as helm template does: %w; values of your own go into a file, by install.values or --values", path, err)
	}
	for _, definition := range c.CRDObjects() {
		found, err := decode(filepath.Join(path, withinChart(definition.Filename)), definition.File.Data, rendered)
		if err != nil {
			return nil, nil, err
		}
		objects = append(objects, found...)
	}
	var left []Object
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if filepath.Base(name) == "NOTES.txt" {
			continue // all others are manifests for helm, whatever they are called
		}
		found, err := decode(filepath.Join(path, withinChart(name)), []byte(files[name]), rendered)
		if err != nil {
			return nil, nil, err
		}
		for _, object := range found {
			if passes(object) {
				left = append(left, object)
			} else {
				objects = append(objects, object)
			}
		}
	}
	return objects, slices.Concat(notes, otherKubernetes(path, c), hooks(path, left)), nil
}

// withinChart returns the name of a file without the name of its chart, with which it begins.
func withinChart(name string) string {
	_, within, _ := strings.Cut(name, "/")
	return within
}

// fillIn renders a chart, and returns its manifests by the names of their templates.
func fillIn(c *chart.Chart, given map[string]any) (map[string]string, error) {
	if err := chartutil.ProcessDependencies(c, given); err != nil {
		return nil, err
	}
	release := common.ReleaseOptions{Name: c.Name(), Namespace: c.Name(), Revision: 1, IsInstall: true}
	// The schema of the values may be at a URL, but nothing may be fetched here.
	all, err := util.ToRenderValuesWithSchemaValidation(c, given, release, nil, true)
	if err != nil {
		return nil, err
	}
	return engine.Render(c, all)
}

// lacksCharts returns the dependencies that the chart does not contain.
func lacksCharts(c *chart.Chart) (lacking []string) {
	for _, dependency := range c.Metadata.Dependencies {
		if !slices.ContainsFunc(c.Dependencies(), func(d *chart.Chart) bool { return d.Name() == dependency.Name }) {
			lacking = append(lacking, dependency.Name)
		}
	}
	return lacking
}

// readValues reads files with values. A later file overrides an earlier one.
func readValues(files []string) (map[string]any, error) {
	all := map[string]any{}
	for _, file := range files {
		data, err := strictyaml.ReadRegular(file, maxFile)
		if err != nil {
			return nil, fmt.Errorf("reading values %s: %w", file, err)
		}
		values, err := loader.LoadValues(bytes.NewReader(data))
		if err != nil {
			if problem := notMapping(file, data, ofValues); problem != nil {
				return nil, fmt.Errorf("reading values: %w", problem)
			}
			return nil, fmt.Errorf("reading values %s: %w", file, err)
		}
		all = loader.MergeMaps(all, values)
	}
	return all, nil
}

// unreadableIn says where the metadata or the values of a chart are not YAML, which helm says
// without a line. It returns nil if they are.
func unreadableIn(path string) error {
	for _, part := range []struct{ name, has string }{{chartFile, "with the chart's name and version"}, {"values.yaml", ofValues}} {
		file := filepath.Join(path, part.name)
		data, err := os.ReadFile(file)
		if err != nil {
			continue // the error of helm is about that
		}
		if problem := notMapping(file, data, part.has); problem != nil {
			return problem
		}
	}
	return nil
}

// ofValues says what the mapping in a file with values is like.
const ofValues = "from the names of values to the values, as in replicas: 2"

// notMapping says where a file is not one mapping in YAML, which has this. It returns nil if it is.
func notMapping(file string, data []byte, has string) error {
	for _, part := range split(data) {
		from := origin{file: file, text: part.text, line: part.line}
		content, problem := part.parse(rendered)
		if problem != nil {
			problem.File, problem.Line = file, from.lineOf(max(problem.Line, 1))
			return strictyaml.Problems{*problem}
		}
		if _, ok := content.(map[string]any); !ok && content != nil {
			line, _ := from.find(nil)
			return strictyaml.Problems{{File: file, Line: line, Message: fmt.Sprintf(
				"it is %s; expected: a mapping %s", strictyaml.Describe(content), has)}}
		}
	}
	return nil
}

// passes tells whether an object does not stay after an install: a hook that does not run
// at install (a test), or one that is deleted after it has succeeded.
func passes(o Object) bool {
	hook, isHook := o.GetAnnotations()["helm.sh/hook"]
	return isHook && (!strings.Contains(hook, "install") ||
		strings.Contains(o.GetAnnotations()["helm.sh/hook-delete-policy"], "hook-succeeded"))
}

// chartFiles returns the files in a chart's folder.
func chartFiles(path string) (files []string, err error) {
	err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the chart %s: %w", path, err)
	}
	return files, nil
}

// inChart adds the chart to an error about one of its templates.
func inChart(file string, err error) error {
	var problems strictyaml.Problems
	if !errors.As(err, &problems) {
		return err
	}
	for folder := filepath.Dir(file); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if !isFile(filepath.Join(folder, chartFile)) {
			continue
		}
		for i := range problems {
			problems[i].Message = strings.Replace(problems[i].Message, "the folder with "+chartFile, folder, 1)
		}
	}
	return problems
}
