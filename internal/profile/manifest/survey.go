package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"reconform.dev/reconform/internal/profile/nearest"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

// remote matches names that kustomize would fetch.
var remote = regexp.MustCompile(`(?i)^(git::|(ssh|https?|file)://|github\.com[/:]|[a-z][a-z0-9-]*@)`)

// address matches a URL, also at the end of a path that a folder was put before: then
// there is only one slash behind the colon.
var address = regexp.MustCompile(`(?i)(?:^|/)((?:https?|oci|ssh|git|file|s3)):/+([^/].*)$`)

// CheckLocal returns an error if a path, which is not a file, names something that is not on
// this machine: a URL, or a repository.
func CheckLocal(path string) error {
	if found := address.FindStringSubmatch(path); found != nil {
		path = found[1] + "://" + found[2]
	} else if !remote.MatchString(path) {
		return nil
	}
	if strings.HasPrefix(strings.ToLower(path), "oci://") {
		return fmt.Errorf("%s is not a file, and nothing is fetched here: run helm pull %[1]s, and name the archive", path)
	}
	return fmt.Errorf("%s is not a file, and nothing is fetched here: download it, and name the file", path)
}

// survey lists the files that a kustomization is made from, including those of other
// kustomizations that it names, and returns notes about them. It returns an error if
// something would have to be fetched, or if a file that must be a manifest is not one.
func survey(folder string) (files, notes []string, err error) {
	s := surveyor{}
	if err := s.folder(folder, nil); err != nil {
		return nil, nil, err
	}
	return s.files, s.notes, nil
}

type surveyor struct {
	files []string
	notes []string
}

// folder surveys a folder with a kustomization. The trail has the kustomizations that led
// to it.
func (s *surveyor) folder(folder string, trail []string) error {
	file := kustomizationOf(folder)
	if slices.Contains(trail, file) {
		return fmt.Errorf("kustomizations refer to each other in a circle: %s", strings.Join(append(trail, file), " → "))
	}
	documents, err := s.read(file)
	if err != nil {
		return err
	}
	if problems := shape(documents); len(problems) > 0 {
		return problems
	}
	if len(documents) == 0 {
		return nil // kustomize says so
	}
	content, from := documents[0].content, documents[0].from
	if problems := wrongScalars(content, from); len(problems) > 0 {
		return problems
	}
	if problems := unreadable(content, from); len(problems) > 0 {
		return problems
	}
	for _, note := range oldFields(file, content) {
		if !slices.Contains(s.notes, note) {
			s.notes = append(s.notes, note)
		}
	}
	if name := fetchedInline(content); name != "" {
		return fmt.Errorf("%s names %s, and nothing is fetched here: put a copy beside it", file, name)
	}
	for _, named := range references(content) {
		path := named.name
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		problem := func(format string, args ...any) error {
			line, _ := from.find(named.path)
			return strictyaml.Problems{{File: file, Line: line, Field: strings.TrimPrefix(fieldAt(named.path), ": "), Message: fmt.Sprintf(format, args...)}}
		}
		info, err := os.Stat(path)
		switch {
		case remote.MatchString(named.name) && (err != nil || !info.Mode().IsRegular()): // kustomize takes a file first
			return problem("names %s, and nothing is fetched here: put a copy beside it, or give a file with the output of kustomize build", named.name)
		case err != nil && strings.ContainsAny(named.name, "*?"):
			return problem("names %s, and kustomize takes no patterns: name each file", named.name)
		case err != nil:
			return problem("names %s, which does not exist", named.name)
		case info.IsDir() && kustomizationOf(path) == "":
			return problem("names %s, a folder without a kustomization", named.name)
		case info.IsDir():
			err = s.folder(path, append(slices.Clone(trail), file))
		case named.manifest():
			s.files = append(s.files, path)
			_, err = readFile(path)
		case named.configures():
			err = s.configuration(path)
		default:
			s.files = append(s.files, path)
		}
		if err != nil {
			return inChart(path, err)
		}
	}
	return nil
}

// shape says what is wrong with a kustomization as a whole. Kustomize ignores all documents
// but the first.
func shape(documents []document) strictyaml.Problems {
	tell := func(at document, format string, args ...any) strictyaml.Problems {
		line, _ := at.from.find(nil)
		return strictyaml.Problems{{File: at.from.file, Line: line, Message: fmt.Sprintf(format, args...)}}
	}
	if len(documents) > 1 {
		return tell(documents[1], "a second document, which kustomize would leave out: write all into one, or into a kustomization of its own")
	}
	for _, one := range documents {
		if _, isMapping := one.content.(map[string]any); !isMapping {
			return tell(one, "it is %s; expected: a mapping with the fields of a kustomization, such as resources", strictyaml.Describe(one.content))
		}
	}
	return nil
}

// wrongScalars returns the values of a kustomization that should be of another type.
// Fields that it does not know, and old forms of its fields, are for kustomize itself.
func wrongScalars(content any, from origin) (problems strictyaml.Problems) {
	for _, m := range misfits(reflect.TypeFor[types.Kustomization](), content, nil) {
		if !slices.Contains([]string{strictyaml.AString, strictyaml.AList, strictyaml.ABoolean, strictyaml.ANumber}, m.want) {
			continue
		}
		line, text := from.find(m.path)
		problems = append(problems, strictyaml.Problem{File: from.file, Line: line, Field: strings.TrimPrefix(fieldAt(m.path), ": "), Message: m.tell(text)})
	}
	return problems
}

