package profile

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// checker collects what does not hang together in a profile that its schema
// allows.
type checker struct {
	*Profile
	problems Problems
}

func (c *checker) add(field, format string, args ...any) {
	c.problems = append(c.problems, c.document.problem(field, format, args...))
}

func (p *Profile) checkMeaning() Problems {
	c := &checker{Profile: p}
	c.checkNames()
	c.checkPaths()
	c.checkValues()
	c.checkChildren()
	c.checkTimes()
	c.checkLaunch()
	c.checkFeatures()
	return c.problems
}

// durations are the fields that the schema knows as strings only.
var durations = []string{
	"longestRetryPause", "resync", "shutdownGrace",
	"lease.duration", "lease.renewDeadline", "lease.retryPeriod",
}

func checkDurations(d *document) Problems {
	var problems Problems
	for _, name := range durations {
		value, given := lookup(d.object, "spec.claims.times."+name)
		text, isString := value.(string)
		if !given || !isString {
			continue
		}
		if duration, err := time.ParseDuration(text); err != nil || duration < 0 {
			problems = append(problems, d.problem("spec.claims.times."+name, "%q is not a duration; allowed: numbers with a unit, such as 500ms, 30s, 1m30s", text))
		}
	}
	return problems
}

// lookup follows a dotted path through nested maps.
func lookup(object map[string]any, path string) (any, bool) {
	var value any = object
	for key := range strings.SplitSeq(path, ".") {
		m, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = m[key]; !ok {
			return nil, false
		}
	}
	return value, true
}

func (c *checker) checkNames() {
	if c.Name == "" {
		c.add("metadata.name", "is required")
	} else if broken := validation.IsDNS1123Label(c.Name); broken != nil {
		c.add("metadata.name", "%q: %s", c.Name, broken[0])
	}
	resource := c.Spec.Contract.Resource
	for _, part := range []struct {
		field, value string
		broken       []string
	}{
		{"group", resource.Group, validation.IsDNS1123Subdomain(resource.Group)},
		{"version", resource.Version, validation.IsDNS1035Label(resource.Version)},
		{"kind", resource.Kind, validation.IsDNS1035Label(strings.ToLower(resource.Kind))},
		{"plural", resource.Plural, validation.IsDNS1035Label(resource.Plural)},
	} {
		if part.broken != nil {
			c.add("spec.contract.resource."+part.field, "%q: %s", part.value, part.broken[0])
		}
	}
}

// checkPaths holds the mapped paths against the place that they belong to, and
// against each other.
func (c *checker) checkPaths() {
	taken := map[string]string{}
	check := func(section string, fields map[string]v1alpha1.Field) {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			field, at := fields[name], "spec.contract."+section+"."+name
			if field.Path == "" {
				c.checkConstant(section, name, at, field)
				continue
			}
			if !strings.HasPrefix(field.Path, section+".") {
				c.add(at+".path", "%s: the path must start with %s.", field.Path, section)
			}
			for path, other := range taken {
				if path == field.Path || strings.HasPrefix(path, field.Path+".") || strings.HasPrefix(field.Path, path+".") {
					c.add(at+".path", "%s lies at, above or below the path of %s", field.Path, other)
				}
			}
			taken[field.Path] = section + "." + name
			if base := c.document.object["spec"].(map[string]any)["contract"].(map[string]any)["base"]; section == "spec" && base != nil {
				if _, given := lookup(base.(map[string]any), strings.TrimPrefix(field.Path, "spec.")); given {
					c.add("spec.contract.base", "sets %s, which is the path of %s", field.Path, name)
				}
			}
		}
	}
	check("spec", c.SpecFields())
	check("status", c.StatusFields())
}

func (c *checker) checkConstant(section, name, at string, field v1alpha1.Field) {
	if section == "status" {
		c.add(at, "a field of the status has a path, never a constant")
		return
	}
	value, _ := lookup(c.document.object, at+".constant")
	var ok bool
	want := map[string]string{"image": "a string", "replicas": "a whole number", "port": "a whole number"}[name]
	switch name {
	case "image":
		_, ok = value.(string)
	case "replicas", "port":
		_, ok = value.(int64)
	default:
		want = "left out: only image, replicas and port can be constant"
	}
	if !ok {
		c.add(at+".constant", "must be %s", want)
	}
}

