package manifest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	yamlv3 "go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	kjson "sigs.k8s.io/json"
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
	for _, part := range split(inUTF8(data)) {
		from := origin{file: file, text: part.text, line: part.line}
		content, problem := part.parse(made)
		if problem != nil {
			problem.File, problem.Line = file, from.lineOf(max(problem.Line, 1))
			if made {
				problem.Message = fmt.Sprintf("%s, in line %d of what comes out", problem.Message, problem.Line)
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
	text   []byte
	line   int
	isJSON bool
}

// parse parses a document. JSON is more than YAML in one point: a character may be written
// as two halves, as in "\ud83d\ude00".
func (p part) parse(made bool) (any, *strictyaml.Problem) {
	if !p.isJSON {
		return parse(p.text, made)
	}
	var content any
	twice, err := kjson.UnmarshalStrict(p.text, &content)
	if err == nil && len(twice) > 0 && !made {
		_, key, _ := strings.Cut(twice[0].Error(), " field ") // duplicate field "a.b"
		return nil, &strictyaml.Problem{Message: "key " + key + " is given twice"}
	}
	if err != nil {
		return nil, &strictyaml.Problem{Message: "not JSON: " + err.Error()}
	}
	return content, nil
}

// inUTF8 returns a text without its byte order mark. A text in UTF-16, such as PowerShell
// writes, is turned into UTF-8.
func inUTF8(data []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(data, []byte("\uFEFF"))
	}
	var units []uint16
	for i := 2; i+1 < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}

// split splits a text into its documents: YAML between lines of three dashes, or JSON
// objects one after the other. The last line ends like all others, as for kubectl: a text of
// several lines may end there.
func split(data []byte) (parts []part) {
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(slices.Clone(data), '\n')
	}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		if parts, ok := splitJSON(data); ok {
			return parts
		}
	}
	line, start, text := 1, 1, []byte(nil)
	for each := range bytes.Lines(data) {
		if len(parts) > 0 && line == start+1 || bytes.HasPrefix(each, []byte("\uFEFF---")) {
			each = bytes.TrimPrefix(each, []byte("\uFEFF")) // of a file that was put behind another one
		}
		rest, separates := bytes.CutPrefix(each, []byte("---"))
		if separates && (len(rest) == 0 || bytes.ContainsAny(rest[:1], " \t\r\n#")) {
			parts = append(parts, partOf(text, start))
			start, text = line, append([]byte("   "), rest...)
		} else {
			text = append(text, each...)
		}
		line++
	}
	return append(parts, partOf(text, start))
}

// partOf returns the document between two lines of three dashes, which may be JSON.
func partOf(text []byte, line int) part {
	object := bytes.TrimLeft(text, " \t\r\n")
	if !bytes.HasPrefix(object, []byte("{")) || !json.Valid(object) {
		return part{text: text, line: line}
	}
	return part{object, line + bytes.Count(text[:len(text)-len(object)], []byte("\n")), true}
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
		parts = append(parts, part{text, 1 + bytes.Count(before, []byte("\n")), true})
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
	if line := afterBreak(text); line > 0 {
		return nil, &strictyaml.Problem{Line: line, Message: "this document begins after a line break that is not of Unix or Windows, and kubectl would leave it out: " +
			"end each line with a line feed"}
	}
	data, err := convert(text)
	if err != nil && !made && bytes.Contains(text, []byte("<<")) {
		// The strict parser refuses a key beside a merge that is there to replace a merged one.
		if data, err = yaml.YAMLToJSON(text); err == nil {
			err = twice(text)
		}
	}
	if err == nil {
		var content any
		if err = utiljson.Unmarshal(data, &content); err == nil {
			return content, nil
		}
	}
	problem := &strictyaml.Problem{Message: strictyaml.NotYAML(err.Error())}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		problem.Line, _ = strconv.Atoi(m[1])
		first, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), m[0]), "\n") // of several keys that are given twice
		problem.Message = strictyaml.NotYAML(first)
	}
	if line := notInJSON(text); line > 0 {
		problem.Line, problem.Message = line, "not a number that JSON knows: put it in quotes, or write another one"
	}
	if bytes.HasPrefix(text, []byte("%")) || bytes.Contains(text, []byte("\n%")) {
		problem.Message += "; kubectl does not read directives: remove each line that begins with %"
	}
	if hint := templateOf(text); hint != "" && !says(convert, withoutActions(text), err) {
		problem.Message = hint
		if problem.Line == 0 {
			problem.Line = 1 + bytes.Count(text[:bytes.Index(text, []byte("{{"))], []byte("\n"))
		}
	}
	return nil, problem
}

// says tells whether the parser says the same of a text: what it says is not about what is missing
// in that text, then.
func says(parser func([]byte) ([]byte, error), text []byte, said error) bool {
	_, err := parser(text)
	return err != nil && err.Error() == said.Error()
}

// twice returns an error if a key in a text is given twice, in the words of the strict parser.
// A merge (<<) gives no key.
func twice(text []byte) error {
	var content any
	err := yamlv3.Unmarshal(text, &content)
	if err == nil {
		return nil
	}
	if m := definedTwice.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("yaml: line %s: key %s already set in map", m[1], m[2])
	}
	return err
}

