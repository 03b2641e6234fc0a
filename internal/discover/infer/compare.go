package infer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/verdict/seen"
)

// Difference is something that a profile says, and that turned out to be otherwise.
type Difference struct {
	// Field of the profile that says something else.
	Field string
	// Text says what was seen.
	Text string
	// Judged is true if a scenario judges this. The claim may be right, and the controller
	// wrong.
	Judged bool
}

// comparison compares a profile with what was seen of its controller.
type comparison struct {
	*finder
	claimed *profile.Profile
	found   []Difference
}

// Compare compares a profile with the record of a visit to its controller.
func Compare(claimed *profile.Profile, r *Record) ([]Difference, error) {
	f, err := find(r)
	if err != nil {
		return nil, err
	}
	c := &comparison{finder: f, claimed: claimed}
	if !c.compareWorkload() {
		return c.found, nil
	}
	c.compareFields()
	c.compareChildren()
	c.compareStatus()
	c.compareOwnership()
	c.compareSchema()
	c.compareEvents()
	c.compareFeatures()
	c.compareServing()
	c.compareScope()
	c.compareDoubts()
	if period := c.Spec.Claims.Times.Resync.Duration; period > 0 && claimed.Spec.Claims.Times.Resync.Duration == 0 {
		c.add("spec.claims.times.resync", "it is not said, and it looks at all its own every %s: %s", period, c.Notes["claims.times.resync"].Text)
	}
	if claimed.Has(v1alpha1.FeatureLeaderElection) {
		if text := seen.LeaseProblem(claimed, r.Account, r.Home); text != "" {
			c.add("spec.launch.leaderElection.lease", "%s", text)
		} else if lease := f.Spec.Claims.Times.Lease; lease != nil && claimed.Spec.Claims.Times.Lease != nil &&
			lease.Duration != claimed.Spec.Claims.Times.Lease.Duration {
			c.add("spec.claims.times.lease.duration", "the Lease says %s", lease.Duration.Duration)
		}
	}
	return c.found, nil
}

// compareDoubts passes on what looks like a mistake of the controller, unless the profile says
// that it is meant.
func (c *comparison) compareDoubts() {
	replicas, grace := c.claimed.SpecFields()["replicas"], c.claimed.Spec.Claims.Times.ShutdownGrace.Duration
	for _, doubt := range c.Doubts {
		if doubt.Declared || doubt.Path == "contract.spec.replicas" && replicas.GrowOnly || doubt.Path == ofGrace && grace > usualGrace {
			continue
		}
		if field, isField := strings.CutPrefix(doubt.Path, "contract.spec."); isField && c.claimed.SpecFields()[field].Path == "" {
			continue
		}
		c.addJudged("spec."+doubt.Path, "%s", cmp.Or(doubt.Claimed, doubt.Text))
	}
}

func (c *comparison) add(field, format string, args ...any) {
	c.found = append(c.found, Difference{Field: field, Text: fmt.Sprintf(format, args...)})
}

// addJudged adds a difference that a scenario judges.
func (c *comparison) addJudged(field, format string, args ...any) {
	c.found = append(c.found, Difference{Field: field, Text: fmt.Sprintf(format, args...), Judged: true})
}

// compareFields compares the mapping of the spec.
func (c *comparison) compareFields() {
	seen := map[string]*v1alpha1.Field{
		"image": c.Spec.Contract.Spec.Image, "replicas": c.Spec.Contract.Spec.Replicas, "port": c.Spec.Contract.Spec.Port,
		"env": c.Spec.Contract.Spec.Env, "configMapRef": c.Spec.Contract.Spec.ConfigMapRef, "deploymentName": c.Spec.Contract.Spec.DeploymentName,
	}
	claimed := c.claimed.SpecFields()
	if c.standsIn && claimed["replicas"].Path != seen["replicas"].Path {
		seen["replicas"] = nil // another field may stand in as well, or decide about them
	}
	for _, name := range slices.Sorted(maps.Keys(claimed)) {
		field, found := claimed[name], seen[name]
		at := "spec.contract.spec." + name
		switch {
		case field.Path != "" && found != nil && found.Path == field.Path && !field.Immutable && found.Immutable:
			c.add(at+".immutable", "it is not said, and %s", c.fields[Role(name)].inWords())
		case field.Path != "" && found != nil && found.Path == field.Path && field.Immutable && !found.Immutable:
			c.add(at+".immutable", "%s could be changed: %s", field.Path, c.fields[Role(name)].inWords())
		case field.Path != "" && found != nil && found.Path == field.Path:
		case field.Path != "" && found != nil && found.Path != "":
			c.add(at+".path", "%s; what it decides about follows %s: %s", field.Path, found.Path, c.fields[Role(name)].inWords())
		case field.Path != "" && c.tried(field.Path):
			c.add(at+".path", "%s was changed, and nothing of the children followed", field.Path)
		case field.Constant != nil && found != nil && found.Path != "":
			c.add(at+".constant", "%s, and it follows %s: %s", field.Constant.String(), found.Path, c.fields[Role(name)].inWords())
		case field.Constant != nil && found != nil && found.Constant != nil && field.Constant.String() != found.Constant.String():
			c.add(at+".constant", "%s, and it was %s", field.Constant.String(), found.Constant.String())
		case field.Constant != nil && slices.Contains(c.unsent, name):
			c.addJudged(at+".constant", "%s, and the controller never sent it: the API server filled it in", field.Constant.String())
		}
	}
}