// unreadable returns the fields of a kustomization that cannot be read here: those that
// kustomize does not know, and charts.
func unreadable(content any, from origin) (problems strictyaml.Problems) {
	fields, _ := content.(map[string]any)
	known := map[string]reflect.Type{}
	fieldsOf(reflect.TypeFor[types.Kustomization](), known)
	names := slices.Sorted(maps.Keys(known))
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		message := ""
		switch {
		case strings.EqualFold(key, "helmCharts"), strings.EqualFold(key, "helmChartInflationGenerator"):
			message = "a chart in a kustomization is not built here: give a file with the output of kustomize build --enable-helm"
		case !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, key) }):
			message = "kustomize knows no such field" + nearest.Question(key, names)
		default:
			continue
		}
		line, _ := from.find([]any{key})
		problems = append(problems, strictyaml.Problem{File: from.file, Line: line, Field: key, Message: message})
	}
	return problems
}

// configuration surveys a file with generators or transformers, which may name files, too.
func (s *surveyor) configuration(file string) error {
	documents, err := s.read(file)
	if err != nil {
		return err
	}
	for _, one := range documents {
		if name := fetched(one.content); name != "" {
			return fmt.Errorf("%s names %s, and nothing is fetched here: put a copy beside it", file, name)
		}
	}
	return nil
}

// document is a document of a file that is not a manifest.
type document struct {
	content any
	from    origin
}

// read reads a file that is not a manifest. Documents without content are left out.
func (s *surveyor) read(file string) (documents []document, err error) {
	data, err := strictyaml.ReadRegular(file, maxFile)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	s.files = append(s.files, file)
	for _, part := range split(inUTF8(data)) {
		content, problem := part.parse(written)
		if problem != nil {
			problem.File, problem.Line = file, part.line+max(problem.Line, 1)-1
			return nil, strictyaml.Problems{*problem}
		}
		if content != nil {
			documents = append(documents, document{content, origin{file: file, text: part.text, line: part.line}})
		}
	}
	return documents, nil
}

// reference is a reference to a file or folder.
type reference struct {
	name string
	path []any
}

// manifest tells whether it names a manifest, and not a file that changes manifests.
func (r reference) manifest() bool { return r.isIn("resources", "bases") }

// configures tells whether it names a generator, a transformer or a validator.
func (r reference) configures() bool { return r.isIn("generators", "transformers", "validators") }

// isIn tells whether the reference stands in one of these fields of the kustomization.
func (r reference) isIn(fields ...string) bool {
	return slices.ContainsFunc(fields, func(field string) bool { return strings.EqualFold(field, fmt.Sprint(r.path[0])) })
}

// references returns the references in a kustomization.
func references(content any) (found []reference) {
	add := func(value any, path ...any) {
		// A text of several lines is content, not the name of a file.
		if text, ok := value.(string); ok && text != "" && !strings.Contains(text, "\n") {
			found = append(found, reference{text, path})
		}
	}
	for _, key := range []string{
		"resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators", "patchesStrategicMerge",
	} {
		eachAt(content, key, func(item any, path ...any) { add(item, path...) })
	}
	for _, key := range []string{"patches", "patchesJson6902", "replacements"} {
		eachAt(content, key, func(item any, path ...any) {
			eachAt(item, "path", func(name any, last ...any) { add(name, slices.Concat(path, last)...) })
		})
	}
	eachAt(content, "openapi", func(openapi any, path ...any) {
		eachAt(openapi, "path", func(name any, last ...any) { add(name, slices.Concat(path, last)...) })
	})
	for _, key := range []string{"configMapGenerator", "secretGenerator"} {
		eachAt(content, key, func(generator any, path ...any) {
			for _, key := range []string{"env", "envs", "files"} {
				eachAt(generator, key, func(name any, last ...any) {
					text, _ := name.(string)
					if _, after, keyed := strings.Cut(text, "="); keyed && key == "files" {
						text = after
					}
					add(text, slices.Concat(path, last)...)
				})
			}
		})
	}
	return found
}

// eachAt calls a function with each value that a mapping has for a key, and with its path: the
// entries of a list, or else the value. Kustomize reads large and small letters of a key alike.
func eachAt(mapping any, key string, do func(value any, path ...any)) {
	fields, _ := mapping.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		items, isList := fields[name].([]any)
		switch {
		case !strings.EqualFold(name, key):
		case !isList:
			do(fields[name], name)
		default:
			for i, item := range items {
				do(item, name, i)
			}
		}
	}
}

// fetchedInline returns what would be fetched by generators, transformers and validators
// that are written in the kustomization itself, or "".
func fetchedInline(content any) (name string) {
	for _, key := range []string{"generators", "transformers", "validators"} {
		eachAt(content, key, func(item any, _ ...any) {
			text, _ := item.(string)
			if one, problem := parse([]byte(text), rendered); problem == nil && strings.Contains(text, "\n") {
				name = cmp.Or(name, fetched(one))
			}
		})
	}
	return name
}

// fetched returns what kustomize would fetch because of the configuration of a transformer,
// or "".
func fetched(value any) string {
	switch value := value.(type) {
	case string:
		_, file, _ := strings.Cut(value, "=") // after a key
		if remote.MatchString(value) || remote.MatchString(file) {
			return value
		}
	case []any:
		for _, item := range value {
			if name := fetched(item); name != "" {
				return name
			}
		}
	case map[string]any:
		name := ""
		for _, key := range []string{"path", "paths", "files", "envs", "env", "replacements"} {
			eachAt(value, key, func(item any, _ ...any) { name = cmp.Or(name, fetched(item)) })
		}
		return name
	}
	return ""
}
