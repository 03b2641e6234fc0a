package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/nearest"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

// checker collects contradictions in a profile that its schema allows.
type checker struct {
	*Profile
	problems strictyaml.Problems
}

func (c *checker) add(field, format string, args ...any) {
	c.problems = append(c.problems, c.document.Problem(field, format, args...))
}

func (p *Profile) checkMeaning() strictyaml.Problems {
	c := &checker{Profile: p}
	c.checkOwnName()
	if p.HasContract() {
		c.checkContract()
	} else {
		c.checkServes()
	}
	c.checkOldWords()
	c.checkTimes()
	c.checkLaunch()
	c.checkClusterWrites()
	c.checkNodeResources()
	c.checkFeatures()
	c.checkExempt()
	return c.problems
}

// checkOldWords refuses words such as yes in the values that go into objects as they are,
// because they may be copied from a manifest, where they are true or false.
func (c *checker) checkOldWords() {
	fields := []string{"spec.contract.base", "spec.contract.root", "spec.contract.children.deployment.workload.base"}
	for i, served := range c.Spec.Serves {
		at := fmt.Sprintf("spec.serves[%d]", i)
		fields = append(fields, at+".sample", at+".beside")
		for edit := range served.Edits {
			fields = append(fields, fmt.Sprintf("%s.edits[%d].patch", at, edit))
		}
	}
	for _, field := range fields {
		c.problems = append(c.problems, c.document.OldWords(field)...)
	}
}

// checkContract checks what the contract says.
func (c *checker) checkContract() {
	resource := c.Spec.Contract.Resource
	c.checkResourceNames("spec.contract.resource", resource.Group, resource.Version, resource.Kind, resource.Plural)
	c.checkPaths()
	c.checkValues()
	c.checkAround()
	c.checkChildren()
	c.checkWorkload()
	c.checkFormat()
}

func (c *checker) checkOwnName() {
	if c.Name == "" {
		c.add("metadata.name", "is required")
	} else if broken := validation.IsDNS1123Label(c.Name); broken != nil {
		c.add("metadata.name", "%q: %s", c.Name, noName(broken))
	}
}

// checkResourceNames checks the names of a resource.
func (c *checker) checkResourceNames(at, group, version, kind, plural string) {
	for _, part := range []struct {
		field, value string
		broken       []string
	}{
		{"group", group, validation.IsDNS1123Subdomain(group)},
		{"version", version, validation.IsDNS1035Label(version)},
		{"kind", kind, validation.IsDNS1035Label(strings.ToLower(kind))},
		{"plural", plural, validation.IsDNS1035Label(plural)},
	} {
		if part.broken != nil {
			c.add(at+"."+part.field, "%q: %s", part.value, noName(part.broken))
		}
	}
}

// checkPaths checks that the mapped paths are where they belong, and do not overlap.
func (c *checker) checkPaths() {
	taken := map[string]string{}
	base, _ := lookup(c.document.Object, "spec.contract.base")
	check := func(section string, fields map[string]v1alpha1.Field) {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			field, at := fields[name], "spec.contract."+section+"."+name
			if name == servicePort {
				at = "spec.contract.children.service.port"
			}
			c.checkForm(section, name, at, field)
			if field.Path == "" {
				continue
			}
			if !strings.HasPrefix(field.Path, section+".") {
				c.add(at+".path", "%s: the path must start with %s.", field.Path, section)
			}
			for path, other := range taken {
				if within(path, field.Path) || within(field.Path, path) {
					c.add(at+".path", "%s lies at, above or below the path of %s", field.Path, other)
				}
			}
			taken[field.Path] = section + "." + name
			// The deploymentName is an exception: few scenarios set it, so the base sets it if an
			// object must have it.
			if base, ok := base.(map[string]any); ok && section == "spec" && name != "deploymentName" {
				if _, given := lookup(base, strings.TrimPrefix(field.Path, "spec.")); given {
					c.add("spec.contract.base", "sets %s, which is the path of %s", field.Path, name)
				}
			}
		}
	}
	check("spec", c.SpecFields())
	check("status", c.StatusFields())
	if service := c.Spec.Contract.Children.Service; service != nil && service.Port != nil {
		check("spec", map[string]v1alpha1.Field{servicePort: *service.Port})
	}
}

