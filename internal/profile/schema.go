package profile

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/crds"

	"reconform.dev/reconform/internal/profile/nearest"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

// schema is the schema of a kind, such as that of profiles, in the forms that the API server's
// libraries need.
type schema struct {
	v1         *apiextensionsv1.JSONSchemaProps
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
	// rules are compiled when they are first needed, because that takes a while. They are nil if
	// there are none.
	rules func() *cel.Validator
}

// profileSchema is made once, because it never changes.
var profileSchema = sync.OnceValues(loadProfileSchema)

func loadProfileSchema() (*schema, error) {
	data, err := crds.FS.ReadFile(crds.Profiles)
	if err != nil {
		return nil, fmt.Errorf("reading the schema of profiles: %w", err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(data, &crd); err != nil {
		return nil, fmt.Errorf("decoding the schema of profiles: %w", err)
	}
	s, err := newSchema(crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
	if err != nil {
		return nil, fmt.Errorf("reading the schema of profiles: %w", err)
	}
	return s, nil
}

// newSchema prepares a schema. The error says why the API server would not take it.
func newSchema(v1 *apiextensionsv1.JSONSchemaProps) (*schema, error) {
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v1, &internal, nil); err != nil {
		return nil, fmt.Errorf("converting the schema: %w", err)
	}
	structural, err := structuralschema.NewStructural(&internal)
	if err != nil {
		return nil, fmt.Errorf("structuring the schema: %w", err)
	}
	validator, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		return nil, fmt.Errorf("compiling the schema: %w", err)
	}
	return &schema{
		v1: v1, structural: structural, validator: validator,
		rules: sync.OnceValue(func() *cel.Validator { return cel.NewValidator(structural, true, celconfig.PerCallLimit) }),
	}, nil
}

// fillIn gives each field that is missing its default, if it has one.
func (s *schema) fillIn(d *strictyaml.Document) { defaulting.Default(d.Object, s.structural) }

// brokenFields returns the fields whose values the schema does not allow. Values of wrong
// types are left out: see wrongTypes.
func (s *schema) brokenFields(d *strictyaml.Document) strictyaml.Problems {
	return problemsOf(d, slices.DeleteFunc(s.validate(d.Object), isOfType))
}

// validate returns what the schema does not allow in an object, its rules aside.
func (s *schema) validate(object map[string]any) field.ErrorList {
	errs := validation.ValidateCustomResource(nil, object, s.validator)
	return append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
}

// brokenRules returns the rules of the schema that the document breaks. All its fields must
// be right: otherwise the rules cannot be evaluated.
func (s *schema) brokenRules(d *strictyaml.Document) strictyaml.Problems {
	return problemsOf(d, s.validateRules(d.Object, nil))
}

// validateRules returns the rules that an object breaks. It may be a changed one: then before is
// what it was.
func (s *schema) validateRules(object, before map[string]any) field.ErrorList {
	rules := s.rules()
	if rules == nil {
		return nil
	}
	var old any
	if before != nil {
		old = before
	}
	errs, _ := rules.Validate(context.Background(), nil, s.structural, object, old, celconfig.RuntimeCELCostBudget)
	return errs
}

func problemsOf(d *strictyaml.Document, errs field.ErrorList) (problems strictyaml.Problems) {
	for _, err := range errs {
		at := strings.TrimPrefix(err.Field, "<nil>.")
		problems = append(problems, d.Problem(at, "%s", message(err)))
	}
	return problems
}

// unknownFields reports fields that the schema does not know, each with the fields that it
// knows at that place. A misspelt field is then renamed, so that what is in it is judged, too,
// and the right field does not count as missing.
func (s *schema) unknownFields(d *strictyaml.Document) (problems strictyaml.Problems) {
	misspelt := map[string]string{}
	unknown := unknownPaths(d.Object, s.structural)
	metadata, _ := d.Object["metadata"].(map[string]any)
	for key := range metadata {
		if !slices.Contains(metadataFields, key) {
			unknown = append(unknown, "metadata."+key)
		}
	}
	for _, path := range unknown {
		if now, ok := renamed[path]; ok {
			problems = append(problems, d.Problem(path, "is now called %s: other YAML parsers read on and off as true and false", now))
			continue
		}
		name, allowed := allowedAt(s.structural, path)
		if len(allowed) == 0 {
			problems = append(problems, d.Problem(path, "unknown field %q", name))
			continue
		}
		problems = append(problems, d.Problem(path, "unknown field %q%s; allowed here: %s", name, nearest.Question(name, allowed), strings.Join(allowed, ", ")))
		if meant := nearest.To(name, allowed); meant != "" {
			misspelt[path] = meant
		}
	}
	again := false
	for path, meant := range misspelt {
		again = d.Rename(path, meant) || again
	}
	if again {
		for _, problem := range s.unknownFields(d) {
			if !slices.Contains(problems, problem) {
				problems = append(problems, problem)
			}
		}
	}
	return problems
}

// renamed has the new names of fields, by their old paths.
var renamed = map[string]string{
	"spec.launch.leaderElection.on":  "enabled",
	"spec.launch.leaderElection.off": "disabled",
}

// metadataFields are the fields of the metadata that have a meaning in a profile.
var metadataFields = []string{"name", "labels", "annotations"}

// unknownPaths returns the paths of the fields of an object that a schema does not know.
func unknownPaths(object map[string]any, schema *structuralschema.Structural) []string {
	return pruning.PruneWithOptions(runtime.DeepCopyJSON(object), schema, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
}

// allowedAt returns the last key of an unknown path, and the keys that a schema knows at that
// place.
func allowedAt(schema *structuralschema.Structural, path string) (name string, allowed []string) {
	at, rest := schema, path
	for {
		key, after, more := strings.Cut(rest, ".")
		key, _, indexed := strings.Cut(key, "[")
		if key == "metadata" && at == schema {
			return after, metadataFields
		}
		next, known := at.Properties[key]
		if !known || !more {
			return rest, propertyNames(at)
		}
		if indexed && next.Items != nil {
			next = *next.Items
		}
		at, rest = &next, after
	}
}

func propertyNames(s *structuralschema.Structural) []string {
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// whatToWrite is the advice for required fields. They have no default, because it would
// claim more than the author knows.
var whatToWrite = map[string]string{
	"spec.claims.unowned": "what happens to an object that has a child's name and that nobody owns? " +
		"Write refuse if the controller leaves it alone, adopt if it becomes a child",
	"spec.claims.cleanup": "who removes the children of a deleted object? " +
		"Write gc if the garbage collector does, controller if the controller does",
}

var quotedWord = regexp.MustCompile(`"([^"]*)"`)

// message is the message of a violation, without the field, because the problem names the
// field already.
func message(err *field.Error) string {
	switch err.Type {
	case field.ErrorTypeRequired:
		if advice, ok := whatToWrite[err.Field]; ok {
			return "is required: " + advice
		}
		return "is required"
	case field.ErrorTypeNotSupported:
		var allowed []string
		for _, m := range quotedWord.FindAllStringSubmatch(err.Detail, -1) {
			allowed = append(allowed, m[1])
		}
		value := fmt.Sprint(err.BadValue)
		hint := nearest.Question(value, allowed)
		if value == "patch" && slices.Contains(allowed, "update") {
			hint = "; a patch counts as an update"
		}
		return fmt.Sprintf("unsupported value %q%s; allowed: %s", value, hint, strings.Join(allowed, ", "))
	default:
		said := strings.TrimPrefix(err.ErrorBody(), "Invalid value: ")
		said = strings.ReplaceAll(said, ": "+err.Field+" in body ", ": ")
		for end, words := range empty {
			if strings.HasSuffix(said, end) {
				return words
			}
		}
		if what, pattern, found := strings.Cut(said, "should match '"); found {
			if form, ok := forms[strings.TrimSuffix(pattern, "'")]; ok {
				return what + form
			}
		}
		return said
	}
}

// empty are the words for what must not be empty, by the words of the library.
var empty = map[string]string{
	": should be at least 1 chars long":   "is empty: it must have at least one character",
	": should have at least 1 items":      "is empty: it must have at least one item",
	": should have at least 1 properties": "is empty: it must have at least one field",
}

// fieldPath is the pattern of the paths of fields.
const fieldPath = `^(spec|status)((\.[A-Za-z_][A-Za-z0-9_-]*)(\[0\])?)+$`

var fieldPaths = regexp.MustCompile(fieldPath)

// CanName tells whether a profile can name a field by its path. Of a list it can name only
// the first element.
func CanName(path string) bool { return fieldPaths.MatchString(path) }

// forms say in words what texts must be like, by the patterns of the schema.
var forms = map[string]string{
	fieldPath:                          "a path leads from the root of the object to a field, such as spec.replicas or spec.ports[0].port",
	`^spec(\.[A-Za-z]+)+$`:             "a path leads from the root of the object to a field of its spec, such as spec.replicas",
	`^/`:                               "the path of a URL begins with a slash",
	`^\d{4}-\d{2}-\d{2}$`:              "a day is written as 2027-01-31",
	`^[a-z][a-z0-9-]*$`:                "a name has small letters, digits and dashes, and begins with a letter, such as my-app",
	`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`:  "a name has small letters, digits and dashes, and no dash at its ends, such as new-port",
	`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`: "the name of a shared object has small letters, digits, dashes and dots, and no template, such as image-store",
	`^[A-Z][A-Za-z0-9]*$`:              "a kind has letters and digits, and begins with a capital, such as StatefulSet",
	`^[a-zA-Z_:][a-zA-Z0-9_:]*(\{[a-zA-Z_][a-zA-Z0-9_]*="[^"\\]*"(,[a-zA-Z_][a-zA-Z0-9_]*="[^"\\]*")*\})?$`: `it is the name of a metric, and labels of it if only some of its samples count, such as reconciles_total{result="error"}`,
	`^[a-zA-Z_:][a-zA-Z0-9_:]*$`: "the name of a metric has letters, digits, underscores and colons, and does not begin with a digit, such as workqueue_depth",
}

// decode turns a valid document into a typed profile.
func decode(d *strictyaml.Document, into any) error {
	data, err := json.Marshal(d.Object)
	if err != nil {
		return fmt.Errorf("encoding the profile: %w", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("decoding the profile: %w", err)
	}
	return nil
}
