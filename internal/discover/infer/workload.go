package infer

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// Workloads returns the resources with a Pod template that may be the main child of an
// object, the likeliest first. A kind that is called like the primary one is not among them,
// because the film knows objects by kind and name only: the primary objects themselves, such
// as CronJobs of another group, would be taken for workloads.
func (r *Record) Workloads() []v1alpha1.Workload {
	known := profile.KnownWorkloads()
	if r.Claimed != nil && !slices.ContainsFunc(known, func(w v1alpha1.Workload) bool { return w.Kind == r.Claimed.Kind }) {
		known = append(known, *r.Claimed)
	}
	return slices.DeleteFunc(known, func(w v1alpha1.Workload) bool { return w.Kind == r.Kind })
}

// workload returns the workload of a kind. The second result is false if the kind is not a
// workload.
func (r *Record) workload(kind string) (v1alpha1.Workload, bool) {
	all := r.Workloads()
	n := slices.IndexFunc(all, func(w v1alpha1.Workload) bool { return w.Kind == kind })
	if n < 0 {
		return v1alpha1.Workload{}, false
	}
	return all[n], true
}

// IsWorkload tells whether objects of a kind have a Pod template.
func (r *Record) IsWorkload(kind string) bool {
	_, ok := r.workload(kind)
	return ok
}

// ofWorkloads returns the objects with a Pod template, those of the likeliest kind first.
func (r *Record) ofWorkloads(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	var found []*unstructured.Unstructured
	for _, w := range r.Workloads() {
		found = append(found, ofKind(objects, w.Kind)...)
	}
	return found
}

// MainWorkload returns the resource of the main child of the first object, or Deployments
// if that object has no main child.
func (r *Record) MainWorkload() v1alpha1.Workload {
	if w, ok := r.workload(r.Main().Kind); ok {
		return w
	}
	return r.Workloads()[0]
}

// isOf tells whether a request is about a workload.
func isOf(q history.Request, w v1alpha1.Workload) bool {
	return q.Group == w.Group && q.Resource == w.Plural
}

// podTemplate returns the Pod template of an object, or nil if the object is not a
// workload.
func (r *Record) podTemplate(object *unstructured.Unstructured) map[string]any {
	w, _ := r.workload(object.GetKind())
	template, _ := At(object.Object, w.PodTemplate).(map[string]any)
	return template
}

// containersAt returns the path of the containers of a workload.
func containersAt(w v1alpha1.Workload) string { return w.PodTemplate + ".spec.containers" }

// inContainer splits the path of a field of a container into the container's index and the
// rest.
func inContainer(w v1alpha1.Workload, path string) (index, rest string, ok bool) {
	after, ok := strings.CutPrefix(path, containersAt(w)+"[")
	if !ok {
		return "", "", false
	}
	return strings.Cut(after, "].")
}

// findWorkload says which resource takes the place of the Deployment, if one does.
func (f *finder) findWorkload() {
	w := f.workload
	if w.Kind == profile.KnownWorkloads()[0].Kind {
		return
	}
	f.Spec.Contract.Children.Deployment.Workload = w.DeepCopy()
	const at = "contract.children.deployment.workload."
	ends := ""
	if profile.Ends(w) {
		ends = fmt.Sprintf(". Its Pods succeed at once, and a %s that has finished need not be made again, nor put right: requirements that delete or change it, or its Service, are left out", w.Kind)
	}
	f.note(at+"kind", Seen, "%s was made for %s%s%s", f.main, f.first.Object, f.beside(), ends)
	for _, field := range []string{"group", "version", "plural", "podTemplate"} {
		f.note(at+field, Read, "the API of a %s", w.Kind)
	}
	f.note(at+"lacks", Read, "a Deployment has these fields, and a %s does not", w.Kind)
	f.note(at+"base", Read, "the API server refuses a %s without it", w.Kind)
	if m, ok := f.fields[RoleReplicas]; ok {
		f.note(at+"replicas", Seen, "%s", m.inWords())
	} else if w.Replicas != "" {
		f.note(at+"replicas", Guessed, "the API of a %s; no field was seen to decide about it", w.Kind)
	}
	if slices.Contains(w.Lacks, "status") {
		f.Spec.Contract.Name = strings.ToLower(f.Kind)
		f.note("contract.name", Guessed, "selects the requirements of this contract, if the suite has some; without a name, those of a WebApp and its Deployment are asked")
	}
}

// beside lists the other workloads that were made for the first object, in words.
func (f *finder) beside() string {
	var others []string
	for _, o := range f.ofWorkloads(f.madeDuring(f.first)) {
		if refOf(o) != f.main {
			others = append(others, refOf(o).String())
		}
	}
	if len(others) == 0 {
		return ""
	}
	return ", beside " + strings.Join(others, ", ")
}

