package explore

import (
	"fmt"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
)

// inProduction says in a sentence what a user sees of a finding.
func inProduction(f *finding, d v1alpha1.Divergence) string {
	when := "After " + did(f.plan.Operation) + ", "
	switch f.plan.Sort {
	case "status-edited":
		when = "After somebody else has edited its status, and " + did(f.plan.Operation) + ", "
	case "all-changed":
		when = "After somebody else has changed all that the controller set in " + f.plan.Kind + ", "
	case nameTaken:
		when = "If an object of somebody else has the name of its child (" + f.plan.Kind + "), and " + did(f.plan.Operation) + ", "
	case othersPods:
		when = "If a Pod of somebody else has the labels of those of its child (" + f.plan.Kind + "), and " + did(f.plan.Operation) + ", "
	case "orphaned":
		when = "After it is deleted without its children, "
	case besideLate:
		when = "After an object is created, and what it needs beside it comes later, "
	case editedUnready:
		when = "If no Node has room for new Pods, and after " + did(f.plan.Operation) + ", "
	case templateKept:
		when = "If somebody else has added to the Pod template of its child, as kubectl rollout restart does, and after " + did(f.plan.Operation) + ", "
	case finishedAgain:
		when = "After " + did(f.plan.Operation) + ", and a restart of the controller, "
	case longNames:
		when = "If two objects have long names that begin alike, "
	case inForeground:
		when = "After " + did(f.plan.Operation) + " in the foreground, so that its children go first, "
	case endingChild:
		when = "After it is deleted in the foreground, so that its children go first, "
	}
	if f.plan.Disturb != nil {
		when += "if " + f.plan.inProduction() + ", "
	}
	until := ""
	switch {
	case f.plan.RestartAtEnd:
		until = " until the controller is restarted"
	case f.first.Repaired:
		until = " until something else happens to the object"
	}
	if d.Expected != "" && (d.Kind == v1alpha1.DivergenceMissing || d.Kind == v1alpha1.DivergenceExtra) {
		return fmt.Sprintf("%sthere are %s: %s, where %s are right%s.", when, d.Object, d.Found, d.Expected, until)
	}
	switch d.Kind {
	case v1alpha1.DivergenceMissing:
		return when + d.Object + " is missing, and stays so" + until + "."
	case v1alpha1.DivergenceExtra:
		if f.plan.Sort == endingChild {
			return when + d.Object + " is made again" + until + "."
		}
		return when + d.Object + " is left behind, or is there once too often, and nobody removes it" + until + "."
	case v1alpha1.DivergenceField:
		if f.isOpen(d) {
			return fmt.Sprintf("%s%s of %s %s.", when, d.Path, d.Object, otherField(d))
		}
		return fmt.Sprintf("%s%s of %s %s.", when, d.Path, d.Object, wrongField(d, until))
	case v1alpha1.DivergenceRestless:
		return when + "the controller does not come to rest: " + d.Found + "."
	case v1alpha1.DivergenceTraffic:
		return when + "the controller sends far more writes than it needs: " + d.Found + " in the place of " + d.Expected + "."
	}
	if d.Path == "deletion" {
		return when + "the controller deletes " + d.Object + ", although the object that it belongs to lives."
	}
	if strings.Contains(d.Path, " ") { // it says in words what happened to the object
		return when + d.Object + ": " + d.Path + ": " + d.Found + "."
	}
	return when + "the controller does harm on the way: " + d.Found + "."
}

// wrongField says how a field differs. A field that one side does not have has no value.
func wrongField(d v1alpha1.Divergence, until string) string {
	switch {
	case d.Expected == snapshot.Absent:
		return fmt.Sprintf("stays %s%s, where it should not be set", d.Found, until)
	case d.Found == snapshot.Absent:
		return fmt.Sprintf("is not set%s, where %s is right", until, d.Expected)
	}
	return fmt.Sprintf("stays %s%s, where %s is right", d.Found, until, d.Expected)
}

// isOpen says whether it is open which of two values of a status is right. The controller wrote
// both, and did not correct the one after the disturbance, not even when it was woken. If it
// missed something undisturbed, what is expected is wrong. If somebody else wrote the value, or made
// what is counted, it is known which one is wrong.
func (f *finding) isOpen(d v1alpha1.Divergence) bool {
	status := d.Path == "status" || strings.HasPrefix(d.Path, "status.") || strings.HasPrefix(d.Path, "status[")
	return status && !f.first.Repaired && !f.plan.RestartAtEnd && f.plan.Sort != "status-edited" && f.plan.Sort != othersPods
}

// otherField says how a field differs, and does not say which value is right.
func otherField(d v1alpha1.Divergence) string {
	is := func(value string) string {
		if value == snapshot.Absent {
			return "not set"
		}
		return value
	}
	return fmt.Sprintf("is %s in the end, and %s otherwise: one of the two is wrong", is(d.Found), is(d.Expected))
}

