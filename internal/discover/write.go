package discover

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/internal/discover/draft"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
)

// RoleFile returns the file for a role that is made from what the controller asked for. It
// stands beside the profile.
func (r *Request) RoleFile() string { return r.beside("-rbac.yaml") }

// SetupFile returns the file for what came with the sample. It stands beside the profile.
func (r *Request) SetupFile() string { return r.beside("-setup.yaml") }

// beside returns a file in the folder of the profile, with its name and another ending.
func (r *Request) beside(ending string) string {
	file := r.Place.Profile
	return strings.TrimSuffix(file, filepath.Ext(file)) + ending
}

// write writes the profile and the files that belong to it.
func (i *initiation) write(record *infer.Record) (*infer.Findings, error) {
	if why := record.NoTemplate(); why != "" {
		i.Console.Printf("there will be no contract, because %s", why)
		record.Workless = why
	}
	found, err := infer.Find(record)
	if err != nil {
		return nil, &Failure{err}
	}
	files := map[string][]byte{}
	if len(i.Place.RBAC) == 0 {
		if err := i.addRole(record, found, files); err != nil {
			return nil, &Failure{err}
		}
	}
	if setup := i.given.Setup(found); len(setup) > 0 {
		i.place.Setup = i.SetupFile()
		if files[i.place.Setup], err = manifestsOf(setup); err != nil {
			return nil, &Failure{err}
		}
		found.Notes["install.setup"] = infer.Note{Basis: infer.Read, Text: "what came with the sample"}
	}
	if err := i.given.AddBeside(found, record.Account); err != nil {
		return nil, &Failure{err}
	}
	if err := i.given.Install(&found.Spec, i.place); err != nil {
		return nil, err
	}
	i.note(record, found)
	file := i.place.Profile
	if files[file], err = draft.Write(profile.NameFor(found.Spec.Implementation.Name), found); err != nil {
		return nil, &Failure{err}
	}
	if err := writeAll(files); err != nil {
		return nil, &Failure{err}
	}
	if _, err := profile.Parse(file, files[file]); err != nil {
		return nil, &Failure{fmt.Errorf("wrote %s, which is not a profile yet; mend these lines: %w", file, err)}
	}
	return found, nil
}

// Unwritten says that files could not be written, because the disk is full, for example.
type Unwritten struct {
	Err error
	// Files has what should stand in each, by its name.
	Files map[string][]byte
}

func (e *Unwritten) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Unwritten) Unwrap() error { return e.Err }

// Text returns what should stand in the files, each below its name.
func (e *Unwritten) Text() string {
	var text strings.Builder
	for _, file := range slices.Sorted(maps.Keys(e.Files)) {
		fmt.Fprintf(&text, "# ----- %s\n%s\n", file, e.Files[file])
	}
	return text.String()
}

// writeAll writes all files that can be written. The error is an *[Unwritten] with the others, and
// with those that have come since the look began.
func writeAll(files map[string][]byte) error {
	unwritten := &Unwritten{Files: map[string][]byte{}}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		_, err := os.Lstat(file)
		if err == nil {
			err = fmt.Errorf("%w, and it was not there before", fs.ErrExist)
		} else {
			err = report.Replace(file, files[file])
		}
		if err != nil {
			unwritten.Err = errors.Join(unwritten.Err, fmt.Errorf("writing %s: %w", file, err))
			unwritten.Files[file] = files[file]
		}
	}
	if unwritten.Err != nil {
		return unwritten
	}
	return nil
}

// addRole adds a role that allows what the controller asked for.
func (i *initiation) addRole(record *infer.Record, found *infer.Findings, files map[string][]byte) error {
	role, err := yaml.Marshal(record.Role(filepath.Base(i.Command[0])))
	if err != nil {
		return fmt.Errorf("writing a role: %w", err)
	}
	i.place.RBAC = []string{i.RoleFile()}
	files[i.RoleFile()] = append([]byte("# Written by reconform init: the rights that were seen to be used, and those that\n"+
		"# belong to them. Give its own roles with --rbac, and the requirements judge these.\n"), role...)
	found.Notes["install.rbac"] = infer.Note{Basis: infer.Seen, Text: "made of what it asked for; its own roles are better"}
	return nil
}

// note says in the profile what was found out on the way.
func (i *initiation) note(record *infer.Record, found *infer.Findings) {
	if len(i.given.NamespaceLabels) > 0 {
		text := "the Namespace that came with the sample has them: leave out what is not needed"
		if len(found.Spec.Serves) == 0 {
			found.Notes["contract.namespaceLabels"] = infer.Note{Basis: infer.Read, Text: text}
		} else {
			found.Asked["serves"] = append(found.Asked["serves"], infer.Question{Text: "namespaceLabels: " + text + ". Does the controller serve only such namespaces?"})
		}
	}
	if i.place.AtHome {
		found.Notes["install.inServedNamespace"] = infer.Note{Basis: infer.Seen, Text: "it asked for its objects there, and nowhere else"}
	}
	if len(i.place.ClusterWrites) > len(i.Place.ClusterWrites) {
		found.Notes["install.clusterWrites"] = infer.Note{Basis: infer.Seen, Text: "it writes these, and its roles allow it"}
	}
	if len(i.place.ClusterWrites) > 0 {
		record.FindSharing(found, i.place.ClusterWrites)
	}
}

// manifestsOf returns objects in one file.
func manifestsOf(objects []*unstructured.Unstructured) ([]byte, error) {
	text := "# Written by reconform init: what came with the sample.\n"
	for _, object := range objects {
		manifest, err := manifestOf(object)
		if err != nil {
			return nil, fmt.Errorf("writing %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		text += "---\n" + string(manifest)
	}
	return []byte(text), nil
}

// manifestOf returns an object as YAML; or as JSON, if it has what would be read otherwise as YAML,
// or what no YAML can have.
func manifestOf(object *unstructured.Unstructured) ([]byte, error) {
	data, err := json.Marshal(object.Object)
	if err != nil {
		return nil, err
	}
	text, err := yaml.JSONToYAML(data)
	if err == nil {
		if read, err := yaml.YAMLToJSON(text); err == nil && bytes.Equal(read, data) {
			return text, nil
		}
	}
	indented := &bytes.Buffer{}
	if err := json.Indent(indented, data, "", "  "); err != nil {
		return nil, err
	}
	return append(indented.Bytes(), '\n'), nil
}
