package invariant_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
)

func primary(method string, before, after int64) history.Request {
	return history.Request{
		Verb: history.VerbUpdate, Method: method, Group: "apps.kubedojo.io", Resource: "webapps", Namespace: scenario,
		Name: "demo", UID: "w", GenerationBefore: before, Generation: after, Effect: history.EffectEffective,
	}
}

func owned(r history.Request, owners ...history.Owner) history.Request {
	r.Owners = owners
	return r
}

func with(r history.Request, change func(*history.Request)) history.Request {
	change(&r)
	return r
}

// revision is the creation of an object that stands between the primary one and its children.
func revision(uid types.UID) history.Request {
	return history.Request{
		Verb: history.VerbCreate, Group: "apps.kubedojo.io", Resource: "revisions", Namespace: scenario, Name: "demo-1",
		UID: uid, Owners: mine(), Effect: history.EffectEffective,
	}
}

func ofScale(r history.Request) history.Request {
	r.Subresource = "scale"
	return r
}

func ofStatus(r history.Request) history.Request {
	r.Subresource = "status"
	return r
}

func metadataOnly(r *history.Request) { r.OnlyMetadata = true }

// refusedEvent by its name, which begins with that of what it is about.
func refusedEvent(name string) history.Request {
	return with(refusal(noRight), func(r *history.Request) { r.Group, r.Resource, r.Name = "events.k8s.io", "events", name })
}

// barred is the installation of a CRD that the bench refused.
func barred() history.Request {
	return history.Request{
		Verb: history.VerbCreate, Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions", Name: "sites.example.com",
		Code: 403, Reason: "Forbidden", Note: history.NoteClusterScoped, Effect: history.EffectRefused,
	}
}

func refusal(message string) history.Request {
	return history.Request{
		Verb: history.VerbCreate, Group: "apps", Resource: "deployments", Namespace: scenario, Name: "demo",
		Code: 403, Reason: "Forbidden", Message: `deployments.apps "demo" is forbidden: ` + message, Effect: history.EffectRefused,
	}
}

const (
	noRight = `User "system:serviceaccount:reconform-sh-001:subject" cannot create resource "deployments" in API group "apps" in the namespace "reconform-sh-001"`
	noEntry = "ValidatingAdmissionPolicy 'seven' with binding 'seven' denied request: not seven"
)

