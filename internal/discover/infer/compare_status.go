package infer

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// compareStatus looks for each field of the status.
func (c *comparison) compareStatus() {
	moments := c.moments()
	var settled []moment
	for _, m := range moments {
		if m.settled {
			settled = append(settled, m)
		}
	}
	claimed := c.claimed.StatusFields()
	for _, name := range slices.Sorted(maps.Keys(claimed)) {
		path := claimed[name].Path
		at := "spec.contract.status." + name + ".path"
		if path == "" || len(settled) == 0 {
			continue
		}
		present := slices.ContainsFunc(moments, func(m moment) bool { return At(m.primary.Object, path) != nil })
		switch {
		case !present:
			c.add(at, "%s was never there; the status had %s", path, orNone(c.statusPaths(moments)))
		case name == "readyReplicas" && distinct(settled, moment.ready) > 1 && !followsReady(settled, path):
			c.add(at, "%s was %s, and does not follow the %s's ready Pods%s", path, strings.Join(valuesAt(settled, path), ", "), c.workload.Kind, better(c.status.Ready))
		case name == "observedGeneration" && distinct(settled, func(m moment) int64 { return m.primary.GetGeneration() }) > 1 && !followsGeneration(settled, path):
			c.add(at, "%s was %s, and does not follow metadata.generation%s", path, strings.Join(valuesAt(settled, path), ", "), better(c.status.Generation))
		}
	}
	if phase := c.claimed.Spec.Contract.Status.Phase; phase != nil && phase.Condition != nil {
		c.seenCondition("spec.contract.status.phase.condition", phase.Condition.Type)
	}
	c.compareReadiness(moments)
	if reporting := c.claimed.Spec.Claims.Reporting; reporting != nil && reporting.Condition != nil {
		c.seenCondition("spec.claims.reporting.condition", reporting.Condition.Type)
	}
}

// compareReadiness looks whether the controller says that all Pods are ready before they
// are. That may be a mistake of the controller.
func (c *comparison) compareReadiness(moments []moment) {
	phase, ok := c.claimed.StatusFields()["phase"]
	if !ok {
		return
	}
	at, path, running := "spec.contract.status.phase.path", phase.Path, cmp.Or(c.claimed.Spec.Contract.Phases["Running"], "Running")
	said := func(o *unstructured.Unstructured) any { return At(o.Object, path) }
	if phase.Condition != nil {
		at, path, running = "spec.contract.status.phase.condition", "condition "+phase.Condition.Type, "True"
		conditions := c.claimed.ByConvention().StatusFields()["conditions"].Path
		said = func(o *unstructured.Unstructured) any { return conditionsOf(o, conditions)[phase.Condition.Type] }
	}
	if slices.ContainsFunc(beforeRollout(moments), func(m moment) bool { return said(m.primary) == running }) {
		c.addJudged(at, "%s was %s before the Pods were ready", path, running)
	}
	if c.readyWhileStalled(func(o *unstructured.Unstructured) bool { return said(o) == running }) {
		c.addJudged(at, "%s stayed %s when the object got an image whose Pods do not become ready: does it say that Pods serve, and not that the last change is rolled out?", path, running)
	}
}

func better(path string) string {
	if path == "" {
		return ""
	}
	return "; " + path + " does"
}

func (c *comparison) statusPaths(moments []moment) []string {
	paths := map[string]bool{}
	for _, m := range moments {
		status, _ := m.primary.Object["status"].(map[string]any)
		for key := range status {
			paths["status."+key] = true
		}
	}
	return sorted(paths)
}

// seenCondition looks for a condition in every version of every primary object.
func (c *comparison) seenCondition(at, kind string) {
	path := c.claimed.ByConvention().Spec.Contract.Status.Conditions
	if path == nil {
		return
	}
	seen := map[string]bool{}
	for _, frame := range c.Film {
		if frame.Object.GetKind() == c.Kind {
			for kind := range conditionsOf(frame.Object, path.Path) {
				seen[kind] = true
			}
		}
	}
	if !seen[kind] {
		c.add(at+".type", "no %s had a condition %s; types that were seen: %s", c.Kind, kind, orNone(sorted(seen)))
	}
}