// compareWorkload compares the resource that takes the place of the Deployment. It returns
// false if the kind differs, because then all other differences would only repeat that.
func (c *comparison) compareWorkload() bool {
	claimed, seen := c.claimed.Workload(), c.workload
	at := "spec.contract.children.deployment.workload"
	given := c.claimed.Spec.Contract.Children.Deployment.Workload != nil
	add := func(field, format string, args ...any) {
		if given {
			field = at + "." + field
		} else {
			field = at
		}
		c.add(field, format, args...)
	}
	if claimed.Kind != seen.Kind {
		if made := c.ofWorkloads(c.madeDuring(c.first)); len(ofKind(made, claimed.Kind)) == 0 {
			var names []string
			for _, o := range made {
				names = append(names, refOf(o).String())
			}
			add("kind", "it made no %s for %s %s; it made: %s", claimed.Kind, c.Kind, c.first.Object, orNone(names))
		} else {
			add("kind", "%s; the fields of the spec appear in %s", claimed.Kind, c.main)
		}
		return false
	}
	if !given {
		return true
	}
	for _, field := range []struct{ name, claimed, seen string }{
		{"group", claimed.Group, seen.Group}, {"version", claimed.Version, seen.Version}, {"plural", claimed.Plural, seen.Plural},
	} {
		if field.claimed != field.seen {
			add(field.name, "%s; that of a %s is %s", field.claimed, seen.Kind, field.seen)
		}
	}
	if At(c.deployment.Object, claimed.PodTemplate+".spec.containers") == nil {
		add("podTemplate", "%s has no Pod template at %s; it is at %s", c.main, claimed.PodTemplate, seen.PodTemplate)
	}
	if m, ok := c.fields[RoleReplicas]; ok && !c.standsIn && claimed.Replicas != seen.Replicas {
		add("replicas", "%s; %s", claimed.Replicas, m.inWords())
	}
	for i, path := range claimed.Lacks {
		if shown := c.shows(path); shown != "" {
			add(fmt.Sprintf("lacks[%d]", i), "%s had %s", c.main, shown)
		}
	}
	for _, path := range seen.Lacks {
		if required(path) && !(path == "spec.replicas" && c.claimed.StandsIn()) && !slices.ContainsFunc(claimed.Lacks, func(lack string) bool { return within(path, lack) }) {
			add("lacks", "a %s has no %s, unlike a Deployment", seen.Kind, path)
		}
	}
	return true
}

// required tells whether a path is a part that each Deployment has.
func required(path string) bool {
	return slices.Contains([]string{"spec.replicas", "spec.selector", "status", "status.readyReplicas"}, path)
}

// within tells whether a path is the other one, or lies below it.
func within(path, above string) bool { return path == above || strings.HasPrefix(path, above+".") }

// shows returns the part of a Deployment that the main child has although the profile says
// that it lacks it, or "".
func (c *comparison) shows(lack string) string {
	for _, path := range []string{
		"spec.minReadySeconds", "spec.paused", "spec.progressDeadlineSeconds", "spec.replicas", "spec.revisionHistoryLimit", "spec.selector",
		"spec.strategy", "status.availableReplicas", "status.observedGeneration", "status.readyReplicas", "status.replicas", "status.updatedReplicas",
	} {
		if within(path, lack) && slices.ContainsFunc(c.Film.Of(c.main), func(frame Frame) bool { return At(frame.Object.Object, path) != nil }) {
			return path
		}
	}
	return ""
}

// FormatOf returns the format of a text that stands in for a number of replicas, or "" for
// any other value. The text is a schedule, and its minute changes like a number.
func FormatOf(to any) string {
	text, ok := to.(string)
	if !ok {
		return ""
	}
	rest, ok := strings.CutPrefix(text, probeMinute+" ")
	if !ok {
		return ""
	}
	return "{{ .value }} " + rest
}

// probeMinute is the minute of the schedules that a visit writes into an object.
const probeMinute = "3"

// schedules returns schedules that may replace the given one, each with [probeMinute].
// The rarest come first, because what a schedule starts would disturb a scenario. It
// returns nothing if the text is not a schedule.
func schedules(text string) []string {
	if !profile.IsSchedule(text) {
		return nil
	}
	found := []string{probeMinute + " 0 1 1 *", probeMinute + " 0 1 * *", probeMinute + " 0 * * 0", probeMinute + " 0 * * *"}
	const minuteToWeekday = 5 // fields
	if fields := strings.Fields(text); len(fields) == minuteToWeekday && !strings.Contains(fields[0], "=") {
		found = append(found, probeMinute+" "+strings.Join(fields[1:], " "))
	}
	return found
}
