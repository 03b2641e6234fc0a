package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
)

// RunOptions are what `reconform run` adds to a rendered test.
type RunOptions struct {
	// Name of the test. Empty means the name of the scenario.
	Name string
	// Namespace that the test runs in.
	Namespace string
	// TimeoutScale multiplies every timeout; 0 counts as 1.
	TimeoutScale float64
	// WindowScale multiplies the length of every fixed window in which requests are
	// counted; 0 counts as 1.
	WindowScale float64
}

// defaultTimeouts are Chainsaw's own timeouts. They are written out so that they can be
// scaled.
var defaultTimeouts = []struct {
	name    string
	timeout time.Duration
}{
	{"apply", 30 * time.Second},
	{"assert", 45 * time.Second},
	{"error", 45 * time.Second},
	{"delete", 30 * time.Second},
	{"exec", 30 * time.Second},
	{"cleanup", 45 * time.Second},
}

// ForRun prepares a test for a control plane that is thrown away. What the test made is
// not deleted afterwards, because deleting a namespace would cost five seconds. Only the
// Subject is deleted, which stops the controller. The receiver is not changed.
func (r *Rendered) ForRun(o RunOptions) (*Rendered, error) {
	if o.TimeoutScale == 0 {
		o.TimeoutScale = 1
	}
	if scale := o.TimeoutScale; scale < 0 || math.IsNaN(scale) || math.IsInf(scale, 0) {
		return nil, fmt.Errorf("timeout scale %v: it must be a positive number", o.TimeoutScale)
	}
	run := &Rendered{Scenario: r.Scenario, root: clone(r.root)}
	if o.Name != "" {
		set(get(run.root, "metadata"), "name", str(o.Name))
	}
	spec := get(run.root, "spec")
	set(spec, "namespace", str(o.Namespace))
	set(spec, "skipDelete", boolean(true))
	if get(spec, "timeouts") == nil {
		set(spec, "timeouts", mapping())
	}
	timeouts := get(spec, "timeouts")
	for _, d := range defaultTimeouts {
		if get(timeouts, d.name) == nil {
			set(timeouts, d.name, str(d.timeout.String()))
		}
	}
	if err := scaleEach(timeouts, o.TimeoutScale); err != nil {
		return nil, r.Scenario.problem(timeouts, "spec.timeouts: %v", err)
	}
	for _, step := range get(spec, "steps").Content {
		if err := run.prepareStep(step, o); err != nil {
			return nil, err
		}
	}
	for _, operation := range list(get(spec, "catch")) {
		if err := run.prepareOperation(operation, o); err != nil {
			return nil, err
		}
	}
	moveLast(spec, "bindings", "steps")
	return run, nil
}

// ForStock prepares a test for the stock Chainsaw. It waits for the verdict of an object of
// the bench until that must have come, and for a failing one, too, because only a run knows
// which verdicts are final. The receiver is not changed.
func (r *Rendered) ForStock(untilVerdict time.Duration) *Rendered {
	stock := &Rendered{Scenario: r.Scenario, root: clone(r.root)}
	for _, step := range list(at(stock.root, "spec", "steps")) {
		for operation := range operationsOf(step) {
			if kind, body := split(operation); kind == "assert" && judgesItself(get(body, "resource")) {
				set(body, "timeout", str(untilVerdict.String()))
			}
		}
	}
	return stock
}

// Timeouts returns the time limits of a run, by the names that Chainsaw has for them.
// They hold if a test does not give its own.
func Timeouts() map[string]time.Duration {
	limits := map[string]time.Duration{}
	for _, d := range defaultTimeouts {
		limits[d.name] = d.timeout
	}
	return limits
}

// moveLast moves the test itself below what was added to it.
func moveLast(m *yaml.Node, keys ...string) {
	for _, key := range keys {
		if value := remove(m, key); value != nil {
			set(m, key, value)
		}
	}
}