// tried tells whether a field, or one below it, was changed.
func (c *comparison) tried(path string) bool {
	return slices.ContainsFunc(c.acts(Change), func(a Act) bool { return a.Path == path || strings.HasPrefix(a.Path, path+".") })
}

// compareChildren compares names.
func (c *comparison) compareChildren() {
	for _, created := range c.acts(Create) {
		spec, _ := created.To.(map[string]any)
		deployment, service, err := c.claimed.ChildNames(created.Object, spec)
		if err != nil {
			c.add("spec.contract.children", "%v", err)
			return
		}
		made := c.madeDuring(created)
		if names := namesOf(ofKind(made, c.workload.Kind)); !slices.Contains(names, deployment) {
			c.add("spec.contract.children.deployment.name", "it makes %s for %s %s; %ss that came: %s", deployment, c.Kind, created.Object, c.workload.Kind, orNone(names))
			return
		}
		if names := namesOf(ofKind(made, "Service")); service != "" && !slices.Contains(names, service) {
			c.add("spec.contract.children.service.name", "it makes %s for %s %s; Services that came: %s", service, c.Kind, created.Object, orNone(names))
			return
		}
		container, err := c.claimed.Container(created.Object, spec)
		if err != nil {
			c.add("spec.contract.children.deployment.container", "%v", err)
			return
		}
		for _, d := range ofKind(made, c.workload.Kind) {
			if d.GetName() != deployment || container == "" {
				continue
			}
			if names := strings.Split(containerNames(c.podTemplate(d)), ", "); !slices.Contains(names, container) {
				c.add("spec.contract.children.deployment.container", "it is %s for %s %s; %s %s has: %s",
					container, c.Kind, created.Object, c.workload.Kind, deployment, strings.Join(names, ", "))
				return
			}
		}
	}
}

func namesOf(objects []*unstructured.Unstructured) []string {
	var names []string
	for _, object := range objects {
		names = append(names, object.GetName())
	}
	return names
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// compareOwnership compares how children are marked and removed.
func (c *comparison) compareOwnership() {
	claims, seen := c.claimed.Spec.Claims, c.Spec.Claims
	for _, claim := range []struct{ name, claimed, seen string }{
		{"ownership", string(claims.Ownership), string(seen.Ownership)},
		{"cleanup", claims.Cleanup, seen.Cleanup},
		{"unowned", string(claims.Unowned), string(seen.Unowned)},
	} {
		if note := c.Notes["claims."+claim.name]; claim.claimed != claim.seen && note.Basis == Seen {
			c.add("spec.claims."+claim.name, "%s; it looks like %s: %s", claim.claimed, claim.seen, note.Text)
		}
	}
}

// compareSchema compares defaults, bounds and columns with the CRD.
func (c *comparison) compareSchema() {
	contract := c.claimed.Spec.Contract
	for _, field := range []struct {
		name      string
		field     *v1alpha1.Field
		byDefault *int32
		bounds    *v1alpha1.Range
	}{
		{"replicas", contract.Spec.Replicas, contract.Defaults.Replicas, contract.Bounds.Replicas},
		{"port", contract.Spec.Port, contract.Defaults.Port, contract.Bounds.Port},
	} {
		byDefault, bounds := fromSchema(c.Version, field.field)
		if field.byDefault != nil && byDefault != nil && *field.byDefault != *byDefault {
			c.add("spec.contract.defaults."+field.name, "%d; the CRD says %d", *field.byDefault, *byDefault)
		}
		if field.bounds != nil && bounds != nil && *field.bounds != *bounds {
			c.add("spec.contract.bounds."+field.name, "%d to %d; the CRD says %d to %d", field.bounds.Minimum, field.bounds.Maximum, bounds.Minimum, bounds.Maximum)
		}
	}
	if replicas := contract.Spec.Replicas; replicas != nil && replicas.Path != "" && replicas.Format == "" && len(c.Replicas) > 0 {
		c.compareNumbers(*replicas, contract.Bounds.Replicas)
	}
	var columns []string
	for _, column := range c.Version.AdditionalPrinterColumns {
		columns = append(columns, column.Name)
	}
	for i, column := range contract.PrinterColumns {
		if !slices.ContainsFunc(columns, func(name string) bool { return strings.EqualFold(name, column) }) {
			c.add(fmt.Sprintf("spec.contract.printerColumns[%d]", i), "the CRD has no column %s; it has: %s", column, orNone(columns))
		}
	}
}