func TestRules(t *testing.T) {
	job := history.Owner{Kind: "Job", Name: "x", UID: "j", Controller: true}
	plain := history.Owner{Kind: "ConfigMap", Name: "x", UID: "c"}
	namesake := history.Owner{APIVersion: "other.example/v1", Kind: "WebApp", Name: "demo", UID: "n", Controller: true}
	for name, tc := range map[string]struct {
		story *story
		want  string // the rule and its requests; nothing if nobody is to be accused
	}{
		"an ordinary run": {began(false).request(effective(history.VerbCreate)).write("subject-0"), ""},

		"writes of the leader":             {began(true).lease("subject-0", "a").write("subject-0"), ""},
		"no election, so no leader":        {began(false).write("subject-0").write("subject-1"), ""},
		"never held it":                    {began(true).lease("subject-0", "a").write("subject-1"), "NotLeader [3]"},
		"wrote first, took it then":        {began(true).write("subject-0").lease("subject-0", "a"), "NotLeader [2]"},
		"nobody else has taken it":         {began(true).lease("subject-0", "a").after(time.Minute).write("subject-0"), ""},
		"overlap up to the renew deadline": {began(true).lease("subject-0", "a").lease("subject-1", "b").after(11 * time.Second).write("subject-0"), ""},
		"overlap beyond it":                {began(true).lease("subject-0", "a").lease("subject-1", "b").after(13 * time.Second).write("subject-0"), "NotLeader [4]"},
		"overlap after a pause": {
			began(true).lease("subject-0", "a").replica(history.ReplicaPaused, "subject-0").lease("subject-1", "b").
				after(time.Minute).replica(history.ReplicaResumed, "subject-0").write("subject-0"),
			"",
		},
		"overlap after a pause that began when the last renewal was on its way": {
			began(true).lease("subject-0", "a").replica(history.ReplicaPaused, "subject-0").lease("subject-0", "a").
				after(time.Minute).lease("subject-1", "b").replica(history.ReplicaResumed, "subject-0").write("subject-0"),
			"",
		},
		"overlap long after such a pause": {
			began(true).lease("subject-0", "a").replica(history.ReplicaPaused, "subject-0").lease("subject-0", "a").
				after(time.Minute).lease("subject-1", "b").replica(history.ReplicaResumed, "subject-0").after(14 * time.Second).write("subject-0"),
			"NotLeader [7]",
		},
		"overlap long after a pause that was over at the last renewal": {
			began(true).lease("subject-0", "a").replica(history.ReplicaPaused, "subject-0").
				after(time.Minute).replica(history.ReplicaResumed, "subject-0").lease("subject-0", "a").lease("subject-1", "b").
				after(14 * time.Second).write("subject-0"),
			"NotLeader [7]",
		},
		"overlap after the pause of another replica": {
			began(true).lease("subject-0", "a").replica(history.ReplicaPaused, "subject-1").
				after(time.Minute).replica(history.ReplicaResumed, "subject-1").lease("subject-1", "b").write("subject-0"),
			"NotLeader [6]",
		},
		"overlap long after a pause": {
			began(true).lease("subject-0", "a").replica(history.ReplicaPaused, "subject-0").lease("subject-1", "b").
				after(time.Minute).replica(history.ReplicaResumed, "subject-0").after(13 * time.Second).write("subject-0"),
			"NotLeader [6]",
		},
		"written before the takeover, by resourceVersion": {
			began(true).lease("subject-0", "a").after(20 * time.Second).
				request(with(effective(history.VerbUpdate), func(r *history.Request) { r.ResourceVersion = "50" })).
				request(history.Request{
					Replica: "subject-1", Verb: history.VerbUpdate, Group: "coordination.k8s.io", Resource: "leases",
					Namespace: scenario, Name: "lock", Holder: "b", ResourceVersion: "51",
				}),
			"",
		},
		"written after the takeover, though it arrived before": {
			began(true).lease("subject-0", "a").after(20 * time.Second).
				request(with(effective(history.VerbUpdate), func(r *history.Request) { r.ResourceVersion = "52" })).
				request(history.Request{
					Replica: "subject-1", Verb: history.VerbUpdate, Group: "coordination.k8s.io", Resource: "leases",
					Namespace: scenario, Name: "lock", Holder: "b", ResourceVersion: "51",
				}),
			"NotLeader [3]",
		},
		"released, and went on writing": {began(true).lease("subject-0", "a").lease("subject-0", "").after(14 * time.Second).write("subject-0"), "NotLeader [4]"},
		"sent before, and carried out after it was given back": {
			began(true).lease("subject-0", "a").
				request(with(effective(history.VerbUpdate), func(r *history.Request) { r.ResourceVersion = "52" })).
				request(history.Request{
					Replica: "subject-0", Verb: history.VerbUpdate, Group: "coordination.k8s.io", Resource: "leases",
					Namespace: scenario, Name: "lock", ResourceVersion: "51",
				}),
			"NotLeader [3]",
		},
		"lost, and given back while a write was on its way": {
			began(true).lease("subject-0", "a").after(12 * time.Second).
				request(with(effective(history.VerbUpdate), func(r *history.Request) { r.ResourceVersion = "52" })).
				request(history.Request{
					Replica: "subject-0", Verb: history.VerbUpdate, Group: "coordination.k8s.io", Resource: "leases",
					Namespace: scenario, Name: "lock", ResourceVersion: "51",
				}),
			"",
		},
		"lost, and given back before the write": {
			began(true).lease("subject-0", "a").after(11*time.Second).lease("subject-0", "").write("subject-0"),
			"NotLeader [4]",
		},
		"carried out, and then given back": {
			began(true).lease("subject-0", "a").
				request(with(effective(history.VerbUpdate), func(r *history.Request) { r.ResourceVersion = "50" })).
				request(history.Request{
					Replica: "subject-0", Verb: history.VerbUpdate, Group: "coordination.k8s.io", Resource: "leases",
					Namespace: scenario, Name: "lock", ResourceVersion: "51",
				}),
			"",
		},
		"broken off, and carried out after it was given back": {
			began(true).lease("subject-0", "a").
				request(with(effective(history.VerbUpdate), func(r *history.Request) { r.ResourceVersion, r.Note = "52", history.NoteUnawaited })).
				request(history.Request{
					Replica: "subject-0", Verb: history.VerbUpdate, Group: "coordination.k8s.io", Resource: "leases",
					Namespace: scenario, Name: "lock", ResourceVersion: "51",
				}),
			"",
		},
		"given back, and taken again":  {began(true).lease("subject-0", "a").lease("subject-0", "").lease("subject-0", "a").write("subject-0"), ""},
		"a refused write of a standby": {began(true).lease("subject-0", "a").request(with(refusal(noEntry), func(r *history.Request) { r.Replica = "subject-1" })), ""},
		"its former process held it": {
			began(true).lease("subject-0", "a").replica("ReplicaKilled", "subject-0").replica(history.ReplicaStarted, "subject-0").write("subject-0"),
			"NotLeader [5]",
		},
		"its process wrote before its start was recorded": {
			began(true).lease("subject-0", "a").write("subject-0").replica(history.ReplicaStarted, "subject-0").write("subject-0"),
			"",
		},

		"another controller's":                    {began(false).request(owned(effective(history.VerbUpdate), job)), "ForeignObject [2]"},
		"deleted another controller's":            {began(false).request(owned(effective(history.VerbDelete), job)), "ForeignObject [2]"},
		"of a kind of that name in another group": {began(false).request(owned(effective(history.VerbUpdate), namesake)), "ForeignObject [2]"},
		"nobody's":                            {began(false).request(owned(effective(history.VerbUpdate))), "ForeignObject [2]"},
		"at home, nobody's":                   {began(false).request(with(owned(effective(history.VerbUpdate)), func(r *history.Request) { r.Namespace = scenario + "-home" })), ""},
		"an owner that is not the controller": {began(false).request(owned(effective(history.VerbUpdate), plain)), "ForeignObject [2]"},
		"a no-op on another's":                {began(false).request(with(owned(effective(history.VerbUpdate), job), func(r *history.Request) { r.Effect = history.EffectNoop })), ""},
		"its own, disowned":                   {began(false).request(effective(history.VerbCreate)).request(owned(effective(history.VerbUpdate))), ""},
		"its own, taken by another":           {began(false).request(effective(history.VerbCreate)).request(owned(effective(history.VerbUpdate), job)), "ForeignObject [3]"},
		"its own, by way of a revision that it made": {
			began(false).request(revision("j")).request(owned(effective(history.VerbUpdate), job)).request(owned(effective(history.VerbDelete), job)), "",
		},
		"by way of one that somebody else made": {began(false).request(revision("k")).request(owned(effective(history.VerbUpdate), job)), "ForeignObject [3]"},
		"by way of one that it could not make": {
			began(false).request(with(revision("j"), func(r *history.Request) { r.Effect = history.EffectNoop })).request(owned(effective(history.VerbUpdate), job)), "ForeignObject [3]",
		},
		"an object of another kind": {
			began(false).request(with(owned(effective(history.VerbUpdate), job), func(r *history.Request) { r.Resource = "statefulsets" })), "",
		},

		"the status of its own Deployment":      {began(false).request(ofStatus(effective(history.VerbUpdate))), "ForeignObject [2]"},
		"the status of a Deployment, unchanged": {began(false).request(with(ofStatus(effective(history.VerbUpdate)), func(r *history.Request) { r.Effect = history.EffectNoop })), ""},
		"the status of its own Service":         {began(false).request(with(ofStatus(effective(history.VerbUpdate)), func(r *history.Request) { r.Group, r.Resource = "", "services" })), ""},

		"a bystander with its labels":                {began(false).request(bystander("configmaps", "demo-nobodys")), "ForeignObject [2]"},
		"one of its children's kind":                 {began(false).request(owned(bystander("services", "demo-somebody-elses"), plain)), "ForeignObject [2]"},
		"one among the many that it deleted at once": {began(false).request(bystander("deployments", "")), "ForeignObject [2]"},
		"one that it did not change": {
			began(false).request(with(bystander("configmaps", "demo-nobodys"), func(r *history.Request) { r.Effect = history.EffectNoop })), "",
		},
		"deleted its child, and made it again": {began(false).request(made("d")).request(effective(history.VerbDelete)).request(made("b")), "ChildReplaced [3 4]"},
		"another replica made it again": {
			began(false).request(made("d")).request(effective(history.VerbDelete)).
				request(with(made("b"), func(r *history.Request) { r.Replica = "subject-1" })),
			"ChildReplaced [3 4]",
		},
		"made again for another owner": {
			began(false).request(made("d")).request(effective(history.VerbDelete)).
				request(owned(made("b"), history.Owner{Kind: "WebApp", Name: "demo", UID: "w2", Controller: true})),
			"",
		},
		"its child, deleted by somebody else": {began(false).request(made("d")).request(made("b")), ""},
		"a deletion that changed nothing": {
			began(false).request(made("d")).request(with(effective(history.VerbDelete), func(r *history.Request) { r.Effect = history.EffectNoop })).request(made("b")), "",
		},
		"replaced what it had not made": {began(false).request(effective(history.VerbDelete)).request(made("b")), ""},
		"replaced what cannot be changed": {
			began(false).request(made("d")).request(invalid()).request(effective(history.VerbDelete)).request(made("b")), "",
		},
		"replaced as a Fault said that it cannot be changed": {
			began(false).request(made("d")).request(with(invalid(), func(r *history.Request) { r.Fault = "f" })).request(effective(history.VerbDelete)).request(made("b")), "",
		},
		"replaced for a field that cannot be changed": {
			began(false).request(made("d")).request(ofSpec(effective(history.VerbDelete), 2, "a")).request(ofSpec(made("b"), 2, "b")), "",
		},
		"replaced for one that can": {
			began(false).request(made("d")).request(ofSpec(effective(history.VerbDelete), 2, "a")).request(ofSpec(made("b"), 2, "a")), "ChildReplaced [3 4]",
		},
		"suspended, and resumed": {
			began(false).request(made("d")).request(ofSpec(effective(history.VerbDelete), 2, "a")).request(ofSpec(made("b"), 3, "a")), "",
		},
		"suspended, and resumed, and replaced then": {
			began(false).request(made("d")).request(ofSpec(effective(history.VerbDelete), 2, "a")).request(ofSpec(made("d"), 3, "a")).
				request(ofSpec(effective(history.VerbDelete), 3, "a")).request(ofSpec(made("b"), 3, "a")),
			"ChildReplaced [5 6]",
		},
		"the one after that, too": {
			began(false).request(made("d")).request(invalid()).request(effective(history.VerbDelete)).request(made("d")).
				request(effective(history.VerbDelete)).request(made("b")),
			"ChildReplaced [6 7]",
		},
		"renamed, and back": {
			began(false).request(renamed(made("d"), "demo")).request(renamed(made("e"), "other")).request(renamed(effective(history.VerbDelete), "demo")).
				request(renamed(made("f"), "third")).request(renamed(made("g"), "demo")),
			"",
		},
		"a Job made anew": {began(false).request(ofJob(made("d"))).request(ofJob(effective(history.VerbDelete))).request(ofJob(made("e"))), ""},

		"a put that raised the generation": {began(false).request(primary("PUT", 1, 2)), "GenerationRaised [2]"},
		"a patch that met an edit":         {began(false).request(primary("PATCH", 1, 2)).request(primary("PATCH", 2, 2)), ""},
		"patches that raise it":            {began(false).request(primary("PATCH", 1, 2)).request(primary("PATCH", 3, 4)), "GenerationRaised [2 3]"},
		"patches of metadata that meet edits": {
			began(false).request(with(primary("PATCH", 1, 2), metadataOnly)).request(with(primary("PATCH", 3, 4), metadataOnly)), "",
		},
		"a Scale that it wrote twice": {began(false).request(ofScale(primary("PUT", 1, 2))).request(ofScale(primary("PATCH", 2, 3))), "GenerationRaised [2 3]"},
		"a Scale that met an edit":    {began(false).request(ofScale(primary("PUT", 1, 2))), ""},
		"a finalizer":                 {began(false).request(primary("PUT", 1, 1)), ""},
		"a status that met an edit":   {began(false).request(with(primary("PUT", 1, 2), func(r *history.Request) { r.Subresource = "status" })), ""},
		"the generation of a child": {
			began(false).request(with(effective(history.VerbUpdate), func(r *history.Request) { r.GenerationBefore, r.Generation = 1, 2 })), "",
		},

		"no permission":                      {began(false).after(6 * time.Second).request(refusal(noRight)), "Forbidden [2]"},
		"no permission, from the start":      {began(false).request(refusal(noRight)).request(refusal(noRight)), "Forbidden [2 3]"},
		"a permission that comes late":       {began(false).request(refusal(noRight)).request(effective(history.VerbCreate)), ""},
		"a permission withdrawn for a while": {began(false).after(6 * time.Second).request(refusal(noRight)).request(effective(history.VerbCreate)), "Forbidden [2]"},
		"refused by admission":               {began(false).after(6 * time.Second).request(refusal(noEntry)), ""},
		"refused by a Fault":                 {began(false).after(6 * time.Second).request(with(refusal(noRight), func(r *history.Request) { r.Fault = "f" })), ""},
		"refused an Event":                   {began(false).after(6 * time.Second).request(refusedEvent("demo.17a")), "Forbidden [2]"},
		"refused an Event of the election":   {began(true).after(6 * time.Second).request(refusedEvent("lock.17a")), ""},
		"refused another kind":               {began(false).after(6 * time.Second).request(with(refusal(noRight), func(r *history.Request) { r.Group, r.Resource = "", "nodes" })), ""},

		"a crash":                    {began(false).replica(history.ReplicaStarted, "subject-0").replica(history.ReplicaCrashed, "subject-0"), "Crashed [3]"},
		"a kill by a Disruption":     {began(false).replica(history.ReplicaStarted, "subject-0").replica("ReplicaKilled", "subject-0"), ""},
		"could not renew":            {began(true).lease("subject-0", "a").after(10*time.Second).replica(history.ReplicaCrashed, "subject-0"), ""},
		"another took it":            {began(true).lease("subject-0", "a").lease("subject-1", "b").replica(history.ReplicaCrashed, "subject-0"), ""},
		"the leader crashed":         {began(true).lease("subject-0", "a").replica(history.ReplicaCrashed, "subject-0"), "Crashed [3]"},
		"a standby crashed":          {began(true).lease("subject-0", "a").after(time.Minute).replica(history.ReplicaCrashed, "subject-1"), "Crashed [3]"},
		"while it was cut off":       {began(false).replica(history.ReplicaPartitioned, "subject-0").after(time.Minute).replica(history.ReplicaCrashed, "subject-0"), ""},
		"a moment after":             {began(false).replica(history.ReplicaPartitioned, "subject-0").replica(history.ReplicaHealed, "subject-0").after(9*time.Second).replica(history.ReplicaCrashed, "subject-0"), ""},
		"long after":                 {began(false).replica(history.ReplicaPartitioned, "subject-0").replica(history.ReplicaHealed, "subject-0").after(11*time.Second).replica(history.ReplicaCrashed, "subject-0"), "Crashed [4]"},
		"refused a CRD by the bench": {began(false).replica(history.ReplicaStarted, "subject-0").request(barred()).replica(history.ReplicaCrashed, "subject-0"), ""},
		"refused one in a life before": {
			began(false).replica(history.ReplicaStarted, "subject-0").request(barred()).replica(history.ReplicaCrashed, "subject-0").
				replica(history.ReplicaStarted, "subject-0").replica(history.ReplicaCrashed, "subject-0"), "Crashed [6]",
		},
		"of a Pod, while it was paused":    {began(false).replica(history.ReplicaSilenced, "subject-0").after(time.Minute).replica(history.ReplicaCrashed, "subject-0"), ""},
		"of a Pod, long after that":        {began(false).replica(history.ReplicaSilenced, "subject-0").replica(history.ReplicaHeard, "subject-0").after(11*time.Second).replica(history.ReplicaCrashed, "subject-0"), "Crashed [4]"},
		"while another was cut off":        {began(false).replica(history.ReplicaPartitioned, "subject-1").replica(history.ReplicaCrashed, "subject-0"), "Crashed [3]"},
		"after a lost connection":          {began(false).request(dropped()).after(9*time.Second).replica(history.ReplicaCrashed, "subject-0"), ""},
		"by a panic after one":             {began(false).request(dropped()).event(history.Event{Reason: history.ReplicaCrashed, Replica: "subject-0", Message: "exited with status 2, after a panic"}), "Crashed [3]"},
		"long after one":                   {began(false).request(dropped()).after(11*time.Second).replica(history.ReplicaCrashed, "subject-0"), "Crashed [3]"},
		"after an answer that was ordered": {began(false).request(with(refusal(noEntry), func(r *history.Request) { r.Fault = "f" })).replica(history.ReplicaCrashed, "subject-0"), "Crashed [3]"},
		"a list for each of 200 objects":   {lists(200, 210), ""},
		"too many lists for one object":    {lists(1, 201), "HotLoop [3]"},
		"of one list in 201 pages":         {pages(201), ""},
		"of a child that no profile maps":  {again(201, history.Request{Verb: history.VerbUpdate, Resource: "configmaps", Name: "demo"}), "HotLoop [2]"},
		"of a class, of one object":        {reads(1, 201), "HotLoop [3]"},
		"of a class, for each of 100":      {reads(100, 300), ""},
		"of the version of the server":     {again(201, history.Request{Verb: history.VerbOther, Method: "GET", Path: "/version"}), "HotLoop [2]"},
		"of all there is to discover":      {discovers(201), ""},
		"of its Lease":                     {again(201, history.Request{Verb: history.VerbGet, Group: "coordination.k8s.io", Resource: "leases", Name: "lock"}), ""},
		"200 identical requests in 5 s":    {repeated(200, 20*time.Millisecond), ""},
		"201 of them":                      {repeated(201, 20*time.Millisecond), "HotLoop [2]"},
		"many, but not so fast":            {repeated(600, 26*time.Millisecond), ""},
		"the client library's own backoff": {backoff(), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, violation := range invariant.Check(tc.story.record()) {
				t.Log(violation.Message)
				got = append(got, fmt.Sprint(violation.Rule, " ", violation.Requests))
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, "; ")); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// repeated is one question, asked again and again.
func repeated(times int, pause time.Duration) *story {
	s := began(false)
	for range times {
		s.after(pause).request(history.Request{Verb: history.VerbGet, Group: "apps", Resource: "deployments", Namespace: scenario, Name: "demo"})
	}
	return s
}

// again is one request without a pause, so many times.
func again(times int, request history.Request) *story {
	s := began(false)
	for range times {
		s.after(time.Millisecond).request(request)
	}
	return s
}

// discovers asks for so many groups in a moment, each once.
func discovers(groups int) *story {
	s := began(false)
	for i := range groups {
		s.after(time.Millisecond).request(history.Request{Verb: history.VerbOther, Method: "GET", Path: fmt.Sprint("/apis/", i)})
	}
	return s
}

// made is the creation of a Deployment with an UID.
func made(uid types.UID) history.Request {
	return with(effective(history.VerbCreate), func(r *history.Request) { r.UID = uid })
}

// bystander is the deletion of an object that only looks like a child.
func bystander(resource, name string) history.Request {
	return with(effective(history.VerbDelete), func(r *history.Request) {
		r.Group, r.Resource, r.Name, r.Owners, r.Bystander = "", resource, name, nil, true
	})
}

// invalid is an update that the API server calls so.
func invalid() history.Request {
	return with(effective(history.VerbUpdate), func(r *history.Request) {
		r.UID, r.Owners, r.Code, r.Effect = "", nil, 422, history.EffectRefused
	})
}

// ofSpec is a write by a spec of that generation, with these fields that are fixed.
func ofSpec(r history.Request, generation int64, fixed string) history.Request {
	r.OwnerGeneration, r.Fixed = generation, fixed
	return r
}

func renamed(r history.Request, name string) history.Request { r.Name = name; return r }

func ofJob(r history.Request) history.Request { r.Group, r.Resource = "batch", "jobs"; return r }

// lists is a world of so many children, and as many lists of them in a moment.
func lists(children, times int) *story {
	s := began(false)
	for i := range children {
		s.request(with(effective(history.VerbCreate), func(r *history.Request) { r.Name = fmt.Sprint("demo-", i) }))
	}
	for range times {
		s.after(time.Millisecond).request(history.Request{Verb: history.VerbList, Group: "apps", Resource: "deployments", Namespace: scenario, Path: "/?limit=5"})
	}
	return s
}

// pages lists the same objects in so many pages, without a pause.
func pages(number int) *story {
	s := began(false)
	for n := range number {
		s.after(time.Millisecond).request(history.Request{
			Verb: history.VerbList, Group: "apps", Resource: "deployments", Namespace: scenario, Path: fmt.Sprintf("/?limit=1&continue=page-%d", n),
		})
	}
	return s
}

// reads asks for the class of so many children past the cache, without a pause.
func reads(children, times int) *story {
	s := lists(children, 0)
	for range times {
		s.after(time.Millisecond).request(history.Request{Verb: history.VerbGet, Resource: "classes", Group: "example.com", Name: "ours"})
	}
	return s
}

// dropped is a write whose connection a Fault has cut.
func dropped() history.Request {
	return with(effective(history.VerbCreate), func(r *history.Request) {
		r.Fault, r.Effect, r.ResourceVersion = "cut", history.EffectNone, ""
		r.Drop(errors.New("a fault cut the request off"))
	})
}

// backoff is what client-go does about a conflict that does not end: five tries, each
// 10 ms after the other, and then a pause that doubles from 5 ms. It lasts for a
// minute.
func backoff() *story {
	s := began(false)
	for pause := 5 * time.Millisecond; pause < time.Minute; pause *= 2 {
		for range 5 {
			s.after(10 * time.Millisecond).request(with(effective(history.VerbUpdate), func(r *history.Request) {
				r.Code, r.Effect = 409, history.EffectRefused
			}))
		}
		s.now = s.now.Add(pause)
	}
	return s
}

func TestExemptions(t *testing.T) {
	for name, tc := range map[string]struct {
		exemption v1alpha1.Exemption
		want      int
	}{
		"the request":    {v1alpha1.Exemption{Verbs: []string{"create"}, Resources: []string{"deployments.apps"}}, 0},
		"all verbs":      {v1alpha1.Exemption{Resources: []string{"deployments.apps"}}, 0},
		"another verb":   {v1alpha1.Exemption{Verbs: []string{"get"}, Resources: []string{"deployments.apps"}}, 1},
		"another object": {v1alpha1.Exemption{Resources: []string{"services"}}, 1},
		"from this rule": {v1alpha1.Exemption{Verbs: []string{"create"}, Resources: []string{"deployments.apps"}, Invariants: []string{"Forbidden"}}, 0},
		"from another":   {v1alpha1.Exemption{Verbs: []string{"create"}, Resources: []string{"deployments.apps"}, Invariants: []string{"GenerationRaised"}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := began(false).after(6 * time.Second).request(refusal(noRight))
			c := contract()
			c.Exempt = []v1alpha1.Exemption{tc.exemption}
			if got := invariant.Check(invariant.NewView(c, s.account())); len(got) != tc.want {
				t.Errorf("%d violations, want %d: %v", len(got), tc.want, got)
			}
		})
	}
}

func TestAdoption(t *testing.T) {
	s := began(false).request(owned(effective(history.VerbUpdate)))
	c := contract()
	c.Unowned = v1alpha1.OwnershipAdopt
	if got := invariant.Check(invariant.NewView(c, s.account())); got != nil {
		t.Errorf("a controller that adopts is accused: %v", got)
	}
}

// TestRestless: the rule is about one object that is written again and again, with
// changes only in times.
func TestRestless(t *testing.T) {
	stamp := with(primary("PUT", 1, 1), func(r *history.Request) {
		r.Subresource, r.OnlyTimes, r.Changed = "status", true, []string{"status.checked"}
	})
	other := with(stamp, func(r *history.Request) { r.Name, r.UID = "other", "o" })
	noop := with(effective(history.VerbUpdate), func(r *history.Request) { r.Effect = history.EffectNoop })
	news := with(stamp, func(r *history.Request) { r.OnlyTimes = false })
	edited := with(stamp, func(r *history.Request) { r.Generation = 2 })
	renewed := with(stamp, func(r *history.Request) { r.UID = "anew" })
	ofNobody := with(effective(history.VerbUpdate), func(r *history.Request) {
		r.Resource, r.Group, r.Owners, r.OnlyTimes = "configmaps", "", nil, true
	})
	ofAChild := with(ofNobody, func(r *history.Request) { r.Owners = mine() })
	// ten returns ten writes, with something before the last one of them.
	ten := func(write history.Request, pause time.Duration, between func(*story)) *story {
		s := began(false)
		for n := range 10 {
			if n == 9 && between != nil {
				between(s)
			}
			s.after(pause).request(write)
		}
		return s
	}
	request := func(r history.Request) func(*story) { return func(s *story) { s.after(time.Millisecond).request(r) } }
	event := func(reason, message string) func(*story) {
		return func(s *story) { s.after(time.Millisecond).event(history.Event{Reason: reason, Message: message}) }
	}
	for name, tc := range map[string]struct {
		story  *story
		broken bool
	}{
		"again and again":              {ten(stamp, time.Second, nil), true},
		"every four seconds":           {ten(stamp, 4*time.Second, nil), true},
		"a child that nobody maps":     {ten(ofAChild, time.Second, nil), true},
		"with no-ops in between":       {ten(stamp, time.Second, request(noop)), true},
		"of another object too":        {ten(stamp, time.Second, request(other)), true},
		"while a step looks on":        {ten(stamp, time.Second, event(history.StepBegan, "Then it is at rest")), true},
		"what is its own affair":       {ten(ofNobody, time.Second, nil), false},
		"by the clock":                 {ten(stamp, 5*time.Second, nil), false},
		"something new":                {ten(stamp, time.Second, request(news)), false},
		"another write":                {ten(stamp, time.Second, request(effective(history.VerbCreate))), false},
		"a write that is tried again":  {ten(stamp, time.Second, request(refusal(noEntry))), false},
		"the scenario does something":  {ten(stamp, time.Second, event(history.StepBegan, "When it changes")), false},
		"a Fault":                      {ten(stamp, time.Second, event(history.FaultFired, "#7")), false},
		"another spec":                 {ten(stamp, time.Second, request(edited)), false},
		"another object by that name":  {ten(stamp, time.Second, request(renewed)), false},
		"ten times, and others before": {ten(news, time.Second, request(stamp)), false},
	} {
		t.Run(name, func(t *testing.T) {
			c := contract()
			got := invariant.Check(invariant.NewView(c, tc.story.account()))
			if broken := len(got) == 1 && got[0].Rule == "Restless"; broken != tc.broken || !broken && len(got) > 0 {
				t.Errorf("broken: %v, want %t", got, tc.broken)
			}
			c.Exempt = []v1alpha1.Exemption{{
				Verbs: []string{history.VerbUpdate}, Resources: []string{"webapps.apps.kubedojo.io", "configmaps"}, Invariants: []string{"Restless"},
			}}
			if got := invariant.Check(invariant.NewView(c, tc.story.account())); len(got) > 0 {
				t.Errorf("it is declared, and accused: %v", got)
			}
		})
	}
}

// TestCrashedAtItsStart: an end before the first work is reported in other words than
// an end during the work, with the write that was refused just before.
func TestCrashedAtItsStart(t *testing.T) {
	create := history.Request{
		Verb: history.VerbCreate, Resource: "configmaps", Namespace: scenario + "-home", Name: "config", Code: 409, Reason: "AlreadyExists",
		Effect: history.EffectRefused,
	}
	faulty := with(create, func(r *history.Request) { r.Fault = "refuses" })
	watch := history.Request{Verb: history.VerbWatch, Group: "apps", Resource: "deployments", Namespace: scenario, Effect: history.EffectNone}
	for name, tc := range map[string]struct {
		before  []history.Request
		pause   time.Duration
		about   string
		message string
	}{
		"nothing was asked for": {nil, time.Second, "exited with status 1", "subject-0 ended by itself: exited with status 1 (#3)"},
		"refused, and ended": {
			[]history.Request{create},
			time.Millisecond, "exited with status 1 at its start",
			"subject-0 ended by itself at its start: exited with status 1; just before, it was refused to create configmaps config (AlreadyExists, #3) (#4)",
		},
		"refused long before": {
			[]history.Request{create},
			5 * time.Second, "exited with status 1 at its start",
			"subject-0 ended by itself at its start: exited with status 1 (#4)",
		},
		"refused by a Fault": {
			[]history.Request{faulty},
			time.Millisecond, "exited with status 1 at its start",
			"subject-0 ended by itself at its start: exited with status 1 (#4)",
		},
		"at work": {[]history.Request{watch}, time.Second, "exited with status 1", "subject-0 ended by itself: exited with status 1 (#4)"},
	} {
		t.Run(name, func(t *testing.T) {
			s := began(false).replica(history.ReplicaStarted, "subject-0")
			for _, r := range tc.before {
				s.request(r)
			}
			s.after(tc.pause).replica(history.ReplicaCrashed, "subject-0")
			got := invariant.Check(s.record())
			if len(got) != 1 || got[0].About != tc.about || got[0].Message != tc.message {
				t.Errorf("violations: %+v, want %q about %q", got, tc.message, tc.about)
			}
		})
	}
}

// TestCrashedInAStep: the message names the step that had begun last.
func TestCrashedInAStep(t *testing.T) {
	s := began(false).replica(history.ReplicaStarted, "subject-0")
	s.event(history.Event{Reason: history.StepBegan, Message: "Given the controller"})
	s.event(history.Event{Reason: history.StepBegan, Message: "When it changes"})
	s.replica(history.ReplicaCrashed, "subject-0")
	s.event(history.Event{Reason: history.StepBegan, Message: "Then it follows"})
	got := invariant.Check(s.record())
	want := []v1alpha1.Violation{{
		Rule: "Crashed", About: "exited with status 1", Requests: []int64{5},
		Message: `subject-0 ended by itself, in the step "When it changes": exited with status 1 (#5)`,
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

// TestCrashedWhilePolling: one that polls is at work, although it watches nothing. A Fault that
// keeps it from reading is then no reason to end.
func TestCrashedWhilePolling(t *testing.T) {
	list := history.Request{Verb: history.VerbList, Group: "apps", Version: "v1", Resource: "deployments", Namespace: scenario, Code: 200, Effect: history.EffectNone}
	s := began(false).replica(history.ReplicaStarted, "subject-0")
	s.request(list).after(time.Second).request(list).after(time.Second)
	s.request(with(list, func(r *history.Request) { r.Code, r.Fault = 500, "refuses" }))
	s.replica(history.ReplicaCrashed, "subject-0")
	got := invariant.Check(s.record())
	if len(got) != 1 || got[0].About != "exited with status 1" {
		t.Errorf("violations: %+v, want that it ended in the middle of its work", got)
	}
}

// TestKeptFromReadingAtItsStart: a process that cannot read what it needs may end, and is
// started again. Once it has begun its work it must not.
func TestKeptFromReadingAtItsStart(t *testing.T) {
	read := history.Request{Verb: history.VerbGet, Resource: "secrets", Namespace: scenario + "-home", Name: "key", Code: 500, Fault: "refuses", Effect: history.EffectNone}
	watch := history.Request{Verb: history.VerbWatch, Group: "apps", Resource: "deployments", Namespace: scenario, Code: 200, Effect: history.EffectNone}
	for name, tc := range map[string]struct {
		before []history.Request
		want   int
	}{
		"kept by a Fault":       {[]history.Request{read}, 0},
		"the API server failed": {[]history.Request{with(read, func(r *history.Request) { r.Fault = "" })}, 1},
		"only slow":             {[]history.Request{with(read, func(r *history.Request) { r.Code = 200 })}, 1},
		"at work":               {[]history.Request{watch, read}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := began(false).replica(history.ReplicaStarted, "subject-0")
			for _, r := range tc.before {
				s.request(r)
			}
			got := invariant.Check(s.event(history.Event{Reason: history.ReplicaCrashed, Replica: "subject-0", Message: "exited with status 2, after a panic"}).record())
			if len(got) != tc.want {
				t.Errorf("violations: %+v, want %d", got, tc.want)
			}
		})
	}
}

func TestHints(t *testing.T) {
	for _, name := range invariant.Names() {
		if invariant.Hint(name) == "" || !strings.HasSuffix(invariant.Must(name), ".") {
			t.Errorf("%s has the hint %q, and says %q", name, invariant.Hint(name), invariant.Must(name))
		}
	}
	if hint := invariant.Hint("HotLop"); hint != "" {
		t.Errorf("an unknown rule has the hint %q", hint)
	}
}

// TestDisowned: a child loses its owner, or is created again without one.
func TestDisowned(t *testing.T) {
	status := with(primary("PUT", 1, 1), func(r *history.Request) { r.Subresource, r.Namespace = "status", scenario })
	made := effective(history.VerbCreate)
	alone := with(made, func(r *history.Request) { r.Owners, r.UID, r.Apply = nil, "d2", true })
	lost := with(effective(history.VerbUpdate), func(r *history.Request) {
		r.Disowned, r.Changed = true, []string{"metadata.ownerReferences", "spec.replicas"}
	})
	released := with(lost, func(r *history.Request) { r.Changed = []string{"metadata.ownerReferences"} })
	again := with(effective(history.VerbUpdate), func(r *history.Request) { r.Owners, r.Changed = nil, []string{"metadata.ownerReferences"} })
	ofTheNew := with(again, func(r *history.Request) { r.UID = "d2" })
	deleted := with(effective(history.VerbDelete), func(r *history.Request) { r.Owners, r.UID = nil, "d2" })
	bystander := with(lost, func(r *history.Request) { r.Bystander = true })
	somebodys := with(lost, func(r *history.Request) {
		r.Owners = []history.Owner{{Kind: "ConfigMap", Name: "x", UID: "c", Controller: true}}
	})
	unguarded := with(primary("PUT", 1, 1), func(r *history.Request) { r.Changed = []string{"metadata.finalizers"} })
	gone := with(status, func(r *history.Request) { r.Code, r.Effect = 404, history.EffectRefused })
	long := 11 * time.Second
	for name, tc := range map[string]struct {
		story *story
		want  string
	}{
		"made anew without one":    {began(false).request(made).request(alone).after(long).request(status), "Disowned"},
		"and owned since":          {began(false).request(made).request(alone).request(ofTheNew).after(long).request(status), ""},
		"and deleted since":        {began(false).request(made).request(alone).request(deleted).after(long).request(status), ""},
		"and there was no time":    {began(false).request(made).request(alone).request(status), ""},
		"and time passed":          {began(false).request(made).request(alone).request(status).after(long).event(history.Event{Reason: history.StepBegan}), "Disowned"},
		"and its owner lets go":    {began(false).request(made).request(lost).request(status).after(long).request(unguarded), ""},
		"and its owner went":       {began(false).request(made).request(lost).request(status).after(long).request(gone), ""},
		"none ever had one":        {began(false).request(alone).request(alone).after(long).request(status), ""},
		"lost on the way":          {began(false).request(made).request(lost).after(long).request(status), "Disowned"},
		"lost, and owned again":    {began(false).request(made).request(lost).request(again).after(long).request(status), ""},
		"let go on purpose":        {began(false).request(made).request(released).after(long).request(status), ""},
		"its owner is gone":        {began(false).request(made).request(lost).after(long), ""},
		"a bystander":              {began(false).request(made).request(bystander).after(long).request(status), "ForeignObject"},
		"a child of somebody else": {began(false).request(made).request(somebodys).after(long).request(status), "ForeignObject"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, violation := range invariant.Check(tc.story.record()) {
				got += violation.Rule
			}
			if got != tc.want {
				t.Errorf("broken: %q, want %q", got, tc.want)
			}
		})
	}
}

// TestNeeded: if the controller asks for a right again and again, the right counts as
// needed.
func TestNeeded(t *testing.T) {
	list := func(code int) history.Request {
		r := history.Request{Verb: history.VerbList, Resource: "endpoints", Namespace: scenario, Code: code, Effect: history.EffectNone}
		if code == 403 {
			r.Reason, r.Message = "Forbidden", `endpoints is forbidden: User "system:serviceaccount:x:subject" cannot list resource "endpoints" in API group ""`
		}
		return r
	}
	get := with(list(403), func(r *history.Request) { r.Verb, r.Name = history.VerbGet, "demo" })
	faulty := with(list(403), func(r *history.Request) { r.Fault = "withdrawn" })
	ofAdmission := with(list(403), func(r *history.Request) { r.Message = "a webhook denied the request" })
	times := func(n int, pause time.Duration, one history.Request, last ...history.Request) *story {
		s := began(false)
		for range n {
			s.after(pause).request(one)
		}
		for _, r := range last {
			s.after(pause).request(r)
		}
		return s
	}
	for name, tc := range map[string]struct {
		story  *story
		broken bool
	}{
		"for ever":                   {times(6, 3*time.Second, list(403)), true},
		"four times":                 {times(4, 10*time.Second, list(403)), false},
		"at the start":               {times(9, time.Second, list(403)), false},
		"and then it is there":       {times(9, 3*time.Second, list(403), list(200)), false},
		"an object that is optional": {times(9, 3*time.Second, get), false},
		"a Fault":                    {times(9, 3*time.Second, faulty), false},
		"admission":                  {times(9, 3*time.Second, ofAdmission), false},
	} {
		t.Run(name, func(t *testing.T) {
			c := contract()
			got := invariant.Check(invariant.NewView(c, tc.story.account()))
			if broken := len(got) == 1 && got[0].Rule == "Forbidden"; broken != tc.broken || !broken && len(got) > 0 {
				t.Errorf("broken: %v, want %t", got, tc.broken)
			}
			c.Exempt = []v1alpha1.Exemption{{Verbs: []string{history.VerbList}, Resources: []string{"endpoints"}, Invariants: []string{"Forbidden"}}}
			if got := invariant.Check(invariant.NewView(c, tc.story.account())); len(got) > 0 {
				t.Errorf("it is declared, and accused: %v", got)
			}
		})
	}
}

func TestMessages(t *testing.T) {
	s := began(true).lease("subject-0", "a")
	for range 12 {
		s.write("subject-1")
	}
	got := invariant.Check(s.record())
	want := []v1alpha1.Violation{{
		Rule: "NotLeader", About: "update of deployments.apps",
		Message: "subject-1 updated deployments.apps demo without ever having held the Lease " +
			"(#3, #4, #5, #6, #7 and 7 more)",
		Requests: []int64{3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
	record := s.record()
	record.After = 13
	want = []v1alpha1.Violation{{
		Rule: "NotLeader", About: "update of deployments.apps",
		Message:  "subject-1 updated deployments.apps demo without ever having held the Lease (#14)",
		Requests: []int64{14},
	}}
	if diff := cmp.Diff(want, invariant.Check(record)); diff != "" {
		t.Errorf("violations after #13 (-want +got):\n%s", diff)
	}
}

// TestNames: scenarios name rules, so the names must not change.
func TestNames(t *testing.T) {
	want := []string{"NotLeader", "ForeignObject", "ChildReplaced", "GenerationRaised", "Forbidden", "Crashed", "HotLoop", "Restless", "Disowned"}
	if diff := cmp.Diff(want, invariant.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func BenchmarkCheck(b *testing.B) {
	s := began(true).lease("subject-0", "a")
	for i := range 5000 {
		if i%100 == 0 {
			s.lease("subject-0", "a")
		}
		s.after(time.Millisecond).request(with(effective(history.VerbUpdate), func(r *history.Request) { r.Name = fmt.Sprint(i % 200) }))
	}
	for b.Loop() {
		invariant.Check(s.record())
	}
}
