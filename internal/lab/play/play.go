package play

import (
	"context"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/profile"
)

// Result is the result of one rule of a play.
type Result struct {
	// ID of the rule: the name of the play, and of the rule, such as watch/added.
	ID string
	// Must says what the rule asks for.
	Must string
	// Passed is true if that was seen.
	Passed bool
	// Needs is set if this rule was not tried: it is the rule that must be reached
	// first.
	Needs string
	// Unsure is true if nothing could be seen, for a reason that is not the
	// controller's.
	Unsure bool
	// Early is true if it was not seen because the controller does not do what comes before
	// it, such as to make a Deployment.
	Early bool
	// Found is what was seen instead.
	Found string
}

// play says what is done to a controller.
type play struct {
	arguments []string // added to its command
	unready   bool     // it cannot do its work, and nobody waits until it is ready
	elects    bool     // it is started with leader election
	electing  []string // added to the arguments that switch leader election on
	second    bool     // it serves a second namespace, too
	rules     []rule   // in their order: if one fails, later ones are not tried
	// apart are the rules that no later one relies on.
	apart map[string]bool
}

// rule is one thing that is checked.
type rule struct {
	id, must string
	try      func(context.Context, *stage) error
}

// asked returns the rules that are to be tried if only some results are of interest: those,
// and what must come before them.
func (p play) asked(of func(id string) bool) (rules []rule) {
	for _, r := range p.rules {
		if of(r.id) || !p.apart[r.id] {
			rules = append(rules, r)
		}
	}
	for len(rules) > 0 && !of(rules[len(rules)-1].id) {
		rules = rules[:len(rules)-1]
	}
	return rules
}

func plays() map[string]play {
	return map[string]play{
		"watch": watch(), "queue": queue(), "children": children(), "owner": owner(), "crowd": crowd(), "shutdown": shutdown(), "interrupt": interrupt(),
		"lease": leased(), "rest": rest(), "namespaces": namespaces(), "siblings": siblings(), "status": status(), "namesake": namesake(), "pauses": pauses(),
		"permanent": permanent(), "persist": persist(), "conflict": conflicted(), "cleanup": cleanup(), "absent": absent(), "copy": copies(), "cache": untouched(), "webhook": webhook(), "labels": labels(), "recreated": recreated(), "conditions": conditions(), "exit": exit(), "events": events(), "later": later(), "lost": lost(), "midway": midway(), "role": role(), "log": logged(),
	}
}

// Of tells whether an ID belongs to a play, and to which.
func Of(id string) (name string, ok bool) {
	name, rest, _ := strings.Cut(id, "/")
	p, known := plays()[name]
	return name, known && slices.ContainsFunc(p.rules, func(r rule) bool { return r.id == name+"/"+rest })
}

// Must returns what the rule with an ID asks for.
func Must(id string) string {
	name, _ := Of(id)
	for _, r := range plays()[name].rules {
		if r.id == id {
			return r.must
		}
	}
	return ""
}

// Profile returns the profile with which the controller is started in a play.
func Profile(name string, p *profile.Profile) *profile.Profile {
	played := *p
	which := plays()[name]
	played.Spec.Launch.Command = append(slices.Clone(p.Spec.Launch.Command), which.arguments...)
	if election := p.Spec.Launch.LeaderElection; election != nil && which.elects {
		with := *election
		with.Enabled = append(slices.Clone(election.Enabled), which.electing...)
		played.Spec.Launch.LeaderElection = &with
	}
	return &played
}

// All returns the IDs of the rules of all plays, sorted.
func All() (ids []string) {
	for name := range plays() {
		ids = append(ids, Rules(name)...)
	}
	slices.Sort(ids)
	return ids
}

// Rules returns the IDs of the rules of a play.
func Rules(name string) (ids []string) {
	for _, r := range plays()[name].rules {
		ids = append(ids, r.id)
	}
	return ids
}