// servicePort is the name of the field for the port of a Service, if that differs from the
// container's port.
const servicePort = "servicePort"

// checkForm checks what a field says besides its path.
func (c *checker) checkForm(section, name, at string, field v1alpha1.Field) {
	switch {
	case field.Constant != nil:
		c.checkConstant(section, name, at)
	case field.Condition != nil && name != "phase":
		c.add(at+".condition", "only the phase can be a condition")
	case field.Condition != nil && c.Spec.Contract.Status.Conditions == nil:
		c.add(at+".condition", "there is no contract.status.conditions that could hold it")
	case section == "status" && strings.Contains(field.Path, First):
		c.add(at+".path", "%s: a field of the status cannot lie in a list", field.Path)
	}
	if field.Optional && name != "image" {
		c.add(at+".optional", "only the image can be optional: no scenario expects that an object without another field is refused")
	}
	if len(field.Values) > 0 && (name != "replicas" || field.Path == "" || field.Format != "") {
		c.add(at+".values", "only replicas with a path, that are written as numbers, can have values")
	} else if !slices.IsSorted(field.Values) || len(slices.Compact(slices.Clone(field.Values))) < len(field.Values) {
		c.add(at+".values", "%v: give each value once, in order", field.Values)
	}
	if field.GrowOnly && (name != "replicas" || field.Path == "" || field.Format != "" || field.Immutable) {
		c.add(at+".growOnly", "only replicas with a path, that are written as numbers and can be changed, can grow")
	}
	if field.Immutable && (section != "spec" || field.Path == "") {
		c.add(at+".immutable", "only a field of the spec that has a path can be changed or not")
	}
	if named := field.As == v1alpha1.AsName; field.As != "" && (named && name != "configMapRef" || !named && name != "env") {
		c.add(at+".as", "only env can be written as a map or as a list, and only configMapRef as a name")
	}
}

// checkConstant checks a field that has a constant instead of a path.
func (c *checker) checkConstant(section, name, at string) {
	if section == "status" {
		c.add(at, "a field of the status has a path, never a constant")
		return
	}
	value, _ := lookup(c.document.Object, at+".constant")
	switch name {
	case "image":
		if !isString(value) {
			c.add(at+".constant", "%s", c.document.WrongType(at+".constant", "string"))
		}
	case "replicas", "port", servicePort:
		if _, whole := value.(int64); !whole {
			c.add(at+".constant", "%s", c.document.WrongType(at+".constant", "integer"))
		}
	default:
		c.add(at+".constant", "must be left out: only image, replicas and port can be constant")
	}
}

// referencePhases are the phases that a profile can translate.
var referencePhases = []string{"Pending", "Deploying", "Running", "Degraded"}