// referencePhases are the phases that a profile can translate.
var referencePhases = []string{"Pending", "Deploying", "Running", "Degraded"}

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
			if b.Minimum > b.Maximum {
				c.add("spec.contract.bounds."+field.name, "minimum %d is above maximum %d", b.Minimum, b.Maximum)
			} else if d := field.byDefault; d != nil && (*d < b.Minimum || *d > b.Maximum) {
				c.add("spec.contract.defaults."+field.name, "%d lies outside of the bounds, %d to %d", *d, b.Minimum, b.Maximum)
			}
		}
	}
	for _, phase := range slices.Sorted(maps.Keys(contract.Phases)) {
		if !slices.Contains(referencePhases, phase) {
			c.add("spec.contract.phases."+phase, "unknown phase%s; allowed: %s", didYouMean(phase, referencePhases), strings.Join(referencePhases, ", "))
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
	base, _ := lookup(c.document.object, "spec.contract.base")
	c.checkTemplates("spec.contract.base", base, keys...)

	if base, ok := base.(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(base)) {
			keys = append(keys, ".spec."+key+".*")
		}
	}
	fields := c.SpecFields()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if path := fields[name].Path; path != "" {
			keys = append(keys, "."+path+".*")
		}
	}
	c.checkTemplates("spec.contract.children.deployment.name", contract.Children.Deployment.Name, keys...)
	if contract.Children.Service != nil {
		c.checkTemplates("spec.contract.children.service.name", contract.Children.Service.Name, keys...)
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

func (c *checker) checkTimes() {
	times := c.Spec.Claims.Times
	if times.LongestRetryPause.Duration == 0 {
		c.add("spec.claims.times.longestRetryPause", "must be longer than 0s")
	}
	if times.ShutdownGrace.Duration == 0 {
		c.add("spec.claims.times.shutdownGrace", "must be longer than 0s")
	}
	lease := times.Lease
	if lease == nil {
		return
	}
	if lease.RetryPeriod.Duration <= 0 {
		c.add("spec.claims.times.lease.retryPeriod", "must be longer than 0s")
	}
	if lease.RenewDeadline.Duration <= lease.RetryPeriod.Duration {
		c.add("spec.claims.times.lease.renewDeadline", "must be longer than the retryPeriod, %s", lease.RetryPeriod.Duration)
	}
	if lease.Duration.Duration <= lease.RenewDeadline.Duration {
		c.add("spec.claims.times.lease.duration", "must be longer than the renewDeadline, %s", lease.RenewDeadline.Duration)
	}
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ownEnv is what the launcher sets itself, so that no replica can find another
// cluster than its own.
var ownEnv = regexp.MustCompile(`^(KUBECONFIG|HOME|KUBERNETES_.*)$`)

func (c *checker) checkLaunch() {
	launch := c.Spec.Launch
	keys := []string{".namespace"}
	for i, port := range launch.Ports {
		if !identifier.MatchString(port) {
			c.add(fmt.Sprintf("spec.launch.ports[%d]", i), "%q cannot be named in a template; allowed: letters, digits and _, no digit first", port)
			continue
		}
		keys = append(keys, ".ports."+port)
	}
	if launch.Command[0] == "" {
		c.add("spec.launch.command[0]", "the program is required")
	}
	if strings.Contains(launch.Command[0], "{{") {
		c.add("spec.launch.command[0]", "the program cannot be a template")
	}
	for i, arg := range launch.Command[1:] {
		c.checkTemplates(fmt.Sprintf("spec.launch.command[%d]", i+1), arg, keys...)
	}
	for _, name := range slices.Sorted(maps.Keys(launch.Env)) {
		field := "spec.launch.env." + name
		if broken := validation.IsEnvVarName(name); broken != nil {
			c.add(field, "%q: %s", name, broken[0])
		}
		if ownEnv.MatchString(name) {
			c.add(field, "is set by the bench itself")
		}
		c.checkTemplates(field, launch.Env[name], keys...)
	}
	if probe := launch.Ready.HTTPGet; probe != nil && !slices.Contains(launch.Ports, probe.Port) {
		c.add("spec.launch.ready.httpGet.port", "no port %q is declared%s; declared in launch.ports: %s",
			probe.Port, didYouMean(probe.Port, launch.Ports), orNone(launch.Ports))
	}
	if election := launch.LeaderElection; election != nil {
		for i, arg := range election.On {
			c.checkTemplates(fmt.Sprintf("spec.launch.leaderElection.on[%d]", i), arg, keys...)
		}
		for i, arg := range election.Off {
			c.checkTemplates(fmt.Sprintf("spec.launch.leaderElection.off[%d]", i), arg, keys...)
		}
		if election.Lease.Namespace != "" && !launch.Serial {
			c.add("spec.launch.leaderElection.lease.namespace", "scenarios side by side would share this Lease: leave it out, or set launch.serial")
		}
	}
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
