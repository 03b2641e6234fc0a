package infer

import (
	"fmt"
	"slices"
	"strings"
)

// WithoutEffect returns the changes of the first object that had no effect on a workload, each once.
// Such a field may still count when a child is created, but not later. An effect on a
// Service does not matter here, because it says nothing about the Pods.
func (r *Record) WithoutEffect() []FieldChange {
	created, _ := r.act(Create)
	var ineffective []FieldChange
	known := map[string]bool{}
	for _, act := range r.acts(Change) {
		// A later change of the same field only put the old value back.
		if act.Object != created.Object || known[act.Path] {
			continue
		}
		known[act.Path] = true
		if act.To != nil && !r.followed(act.Path) {
			ineffective = append(ineffective, FieldChange{act.Path, act.To})
		}
	}
	return ineffective
}

// followed tells whether a change of a field had an effect on a workload. A changed number
// that is not a port may still have changed the Pods in another way: a variable, for
// example.
func (r *Record) followed(path string) bool {
	return slices.ContainsFunc(r.acts(Change), func(a Act) bool {
		ofPods := func(e Effect) bool { return e.Role != RoleServicePort }
		_, number := whole(a.To)
		return a.Path == path && (slices.ContainsFunc(r.Effects(a), ofPods) || !number && r.templateChanged(a))
	})
}

// byBirth returns the roles of fields that may count when a child is created.
func byBirth() []Role {
	return []Role{RoleImage, RoleReplicas, RolePort, RoleServicePort, RoleEnv}
}

// LikelyAtCreation returns those changes without effect whose field is the likeliest to count
// at creation: a child of the first object had the field's value, in a field of the same
// role.
func (r *Record) LikelyAtCreation() []FieldChange {
	var shown []FieldChange
	for _, m := range r.maybeAtCreationFields(r.Main()) {
		shown = append(shown, FieldChange{m.Act.Path, m.Act.To})
	}
	return shown
}

// maybeAtCreation returns the fields of [Record.maybeAtCreationFields] by role. It returns
// nothing if an object that was created with other values got children: these show more,
// and [Record.onlyAtCreation] reads them. It leaves out the roles that several fields may have.
func (r *Record) maybeAtCreation(main Ref) map[Role]mapped {
	found := map[Role]mapped{}
	if r.bornWithChildren() {
		return found
	}
	several := r.alike(main)
	for _, m := range r.maybeAtCreationFields(main) {
		for _, effect := range m.Effects {
			if _, known := found[effect.Role]; !known && len(several[effect.Role]) < 2 {
				m.Effects = []Effect{effect}
				found[effect.Role] = m
			}
		}
	}
	return found
}

// bornWithChildren tells whether an object that was created with other values got children.
func (r *Record) bornWithChildren() bool {
	act, ok := r.act(Born)
	return ok && len(r.madeDuring(act)) > 0
}

// alike returns the fields, by role, whose value a child of the first object had, and for which
// nothing showed that they decide about it: those whose change had no effect, and those that
// were not changed.
func (r *Record) alike(main Ref) map[Role][]string {
	candidates := r.WithoutEffect()
	for _, path := range r.Unchanged {
		candidates = append(candidates, FieldChange{Path: path})
	}
	found := map[Role][]string{}
	for _, m := range r.havingTheValue(main, candidates) {
		for _, effect := range m.Effects {
			if !slices.Contains(found[effect.Role], m.Act.Path) {
				found[effect.Role] = append(found[effect.Role], m.Act.Path)
			}
		}
	}
	return found
}

// maybeAtCreationFields returns the fields whose value a child of the first object had, and whose
// change it did not follow. A number may be the same by chance, so the name of its field
// must tell what it is.
func (r *Record) maybeAtCreationFields(main Ref) []mapped {
	return r.havingTheValue(main, r.WithoutEffect())
}

// havingTheValue returns those of some fields whose value a child of the first object had.
func (r *Record) havingTheValue(main Ref, candidates []FieldChange) []mapped {
	first, ok := r.act(Create)
	if !ok {
		return nil
	}
	at := r.Film.At(first.Until)
	primary := at[Ref{r.Kind, first.Object}]
	if primary == nil {
		return nil
	}
	var fields []mapped
	for _, tried := range candidates {
		value := At(primary.Object, tried.Path)
		had := Act{Deed: Create, Object: first.Object, Path: tried.Path, To: value}
		var effects []Effect
		for _, child := range r.madeDuring(first) {
			ref := refOf(child)
			if value == nil || r.IsWorkload(ref.Kind) && ref != main {
				continue
			}
			for _, leaf := range Leaves(child.Object["spec"], "spec") {
				if role := r.roleOf(leaf, had, child); role != "" && isNamedFor(tried.Path, role) {
					effects = append(effects, Effect{ref, leaf.Path, role})
				}
			}
		}
		if len(effects) > 0 {
			change := Act{Deed: Change, Object: first.Object, Path: tried.Path, To: tried.To}
			fields = append(fields, mapped{Field: fieldOf(effects[0].Role, change), Act: change, Effects: effects, maybeAtCreation: true})
		}
	}
	return fields
}

