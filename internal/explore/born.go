package explore

import "slices"

// Vain are the changes that were tried on the first object and that nothing of a workload
// followed, each once: what they are about may count when a child is made, and not later. A
// Service that follows says nothing of the Pods.
func (r *Record) Vain() []Trial {
	created, _ := r.act(Create)
	var vain []Trial
	known := map[string]bool{}
	for _, act := range r.acts(Change) {
		// What came back was what was there before.
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

// followed tells whether any change of a field was followed by something of a workload.
func (r *Record) followed(path string) bool {
	return slices.ContainsFunc(r.acts(Change), func(a Act) bool {
		ofPods := func(e Effect) bool { return e.Role != RoleServicePort }
		return a.Path == path && (slices.ContainsFunc(r.Effects(a), ofPods) || r.templateChanged(a))
	})
}

// byBirth are the roles of fields that decide about a child when it is made.
func byBirth() []Role { return []Role{RoleImage, RoleReplicas, RolePort, RoleServicePort} }

// born are the fields that decide about the children of an object that was created with
// other values, by their roles, though no change of them did. The values are such that no
// other field has them.
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