// did says what a user did.
func did(o Operation) string {
	words := map[string]string{
		"create": "an object is created", "delete": "it is deleted", "recreate": "it is deleted and created again",
		"restart": "a restart of the controller", "failover": "a take-over by another replica",
		another: "another object of its kind is created beside it", allEdits: "all edits, one after the other", undoneEdits: "all edits are taken back that the object was created with",
	}
	full, resource := o.apart()
	name, then, _ := strings.Cut(full, " then ")
	text := words[name]
	switch {
	case text != "":
	case strings.HasPrefix(name, "edit-"):
		text = "an edit of " + strings.TrimPrefix(name, "edit-")
	case strings.HasPrefix(name, "drift-"):
		text = "a change of a child by somebody else (" + strings.TrimPrefix(name, "drift-") + ")"
	case strings.HasPrefix(name, "delete-child-"):
		text = "the deletion of a child by somebody else (" + strings.TrimPrefix(name, "delete-child-") + ")"
	default:
		text = name
	}
	if resource != "" {
		text += " (" + resource + ")"
	}
	switch {
	case isHolding(then):
		text += " while a finalizer of somebody else holds a child (" + strings.TrimPrefix(then, holding) + ")"
	case strings.HasPrefix(then, "mark-") && name == "delete":
		text += " while a finalizer of somebody else holds it"
	case strings.HasPrefix(then, drifting):
		text += " and a change of a child by somebody else (" + strings.TrimPrefix(then, drifting) + ")"
	case strings.HasPrefix(then, "mark-"):
		text += " and somebody else has changed " + strings.TrimPrefix(then, "mark-")
	case then == back:
		text += ", which is then taken back"
	case then != "":
		text += " and " + words[then]
	}
	return text
}

// inProduction says what a disturbance is outside of a test.
func (p *Plan) inProduction() string {
	if first, second := p.halves(); second != nil {
		return first.inProduction() + ", and then " + second.inProduction()
	}
	write := strings.TrimPrefix(strings.TrimPrefix(p.Point, "at "), whileOpen)
	switch p.Sort {
	case "crash-after":
		return "the controller is killed just after " + write
	case "crash-before":
		return "the controller is killed just before " + write
	case "terminate":
		return "the controller is ended, as at an upgrade, during " + write
	case "lost-answer":
		return "the answer to " + write + " is lost on the network"
	case "hung":
		return "no answer comes to " + write + ", which is not carried out, until the connection breaks"
	case "hung-done":
		return "no answer comes to " + write + ", which is carried out, until the connection breaks"
	case "cut":
		return "the connection breaks at " + write
	case "slow":
		return "the API server is slow to answer " + write
	case "late-answer":
		return "the answer to " + write + " comes later than its events"
	case "watch-late":
		return "events of " + p.Kind + " come late, as from a busy API server"
	case "watch-late-all":
		return "all events come late, as from an API server that is behind"
	case "watch-frozen":
		return "a watch of " + p.Kind + " breaks, and what happened meanwhile is only seen by a new list"
	case editedUnseen:
		return "a watch of " + p.Kind + " breaks before the edit, and only the object after both is seen, by a new list"
	case "watch-closed":
		return "the API server closes the watches of " + p.Kind + ", as it does after some minutes"
	case "missed-deletion":
		return "a watch of " + p.Kind + " breaks, and a deletion meanwhile is only seen by a new list"
	case "stale-restart":
		if p.Kind != "all" {
			return "the new process reads an old state of " + p.Kind + " from an API server that is behind"
		}
		return "the new process reads an old state from an API server that is behind"
	case "stale-end":
		return "the new process reads an old state, in which the first one is being deleted, from an API server that is behind"
	case "slow-list":
		return "the list of " + p.Kind + " comes later than the others"
	case "500-lasting", "conflict-lasting", "403-lasting", "read-500", "read-403":
		return write + " fails for a while"
	case "refused-restart":
		return write + " is refused for a while, and the controller is restarted meanwhile"
	case "lease-lost":
		return "the leader loses its Lease to another replica during " + write
	case "lease-regained":
		return "the leader loses its Lease for a moment during " + write
	case "stale-standby":
		return "the replica that takes over has not seen the last events of " + p.Kind
	}
	if p.Disturb.AnswerWaits {
		return p.How + ", and the controller knows of it before " + strings.TrimPrefix(strings.TrimSuffix(p.Point, " is on its way"), "while ") + " arrives"
	}
	if p.Disturb.Meanwhile != nil {
		return p.How + " during " + write
	}
	return write + " fails once (" + p.Sort + ")"
}