// isNamedFor tells whether the name of a field says that it has a role.
func isNamedFor(path string, role Role) bool {
	words := map[Role][]string{
		RoleImage:    {""},
		RoleReplicas: {"replica", "size", "count", "instance", "scale", "number"},
		RolePort:     {"port"}, RoleServicePort: {"port"},
	}[role]
	_, name := parent(path)
	return !isOfNode(name) && slices.ContainsFunc(words, func(word string) bool { return strings.Contains(strings.ToLower(name), word) })
}

// whatOf returns in words what a role decides about.
func whatOf(role Role) string {
	words := map[Role]string{
		RoleImage: "the image", RoleReplicas: "the number of replicas", RolePort: "the port", RoleServicePort: "the port", RoleEnv: "the variables",
	}
	return words[role]
}

// doubtWithoutEffect adds a doubt for each field whose change had no effect: it looks like a mistake.
func (f *finder) doubtWithoutEffect() {
	for _, role := range byBirth() {
		m, ok := f.fields[role]
		path := "contract.spec." + string(role)
		if role == RoleServicePort {
			path = "contract.children.service.port"
		}
		if !ok || !m.hadNoEffect() || m.fixed {
			continue
		}
		counts := "; an object that was created with another value got that"
		if m.maybeAtCreation {
			counts = ", though it had the first value of the field"
		}
		child := f.main
		if role == RoleServicePort {
			child = m.Effects[0].Child
		}
		seen := fmt.Sprintf("%s was changed, and %s of %s did not follow", m.Act.Path, whatOf(role), child)
		f.Doubts = append(f.Doubts, Doubt{
			Path: path,
			Text: seen + counts + ". The profile names the field, so that the requirements judge this. " +
				"If the controller should not follow it, " + meant(role, f),
			Claimed: seen + ". If the controller should not follow it, the profile says a constant here, or leaves the field out",
		})
	}
}

// meant says how the profile is changed if a child need not follow a field.
func meant(role Role, f *finder) string {
	if role == RoleServicePort {
		return "write: port: {constant: …}, or leave it out"
	}
	if role == RoleEnv {
		return "leave the field out"
	}
	made := f.counterpartOfLast(f.deployment)
	path := containersAt(f.workload) + "[" + f.container + "]."
	switch role {
	case RoleImage:
		path += "image"
	case RoleReplicas:
		path = f.workload.Replicas
	default:
		container, _ := f.servedPort()
		path += fmt.Sprintf("ports[%d].containerPort", container)
	}
	return fmt.Sprintf("write: %s: {constant: %v}", role, At(made.Object, path))
}

// onlyAtCreation returns the fields, by role, that count when children are created, although
// a later change had no effect. The children of an object that was created with other values
// show this: no other field has these values.
func (r *Record) onlyAtCreation(main Ref) map[Role]mapped {
	found := map[Role]mapped{}
	act, ok := r.act(Born)
	first, created := r.act(Create)
	if !ok || !created {
		return found
	}
	at := r.Film.At(act.Until)
	mine := r.mainIn(at, act.Object)
	before := r.Film.At(first.Until)
	for _, tried := range r.WithoutEffect() {
		change := Act{Deed: Born, Object: act.Object, Path: tried.Path, To: tried.To}
		for _, child := range r.madeDuring(act) {
			ref := refOf(child)
			former := before[main]
			if r.IsWorkload(ref.Kind) && ref != mine {
				continue
			} else if !r.IsWorkload(ref.Kind) {
				former = r.counterpart(ref, act, first)
			}
			for _, leaf := range Leaves(child.Object["spec"], "spec") {
				role := r.roleOf(leaf, change, child)
				if !slices.Contains(byBirth(), role) || former == nil || same(leaf.Value, At(former.Object, leaf.Path)) {
					continue
				}
				m := found[role]
				if m.Field.Path != "" && m.Field.Path != tried.Path {
					continue
				}
				m.Field, m.Act, m.onlyAtCreation = fieldOf(role, change), change, true
				m.Effects = append(m.Effects, Effect{ref, leaf.Path, role})
				found[role] = m
			}
		}
	}
	return found
}
