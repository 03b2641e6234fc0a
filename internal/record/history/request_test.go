package history

import "testing"

func TestInWords(t *testing.T) {
	for want, request := range map[string]Request{
		"#1 update webapps/status demo": {Seq: 1, Verb: VerbUpdate, Resource: "webapps", Subresource: "status", Name: "demo"},
		"#2 list deployments":           {Seq: 2, Verb: "list", Resource: "deployments"},
		"#3 other /version":             {Seq: 3, Verb: "other", Path: "/version"},
	} {
		if got := request.InWords(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestGuarded(t *testing.T) {
	const second = `Deployment.apps "demo" is invalid: metadata.ownerReferences: Invalid value: [...]: Only one reference can have Controller set to true. ` +
		`Found "true" in references for ConfigMap somebody-else and WebApp demo`
	for name, tc := range map[string]struct {
		request Request
		want    bool
	}{
		"an apply that was refused for it":   {Request{Apply: true, Code: 422, Message: second}, true},
		"an update that was refused for it":  {Request{Code: 422, Message: second}, false},
		"an apply that was refused by luck":  {Request{Apply: true, Code: 422, Message: "spec.selector: Invalid value: field is immutable"}, false},
		"an apply that a Fault refused":      {Request{Apply: true, Code: 422, Message: second, Fault: "refusals"}, false},
		"an apply that was in conflict":      {Request{Apply: true, Code: 409, Message: "Apply failed with 1 conflict"}, false},
		"an apply that changed it":           {Request{Apply: true, Code: 200}, false},
		"a message of another code about it": {Request{Apply: true, Code: 403, Message: second}, false},
	} {
		if got := tc.request.Guarded(); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestOnlyStarts: a workload that is started in steps is not a child that is made in several
// writes. What takes Pods away, or changes them, is one.
func TestOnlyStarts(t *testing.T) {
	update := func(changes ...Change) Request {
		r := Request{Verb: VerbUpdate, Resource: "statefulsets", Code: 200, Effect: EffectEffective}
		for _, c := range changes {
			r.Changed = append(r.Changed, c.Path)
			if c.Was != c.Is {
				r.Values = append(r.Values, c)
			}
		}
		return r
	}
	with := func(r Request, edit func(*Request)) Request {
		edit(&r)
		return r
	}
	up, note := Change{"spec.replicas", "0", "1"}, Change{"metadata.annotations.example.com/applied", "a", "b"}
	for name, tc := range map[string]struct {
		request Request
		want    bool
	}{
		"from none to one":           {update(up), true},
		"from one to three":          {update(Change{"spec.replicas", "1", "3"}), true},
		"with a note of it":          {update(note, up), true},
		"with a note of no values":   {update(Change{Path: "metadata.annotations"}, up), true},
		"by its scale":               {with(update(up), func(r *Request) { r.Subresource = "scale" }), true},
		"not paused any more":        {update(Change{"spec.paused", "true", ""}), true},
		"not suspended any more":     {update(Change{"spec.suspend", "true", "false"}), true},
		"back to none":               {update(Change{"spec.replicas", "1", "0"}), false},
		"to the default":             {update(Change{"spec.replicas", "2", ""}), false},
		"paused":                     {update(Change{"spec.paused", "", "true"}), false},
		"with another image":         {update(up, Change{"spec.template.spec.containers[0].image", `"a"`, `"b"`}), false},
		"with a note on the Pods":    {update(up, Change{"spec.template.metadata.annotations.a", `"1"`, `"2"`}), false},
		"with labels":                {update(up, Change{"metadata.labels.a", `"1"`, `"2"`}), false},
		"a note alone":               {update(note), false},
		"replicas without values":    {update(Change{Path: "spec.replicas"}), false},
		"and more":                   {update(up, Change{Path: "and 3 more"}), false},
		"refused":                    {with(update(up), func(r *Request) { r.Effect = EffectRefused }), false},
		"created":                    {with(update(up), func(r *Request) { r.Verb = VerbCreate }), false},
		"a status with such a field": {with(update(up), func(r *Request) { r.Subresource = "status" }), false},
		"managed fields":             {update(), false},
	} {
		if got := tc.request.OnlyStarts(); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
