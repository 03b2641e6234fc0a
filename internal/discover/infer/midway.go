package infer

// Known are the fields that decide about the children, by role, each with the value by
// which that was seen.
type Known map[Role]FieldChange

// Midway is what a visit needs to know about what it has seen so far.
type Midway struct {
	// Fields that decide about the children.
	Fields     Known
	deployment string
	finder     *finder
}

// Midway returns what the record shows so far.
func (r *Record) Midway() Midway {
	m := Midway{Fields: Known{}}
	main := r.Main()
	for role, field := range r.mappings(main) {
		m.Fields[role] = FieldChange{field.Act.Path, field.Act.To}
	}
	first, ok := r.act(Create)
	if !ok || main.Name == "" {
		return m
	}
	f := &finder{Record: r, main: main, first: first, workload: r.MainWorkload()}
	f.Notes = map[string]Note{}
	if f.deployment = r.Film.At(first.Until)[main]; f.deployment != nil {
		m.deployment, _ = f.nameOf("children.deployment", f.deployment)
		m.finder = f
	}
	return m
}

// Deployment returns the name that the main child of another object will have.
func (m Midway) Deployment(object string, spec map[string]any) string {
	if m.finder == nil {
		return ""
	}
	return m.finder.naming(Act{Object: object, To: spec}, "").expand(m.deployment)
}