func (r *Rendered) prepareStep(step *yaml.Node, o RunOptions) error {
	if timeouts := get(step, "timeouts"); timeouts != nil {
		if err := scaleEach(timeouts, o.TimeoutScale); err != nil {
			return r.Scenario.problem(timeouts, "timeouts: %v", err)
		}
	}
	subject := false
	for operation := range operationsOf(step) {
		if err := r.prepareOperation(operation, o); err != nil {
			return err
		}
		kind, body := split(operation)
		subject = subject || (kind == "apply" || kind == "create") && kindOf(get(body, "resource")) == kindSubject
	}
	if subject {
		set(step, "skipDelete", boolean(false))
	}
	return nil
}

// prepareOperation scales the limits of an operation. A controller has all the time to end
// that it would have without a scale.
func (r *Rendered) prepareOperation(operation *yaml.Node, o RunOptions) error {
	kind, body := split(operation)
	if timeout := get(body, "timeout"); timeout != nil {
		if err := scaleDuration(timeout, o.TimeoutScale); err != nil {
			return r.Scenario.problem(timeout, "%s: timeout: %v", kind, err)
		}
	}
	if kind == "delete" && kindOf(get(body, "ref")) == kindSubject && get(body, "timeout") == nil {
		set(body, "timeout", str(expectation.Scaled(Timeouts()[kind], max(1, o.TimeoutScale)).String()))
	}
	resource := get(body, "resource")
	if kind == "assert" && judgesItself(resource) {
		set(body, "timeout", str(expectation.Scaled(untilVerdict, max(1, o.TimeoutScale)).String()))
	} else if kind == "create" && text(resource, "kind") == "Namespace" && text(resource, "apiVersion") == "v1" {
		markNamespace(get(resource, "metadata"))
	}
	if window := at(resource, "spec", "windowMs"); window != nil && o.WindowScale > 0 && text(resource, "kind") == "Traffic" {
		if err := scaleWindow(window, o.WindowScale); err != nil {
			return r.Scenario.problem(window, "windowMs: %v", err)
		}
	}
	return nil
}

// shortestWindow is a length in milliseconds. No window is made shorter than that,
// because a controller needs some time to react.
const shortestWindow = 1500

func scaleWindow(window *yaml.Node, scale float64) error {
	ms, err := strconv.ParseFloat(window.Value, 64)
	if err != nil {
		return fmt.Errorf("%q is not a number", window.Value)
	}
	window.Value = strconv.Itoa(int(max(ms*scale, min(ms, shortestWindow))))
	return nil
}

// markNamespace marks an additional namespace of the scenario as made by the bench, like
// its own.
func markNamespace(metadata *yaml.Node) {
	if get(metadata, "labels") == nil {
		set(metadata, "labels", mapping())
	}
	set(get(metadata, "labels"), v1alpha1.LabelBench, str(v1alpha1.BenchMade))
}

// untilVerdict is how long a run waits for a verdict. The verdict comes by itself, within
// limits that the bench computes.
const untilVerdict = 3 * time.Hour

// judgesItself says whether an assertion waits for the verdict of a bench object that ends
// by itself. A Fault does not end by itself.
func judgesItself(resource *yaml.Node) bool {
	if at(resource, "status", "verdict") == nil || !strings.HasPrefix(text(resource, "apiVersion"), "reconform.dev/") {
		return false
	}
	return text(resource, "kind") != "Fault"
}

func list(n *yaml.Node) []*yaml.Node {
	if n == nil {
		return nil
	}
	return n.Content
}

func boolean(b bool) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(b)}
}

// scaleEach scales time limits. That of a cleanup becomes no shorter: how long a controller
// takes to end is not what the scenario is about.
func scaleEach(timeouts *yaml.Node, scale float64) error {
	for i := 1; i < len(timeouts.Content); i += 2 {
		name, by := timeouts.Content[i-1].Value, scale
		if name == "cleanup" {
			by = max(1, scale)
		}
		if err := scaleDuration(timeouts.Content[i], by); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func scaleDuration(n *yaml.Node, scale float64) error {
	d, err := time.ParseDuration(n.Value)
	if err != nil {
		return fmt.Errorf("%q is not a duration such as 30s", n.Value)
	}
	if scaled := expectation.Scaled(d, scale).Round(time.Millisecond); scaled != d {
		n.Value = scaled.String()
	}
	return nil
}
