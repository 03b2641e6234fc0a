package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"reconform.dev/reconform/internal/document"
)

// CRDFiles are the files that install.crds names, folders opened, absolute.
func (p *Profile) CRDFiles() ([]string, error) {
	return p.files("spec.install.crds", p.Spec.Install.CRDs)
}

// RBACFiles are the files that install.rbac names, folders opened, absolute.
func (p *Profile) RBACFiles() ([]string, error) {
	return p.files("spec.install.rbac", p.Spec.Install.RBAC)
}

// WebhookFiles are the files that install.webhooks names, folders opened, absolute.
func (p *Profile) WebhookFiles() ([]string, error) {
	return p.files("spec.install.webhooks", p.Spec.Install.Webhooks)
}

// SetupFiles are the files that install.setup names, folders opened, absolute.
func (p *Profile) SetupFiles() ([]string, error) {
	return p.files("spec.install.setup", p.Spec.Install.Setup)
}

// files opens folders and lists what their kustomization names, or else their YAML and
// JSON files by name, without those of folders below.
func (p *Profile) files(field string, names []string) ([]string, error) {
	var files []string
	var problems document.Problems
	for i, name := range names {
		found, problem := manifestFiles(p.path(name))
		if problem != "" {
			problems = append(problems, p.document.Problem(fmt.Sprintf("%s[%d]", field, i), "%s (relative to %s)", problem, p.Dir))
		}
		files = append(files, found...)
	}
	return files, problems.Err()
}

func manifestFiles(path string) (files []string, problem string) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Sprintf("no such file: %s", path)
	case err != nil:
		return nil, err.Error()
	case !info.IsDir():
		return []string{path}, ""
	}
	if file := kustomizationOf(path); file != "" {
		files, err := resources(file, 1)
		switch {
		case err != nil:
			return nil, err.Error()
		case len(files) == 0:
			return nil, file + " names no resources"
		}
		return files, ""
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err.Error()
	}
	for _, entry := range entries {
		isManifest := slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(entry.Name()))
		if !entry.IsDir() && isManifest {
			files = append(files, filepath.Join(path, entry.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Sprintf("no manifests in folder %s: expected files that end in .yaml, .yml or .json", path)
	}
	return files, ""
}

// readObjects reads every object in the files, lists opened.
func readObjects(files []string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	for _, file := range files {
		found, err := readFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading manifest %s: %w", file, err)
		}
		objects = append(objects, found...)
	}
	return objects, nil
}

func readFile(file string) ([]*unstructured.Unstructured, error) {
	data, err := document.ReadRegular(file, maxManifest)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var content map[string]any
		if err := decoder.Decode(&content); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		if len(content) == 0 {
			continue
		}
		object := &unstructured.Unstructured{Object: content}
		if object.GetAPIVersion() == "" || object.GetKind() == "" {
			return nil, errors.New("not a Kubernetes object: apiVersion and kind are required")
		}
		if !object.IsList() {
			objects = append(objects, object)
			continue
		}
		err := object.EachListItem(func(item runtime.Object) error {
			objects = append(objects, item.(*unstructured.Unstructured))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
}

// ReadManifests reads every object in a file, or in the manifests of a folder.
func ReadManifests(path string) ([]*unstructured.Unstructured, error) {
	files, problem := manifestFiles(path)
	if problem != "" {
		return nil, errors.New(problem)
	}
	return readObjects(files)
}
