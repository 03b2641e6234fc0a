package infer

import "slices"

// Vain returns the changes of the first object that had no effect on a workload, each once.
// Such a field may still count when a child is created, but not later. An effect on a
// Service does not matter here, because it says nothing about the Pods.
func (r *Record) Vain() []Trial {
	created, _ := r.act(Create)
	var vain []Trial
	known := map[string]bool{}
	for _, act := range r.acts(Change) {
		// A later change of the same field only put the old value back.
		if act.Object != created.Object || known[act.Path] {
			continue
		}
		known[act.Path] = true
		if act.To != nil && !r.followed(act.Path) {
			vain = append(vain, Trial{act.Path, act.To})
		}
	}
	return vain
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
func byBirth() []Role { return []Role{RoleImage, RoleReplicas, RolePort, RoleServicePort} }

// born returns the fields, by role, that count when children are created, although changing
// them later had no effect. The children of an object that was created with other values
// show this: no other field has these values.
func (r *Record) born(main Ref) map[Role]mapped {
	found := map[Role]mapped{}
	act, ok := r.act(Born)
	first, created := r.act(Create)
	if !ok || !created {
		return found
	}
	at := r.Film.At(act.Until)
	mine := r.mainIn(at, act.Object)
	before := r.Film.At(first.Until)
	for _, trial := range r.Vain() {
		change := Act{Deed: Born, Object: act.Object, Path: trial.Path, To: trial.To}
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
				if m.Field.Path != "" && m.Field.Path != trial.Path {
					continue
				}
				m.Field, m.Act, m.born = fieldOf(role, change), change, true
				m.Effects = append(m.Effects, Effect{ref, leaf.Path, role})
				found[role] = m
			}
		}
	}
	return found
}