// checkValues checks the bounds and defaults of fields, the phases, and the conditions.
func (c *checker) checkValues() {
	contract := c.Spec.Contract
	for _, field := range []struct {
		name      string
		bounds    *v1alpha1.Range
		byDefault *int32
	}{
		{"replicas", contract.Bounds.Replicas, contract.Defaults.Replicas},
		{"port", contract.Bounds.Port, contract.Defaults.Port},
	} {
		mapped := c.SpecFields()[field.name].Path != ""
		if field.bounds != nil && !mapped {
			c.add("spec.contract.bounds."+field.name, "there is no contract.spec.%s.path that could have bounds", field.name)
		}
		if field.byDefault != nil && !mapped {
			c.add("spec.contract.defaults."+field.name, "there is no contract.spec.%s.path that could have a default", field.name)
		}
		if b := field.bounds; b != nil {
			if values := c.SpecFields()[field.name].Values; len(values) > 0 && (values[0] < b.Minimum || values[len(values)-1] > b.Maximum) {
				c.add("spec.contract.spec."+field.name+".values", "%v: some lie outside of the bounds, %d to %d", values, b.Minimum, b.Maximum)
			}
			if b.Minimum > b.Maximum {
				c.add("spec.contract.bounds."+field.name, "minimum %d is above maximum %d", b.Minimum, b.Maximum)
			} else if d := field.byDefault; d != nil && (*d < b.Minimum || *d > b.Maximum) {
				c.add("spec.contract.defaults."+field.name, "%d lies outside of the bounds, %d to %d", *d, b.Minimum, b.Maximum)
			}
		}
	}
	for _, phase := range slices.Sorted(maps.Keys(contract.Phases)) {
		if !slices.Contains(referencePhases, phase) {
			c.add("spec.contract.phases."+phase, "unknown phase%s; allowed: %s", nearest.Question(phase, referencePhases), strings.Join(referencePhases, ", "))
		}
	}
	if len(contract.Phases) > 0 && contract.Status.Phase == nil {
		c.add("spec.contract.phases", "there is no contract.status.phase to translate")
	}
	if reporting := c.Spec.Claims.Reporting; reporting != nil && reporting.Condition != nil && contract.Status.Conditions == nil {
		c.add("spec.claims.reporting.condition", "there is no contract.status.conditions that could hold it")
	}
}

// checkChildren checks the templates of the base and of the child names.
func (c *checker) checkChildren() {
	contract := c.Spec.Contract
	keys := []string{".name"}
	base, _ := lookup(c.document.Object, "spec.contract.base")
	c.checkTemplates("spec.contract.base", base, keys...)

	if base, ok := base.(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(base)) {
			keys = append(keys, ".spec."+key+".*")
		}
	}
	fields := c.SpecFields()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		// A template cannot look into a list.
		if path, _, _ := strings.Cut(fields[name].Path, First); path != "" {
			keys = append(keys, "."+path+".*")
		}
	}
	deployment := contract.Children.Deployment
	c.checkName("spec.contract.children.deployment.name", deployment.Name, validation.IsDNS1123Subdomain, keys)
	if deployment.Container != "" {
		c.checkName("spec.contract.children.deployment.container", deployment.Container, validation.IsDNS1123Label, keys)
	}
	if contract.Children.Service != nil {
		c.checkName("spec.contract.children.service.name", contract.Children.Service.Name, validation.IsDNS1123Label, keys)
	}
	c.checkShared()
}

// checkShared refuses a shared child that each primary object also has for itself.
func (c *checker) checkShared() {
	children := c.Spec.Contract.Children
	for n, shared := range children.Shared {
		own := ""
		switch {
		case shared.Kind == c.Workload().Kind && shared.Name == children.Deployment.Name:
			own = "deployment"
		case children.Service != nil && shared.Kind == "Service" && shared.Name == children.Service.Name:
			own = "service"
		}
		if own != "" {
			c.add(fmt.Sprintf("spec.contract.children.shared[%d]", n), "%s %s is the child that contract.children.%s names: "+
				"leave it out here if each object has one, and leave that one out if all share it", shared.Kind, shared.Name, own)
		}
	}
}

// checkName checks a template, and that its result can be the name of an object.
func (c *checker) checkName(field, text string, broken func(string) []string, keys []string) {
	if problem := templateProblem(text, keys...); problem != "" {
		c.add(field, "%s", problem)
	} else if broken := broken(filledIn(text, "demo")); len(broken) > 0 {
		c.add(field, "%q names no object: %s", text, noName(broken))
	}
}

// checkTemplates checks every string in a value.
func (c *checker) checkTemplates(field string, value any, keys ...string) {
	switch v := value.(type) {
	case string:
		if problem := templateProblem(v, keys...); problem != "" {
			c.add(field, "%s", problem)
		}
	case []any:
		for i := range v {
			c.checkTemplates(fmt.Sprintf("%s[%d]", field, i), v[i], keys...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			c.checkTemplates(field+"."+key, v[key], keys...)
		}
	}
}
