package play

import (
	"context"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/profile"
)

// Result is one thing that a play has looked at.
type Result struct {
	// ID of it: the name of the play, and of the rule, as in watch/added.
	ID string
	// Must is what is asked for.
	Must string
	// Passed tells whether that was seen.
	Passed bool
	// Unsure tells that it could not be seen, for no fault of the controller.
	Unsure bool
	// Found is what was seen in its place.
	Found string
}

// play is what is done to a controller.
type play struct {
	arguments []string // added to its command
	rules     []rule   // in their order: where one fails, later ones are not tried
}

// rule is one thing to look at.
type rule struct {
	id, must string
	try      func(context.Context, *stage) error
}

func plays() map[string]play {
	return map[string]play{"watch": watch(), "queue": queue(), "shutdown": shutdown(), "persist": persist(), "absent": absent()}
}

// Of tells whether an ID is one of a play, and of which.
func Of(id string) (name string, ok bool) {
	name, rest, _ := strings.Cut(id, "/")
	p, known := plays()[name]
	return name, known && slices.ContainsFunc(p.rules, func(r rule) bool { return r.id == name+"/"+rest })
}

// Must is what the rule of an ID asks for.
func Must(id string) string {
	name, _ := Of(id)
	for _, r := range plays()[name].rules {
		if r.id == id {
			return r.must
		}
	}
	return ""
}

// Profile is that by which the controller is started in a play.
func Profile(name string, p *profile.Profile) *profile.Profile {
	played := *p
	played.Spec.Launch.Command = append(slices.Clone(p.Spec.Launch.Command), plays()[name].arguments...)
	return &played
}

// Rules are the IDs of what a play looks at.
func Rules(name string) (ids []string) {
	for _, r := range plays()[name].rules {
		ids = append(ids, r.id)
	}
	return ids
}
