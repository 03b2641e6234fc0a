package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// maxFile limits the size of a file. People write much smaller ones.
const maxFile = 32 << 20

// readFile reads every object in a file. For a list it reads the items.
func readFile(file string) ([]Object, error) {
	data, err := strictyaml.ReadRegular(file, maxFile)
	if err != nil {
		return nil, fmt.Errorf("reading manifest %s: %w", file, err)
	}
	return decode(file, data, written)
}

// Where a text comes from.
const (
	written  = false // a person wrote it: no key may appear twice
	rendered = true  // it was made from a file, whose lines are different
)

// decode decodes every object in a text. The error is [strictyaml.Problems].
func decode(file string, data []byte, made bool) ([]Object, error) {
	var objects []Object
	for _, part := range split(data) {
		from := origin{file: file, text: part.text, line: part.line}
		content, problem := parse(part.text, made)
		if problem != nil {
			problem.File, problem.Line = file, from.lineOf(max(problem.Line, 1))
			if made {
				problem.Line = 0
			}
			return nil, strictyaml.Problems{*problem}
		}
		if made {
			from.line = 0
		}
		found, err := open(content, from)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	return objects, nil
}

// part is one document of a text, with its first line.
type part struct {
	text []byte
	line int
}

// split splits a text into its documents: YAML between lines of three dashes, or JSON
// objects one after the other.
func split(data []byte) (parts []part) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		if parts, ok := splitJSON(data); ok {
			return parts
		}
	}
	line, start, text := 1, 1, []byte(nil)
	for each := range bytes.Lines(data) {
		rest, separates := bytes.CutPrefix(each, []byte("---"))
		if separates && (len(rest) == 0 || bytes.ContainsAny(rest[:1], " \t\r\n#")) {
			parts = append(parts, part{text, start})
			start, text = line, append([]byte("   "), rest...)
		} else {
			text = append(text, each...)
		}
		line++
	}
	return append(parts, part{text, start})
}

func splitJSON(data []byte) (parts []part, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	for {
		start := decoder.InputOffset()
		var text json.RawMessage
		switch err := decoder.Decode(&text); {
		case errors.Is(err, io.EOF):
			return parts, true
		case err != nil:
			return nil, false
		}
		before := data[:start+int64(bytes.Index(data[start:], text[:1]))]
		parts = append(parts, part{text, 1 + bytes.Count(before, []byte("\n"))})
	}
}

var yamlLine = regexp.MustCompile(`^(?:error converting YAML to JSON: )?yaml: (?:unmarshal errors:\s*)?(?:line (\d+): )?`)

// parse parses a document as the tools of Kubernetes do.
func parse(text []byte, made bool) (any, *strictyaml.Problem) {
	convert := yaml.YAMLToJSONStrict
	if made {
		convert = yaml.YAMLToJSON
	}
	if line := afterEnd(text); line > 0 {
		return nil, &strictyaml.Problem{Line: line, Message: "this comes after the end of a document (...), and kubectl would leave it out: " +
			"write --- before it, or remove it"}
	}
	data, err := convert(text)
	if err == nil {
		var content any
		if err = utiljson.Unmarshal(data, &content); err == nil {
			return content, nil
		}
	}
	problem := &strictyaml.Problem{Message: "not YAML: " + err.Error()}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		problem.Line, _ = strconv.Atoi(m[1])
		problem.Message = "not YAML: " + strings.TrimPrefix(err.Error(), m[0])
	}
	if hint := templateOf(text); hint != "" {
		problem.Message = hint
	}
	return nil, problem
}

// afterEnd returns the first line with content after the line that ends the document (three
// points), or 0. Parsers would ignore that content.
func afterEnd(text []byte) (line int) {
	ended := false
	for each := range bytes.Lines(text) {
		line++
		rest, points := bytes.CutPrefix(each, []byte("..."))
		content := bytes.TrimSpace(each)
		switch {
		case points && (len(rest) == 0 || bytes.ContainsAny(rest[:1], " \t\r\n")):
			ended = true
		case ended && len(content) > 0 && content[0] != '#':
			return line
		}
	}
	return 0
}

// open returns the object in a document, or those of a list.
func open(content any, from origin) ([]Object, error) {
	problem := func(field, format string, args ...any) error {
		line, _ := from.find([]any{field})
		return strictyaml.Problems{{File: from.file, Line: line, Message: fmt.Sprintf(format, args...)}}
	}
	if content == nil {
		return nil, nil
	}
	fields, ok := content.(map[string]any)
	if !ok {
		return nil, problem("", "not a Kubernetes object: it is %s; expected: a mapping with apiVersion and kind", describe(content))
	}
	if len(fields) == 0 {
		return nil, nil
	}
	for _, key := range []string{"apiVersion", "kind"} {
		if text, ok := fields[key].(string); !ok || text == "" {
			if hint := templateOf(from.text); hint != "" {
				return nil, problem(key, "%s", hint)
			}
			return nil, problem(key, "not a Kubernetes object: apiVersion and kind are required")
		}
	}
	object := Object{&unstructured.Unstructured{Object: fields}, from}
	if items, ok := fields["items"].([]any); ok && strings.HasSuffix(object.GetKind(), "List") {
		return openList(items, from)
	}
	for _, text := range []string{object.GetAPIVersion(), object.GetKind(), object.GetName(), object.GetNamespace()} {
		if strings.Contains(text, "{{") {
			return nil, problem("metadata", "%s", templateOf(from.text))
		}
	}
	return []Object{object}, object.checkMetadata().Err()
}

func openList(items []any, from origin) (objects []Object, err error) {
	for i, item := range items {
		at := from
		at.within = append(under(from.within, "items"), i)
		found, err := open(item, at)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	return objects, nil
}