var definedTwice = regexp.MustCompile(`line (\d+): mapping key (".*?") already defined`)

// otherBreak matches the line breaks that YAML knows besides those of Unix and Windows.
var otherBreak = regexp.MustCompile("\r[^\n]|[\u0085\u2028\u2029]")

// afterBreak returns the line of a second document that begins after an unusual line break,
// or 0. Parsers would ignore that document.
func afterBreak(text []byte) int {
	if !otherBreak.Match(text) {
		return 0
	}
	var first, second yamlv3.Node
	decoder := yamlv3.NewDecoder(bytes.NewReader(text))
	if decoder.Decode(&first) != nil || decoder.Decode(&second) != nil {
		return 0
	}
	return 1 + bytes.Count(text[:otherBreak.FindIndex(text)[0]], []byte("\n"))
}

// notInJSON returns the line of a number that is infinite or not a number, or 0.
func notInJSON(text []byte) int {
	var document yamlv3.Node
	if yamlv3.Unmarshal(text, &document) != nil {
		return 0
	}
	return notInJSONBelow(&document)
}

func notInJSONBelow(node *yamlv3.Node) int {
	var number float64
	if node.Kind == yamlv3.ScalarNode && node.ShortTag() == "!!float" && node.Decode(&number) == nil && (math.IsInf(number, 0) || math.IsNaN(number)) {
		return node.Line
	}
	for _, below := range node.Content {
		if line := notInJSONBelow(below); line > 0 {
			return line
		}
	}
	return 0
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
		return nil, problem("", "not a Kubernetes object: it is %s; expected: a mapping with apiVersion and kind", strictyaml.Describe(content))
	}
	if len(fields) == 0 {
		return nil, nil
	}
	for _, key := range []string{"apiVersion", "kind"} {
		if text, ok := fields[key].(string); ok && text != "" {
			continue
		}
		if fields[key] != nil && fields[key] != "" {
			_, text := from.find([]any{key})
			return nil, problem(key, "%s: %s", key, misfit{value: fields[key], want: strictyaml.AString}.tell(text))
		}
		return nil, problem(key, "not a Kubernetes object: apiVersion and kind are required%s", spelt(fields, key))
	}
	object := Object{&unstructured.Unstructured{Object: fields}, from}
	items, isList := fields["items"].([]any)
	switch {
	case isList && strings.HasSuffix(object.GetKind(), "List"):
		return openList(items, object, from)
	case object.GroupVersionKind() == corev1.SchemeGroupVersion.WithKind("List") && fields["items"] == nil:
		return nil, nil
	case object.GroupVersionKind() == corev1.SchemeGroupVersion.WithKind("List"):
		return nil, problem("items", "List: items: %s", misfit{value: fields["items"], want: strictyaml.AList}.tell(""))
	}
	object.fillTexts()
	for _, text := range []string{object.GetAPIVersion(), object.GetKind(), object.GetName(), object.GetNamespace()} {
		if strings.Contains(text, "{{") {
			return nil, problem("metadata", "%s", templateOf(from.text))
		}
	}
	opened := []Object{object}
	if isBundle(object) {
		opened = append(opened, openBundle(object, from)...)
	}
	if err := object.checkMetadata().Err(); err != nil {
		return opened, err
	}
	object.forget()
	return opened, nil
}

// forget takes off what the API server writes into the metadata of an object. It refuses some of
// it in an object that is to be created, such as one that was written by kubectl get.
func (o Object) forget() {
	metadata, _ := o.Object["metadata"].(map[string]any)
	for _, key := range []string{"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"} {
		delete(metadata, key)
	}
}

// fillTexts turns labels and annotations without a value into empty ones, as the API server
// does.
func (o Object) fillTexts() {
	metadata, _ := o.Object["metadata"].(map[string]any)
	for _, key := range []string{"labels", "annotations"} {
		texts, _ := metadata[key].(map[string]any)
		for name, text := range texts {
			if text == nil {
				texts[name] = ""
			}
		}
	}
}

// spelt says that a field is there with other capital letters.
func spelt(fields map[string]any, key string) string {
	for _, given := range slices.Sorted(maps.Keys(fields)) {
		if strings.EqualFold(given, key) {
			return fmt.Sprintf("; there is %s: write %s", given, key)
		}
	}
	return ""
}

// openList returns the objects of a list. The items of a list of one kind, such as a
// ClusterRoleList, need not name the kind.
func openList(items []any, list Object, from origin) (objects []Object, err error) {
	for i, item := range items {
		at := from
		if fields, ok := item.(map[string]any); ok && list.GetKind() != "List" && fields["kind"] == nil && fields["apiVersion"] == nil {
			fields["apiVersion"], fields["kind"] = list.GetAPIVersion(), strings.TrimSuffix(list.GetKind(), "List")
		}
		at.within = append(under(from.within, "items"), i)
		found, err := open(item, at)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	return objects, nil
}
