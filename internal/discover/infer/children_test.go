package infer

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestMainService: a Service belongs to the Pods if it selects them and has a port. A
// Service that leads to a declared port of theirs is preferred.
func TestMainService(t *testing.T) {
	const (
		web = `
kind: Deployment
metadata: {name: shop-web}
spec: {replicas: 2, template: {metadata: {labels: {app: shop}}, spec: {containers: [{name: web, image: "shop:v1", ports: [{name: http, containerPort: 8080}]}]}}}
`
		portless = "{kind: Service, metadata: {name: names}, spec: {clusterIP: None, selector: {app: shop}}}"
		headless = "{kind: Service, metadata: {name: peers}, spec: {clusterIP: None, selector: {app: shop}, ports: [{port: 8080}]}}"
		admin    = "{kind: Service, metadata: {name: admin}, spec: {clusterIP: 10.0.0.1, selector: {app: shop}, ports: [{port: 9999}]}}"
		named    = "{kind: Service, metadata: {name: front}, spec: {clusterIP: 10.0.0.2, selector: {app: shop}, ports: [{port: 80, targetPort: http}]}}"
		others   = "{kind: Service, metadata: {name: others}, spec: {clusterIP: 10.0.0.3, selector: {app: mine}, ports: [{port: 80, targetPort: 8080}]}}"
	)
	for name, tc := range map[string]struct {
		services []string
		want     string
	}{
		"one without ports":                 {[]string{portless}, ""},
		"one for other Pods":                {[]string{others}, ""},
		"a headless one with a port":        {[]string{portless, headless}, "peers"},
		"the one that leads to their port":  {[]string{admin, named, headless}, "front"},
		"a headless one that does":          {[]string{admin, headless}, "peers"},
		"one that leads to no port of them": {[]string{portless, admin}, "admin"},
	} {
		t.Run(name, func(t *testing.T) {
			r := visit(t, Act{}, append([]string{web}, tc.services...), nil)
			got := ""
			if service := r.mainService(r.Main()); service != nil {
				if of := r.ServiceOf("shop"); of != refOf(service) {
					t.Errorf("the Service of the object is %q", of)
				}
				got = service.GetName()
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestConstantsOfTheBase: constants are read from the children of the object that the
// base is taken from.
func TestConstantsOfTheBase(t *testing.T) {
	rich := fmt.Sprintf(deployment, 2, "shop:v1", 8080, "", 2)
	const lean = "{kind: Deployment, metadata: {name: lean-web}, spec: {replicas: 1, template: {spec: {containers: [{name: proxy}, {name: web, ports: [{containerPort: 80}]}]}}}}"
	for name, tc := range map[string]struct {
		second   []Frame
		refused  string
		replicas int64
	}{
		"of the second":           {[]Frame{frame(t, 31, lean)}, "", 1},
		"of the first if alone":   {nil, "", 2},
		"or if no other is taken": {[]Frame{frame(t, 31, lean)}, NothingMade, 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := visit(t, Act{Path: "spec.tier", To: "gold"}, []string{rich}, nil)
			if tc.second != nil {
				r.Film = NewFilm(append(r.Film, tc.second...))
				r.Account.Requests = append(r.Account.Requests, created(25, "deployments", "Deployment/lean-web"))
				r.Acts = append(r.Acts, Act{Deed: Create, Object: "lean", Refused: tc.refused, After: 30, Until: 39, AfterSeq: 20, UntilSeq: 29})
			}
			main := r.Main()
			f := &finder{
				Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}},
				Record:   r, main: main, workload: r.MainWorkload(), first: r.Acts[0], deployment: r.Film.At(19)[main],
			}
			f.findFields()
			if diff := cmp.Diff(constant(tc.replicas), f.Spec.Contract.Spec.Replicas); diff != "" {
				t.Errorf("replicas (-want +got):\n%s", diff)
			}
		})
	}
}

// TestServedPort: the port that is the same each time is the one that the Service leads to.
func TestServedPort(t *testing.T) {
	const web = `
kind: Deployment
metadata: {name: shop-web}
spec: {template: {metadata: {labels: {app: shop}}, spec: {containers: [{name: web, ports: [{name: peers, containerPort: 4369}, {name: http, containerPort: 8080}, {containerPort: 9090}]}]}}}
`
	service := func(ports string) string {
		return "{kind: Service, metadata: {name: shop}, spec: {clusterIP: 10.0.0.1, selector: {app: shop}, ports: [" + ports + "]}}"
	}
	for name, tc := range map[string]struct {
		ports         string
		port, service any
	}{
		"by its name":                  {"{port: 80, targetPort: http}", 8080, 80},
		"the first of the container":   {"{port: 91, targetPort: 9090}, {port: 80, targetPort: 8080}", 8080, 80},
		"of one number":                {"{port: 9090}", 9090, nil},
		"none that it leads to":        {"{port: 80, targetPort: 7}", 4369, 80},
		"the first, which it leads to": {"{port: 80, targetPort: http}, {port: 4369}", 4369, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := visit(t, Act{Path: "spec.tier", To: "gold"}, []string{web, service(tc.ports)}, nil)
			main := r.Main()
			f := &finder{
				Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}},
				Record:   r, main: main, workload: r.MainWorkload(), first: r.Acts[0], deployment: r.Film.At(19)[main], service: r.mainService(main),
			}
			f.findFields()
			child := &v1alpha1.ServiceChild{}
			f.findServicePort(child)
			shown := func(field *v1alpha1.Field) any {
				if field == nil {
					return nil
				}
				return field.Constant.IntValue()
			}
			if diff := cmp.Diff([]any{tc.port, tc.service}, []any{shown(f.Spec.Contract.Spec.Port), shown(child.Port)}); diff != "" {
				t.Errorf("ports of the container and of the Service (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMainIsItsOwn: a workload of the likeliest kind that all objects share is not the one that a
// controller makes for an object.
func TestMainIsItsOwn(t *testing.T) {
	for name, tc := range map[string]struct {
		owner string // of the shared one
		want  Ref
	}{
		"shared by all":  {"", Ref{"StatefulSet", "web-shop"}},
		"of this object": {"ownerReferences: [{kind: Shop, name: shop}]", Ref{"Deployment", "store"}},
		"of another one": {"ownerReferences: [{kind: Shop, name: other}]", Ref{"StatefulSet", "web-shop"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{Kind: "Shop", Acts: []Act{{Deed: Create, Object: "shop", Until: 9, UntilSeq: 9}}}
			r.Film = NewFilm([]Frame{
				frame(t, 1, "kind: Deployment\nmetadata: {name: store, namespace: ns, "+tc.owner+"}\nspec: {replicas: 1}"),
				frame(t, 2, "kind: StatefulSet\nmetadata: {name: web-shop, namespace: ns}\nspec: {replicas: 1}"),
			})
			r.Account.Requests = []history.Request{created(1, "deployments", "Deployment/store"), created(2, "statefulsets", "StatefulSet/web-shop")}
			if got := r.Main(); got != tc.want {
				t.Errorf("main %v, want %v", got, tc.want)
			}
		})
	}
}

// TestShared: a child that is not one object's own, and that is not made again for another
// object, is perhaps shared by all.
func TestShared(t *testing.T) {
	for name, tc := range map[string]struct {
		owner string // of the store
		acts  int
		again string // what else is made for the other object
		want  []Ref
	}{
		"one store for both":    {"", 2, "", []Ref{{"StatefulSet", "store"}}},
		"a store for each":      {"", 2, "store-2", nil},
		"a store with an owner": {"ownerReferences: [{kind: Shop, name: shop}]", 2, "", nil},
		"only one object":       {"", 1, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{Kind: "Shop", Acts: []Act{{Deed: Create, Object: "shop", Until: 9, UntilSeq: 9}, {Deed: Create, Object: "other", After: 9, Until: 19, AfterSeq: 9, UntilSeq: 19}}[:tc.acts]}
			frames := []Frame{
				frame(t, 1, "kind: StatefulSet\nmetadata: {name: store, namespace: ns, "+tc.owner+"}\nspec: {replicas: 1}"),
				frame(t, 2, "kind: Deployment\nmetadata: {name: shop, namespace: ns}\nspec: {replicas: 1}"),
				frame(t, 11, "kind: Deployment\nmetadata: {name: other, namespace: ns}\nspec: {replicas: 1}"),
			}
			r.Account.Requests = []history.Request{created(1, "statefulsets", "StatefulSet/store"), created(2, "deployments", "Deployment/shop"), created(11, "deployments", "Deployment/other")}
			if tc.again != "" {
				frames = append(frames, frame(t, 12, "kind: StatefulSet\nmetadata: {name: "+tc.again+", namespace: ns}\nspec: {replicas: 1}"))
				r.Account.Requests = append(r.Account.Requests, created(12, "statefulsets", "StatefulSet/"+tc.again))
			}
			r.Film = NewFilm(frames)
			if diff := cmp.Diff(tc.want, r.sharedChildren()); diff != "" {
				t.Errorf("shared (-want +got):\n%s", diff)
			}
			f := &finder{Findings: Findings{Asked: map[string][]Question{}}, Record: r}
			f.askShared()
			var lines []string
			for _, question := range f.Asked["contract.children"] {
				lines = append(lines, question.Lines...)
			}
			var want []string
			if len(tc.want) > 0 {
				want = []string{"shared: [{kind: StatefulSet, name: store}]"}
			}
			if diff := cmp.Diff(want, lines); diff != "" {
				t.Errorf("offered (-want +got):\n%s", diff)
			}
		})
	}
}
