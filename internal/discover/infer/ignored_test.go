package infer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestIgnored: a field that is named like something that is always the same in a child, and that
// has no effect, is asked about: the controller may have forgotten it.
func TestIgnored(t *testing.T) {
	image := Act{Deed: Change, Object: "shop", Path: "spec.image", To: "shop" + otherImage, After: 40, Until: 50, AfterSeq: 10, UntilSeq: 20}
	port := Act{Deed: Change, Object: "shop", Path: "spec.port", To: int64(8124), After: 50, Until: 60, AfterSeq: 20, UntilSeq: 30}
	tier, other, refused, text := port, port, image, port
	tier.Path, other.Path, text.To = "spec.tier", "spec.adminPort", "8124"
	refused.Refused = "no"
	child := history.Request{Seq: 25, Verb: history.VerbUpdate, Effect: history.EffectEffective, Resource: "configmaps", Name: "shop", Code: 200}
	const imageAsked, portAsked = "image: {path: spec.image}", "port: {path: spec.port}"
	for name, tc := range map[string]struct {
		acts     []Act
		requests []history.Request
		unfit    []Unfit
		want     []string
	}{
		"an image and a port":            {[]Act{image, port}, nil, nil, []string{imageAsked, portAsked}},
		"the one that has the value":     {[]Act{other, port}, nil, nil, []string{portAsked}},
		"a number of something else":     {[]Act{tier}, nil, nil, nil},
		"a text":                         {[]Act{text}, nil, nil, nil},
		"another object follows":         {[]Act{port}, []history.Request{child}, nil, nil},
		"no other value is accepted":     {[]Act{refused}, nil, nil, nil},
		"another one, which is left out": {[]Act{port}, nil, []Unfit{{Role: RolePort, Path: "spec.web.port"}}, nil},
		"it follows, and is left out":    {[]Act{port}, nil, []Unfit{{Role: RolePort, Path: "spec.port"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			r.Film = NewFilm(append(r.Film, frame(t, 15, "kind: Shop\nmetadata: {name: shop, generation: 1}\nspec: {image: 'blog:v1', port: 8080, adminPort: 9, tier: 1}")))
			r.CRD = &apiextensionsv1.CustomResourceDefinition{}
			r.Acts, r.Unfit = append(r.Acts, tc.acts...), tc.unfit
			r.Account.Requests = append(r.Account.Requests, tc.requests...)
			f := &finder{Findings: Findings{Asked: map[string][]Question{}}, Record: r, main: r.Main(), first: r.Acts[0], workload: r.MainWorkload(), container: "1"}
			constant := func(v intstr.IntOrString) *v1alpha1.Field { return &v1alpha1.Field{Constant: &v} }
			f.Spec.Contract.Spec.Image, f.Spec.Contract.Spec.Port = constant(intstr.FromString("shop:v1")), constant(intstr.FromInt32(8080))
			f.askIgnored()
			var got []string
			for _, field := range []string{"image", "port"} {
				for _, question := range f.Asked["contract.spec."+field] {
					got = append(got, question.Lines...)
					readable(t, question, field, "spec."+field)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

// TestServicePortBesideItsTarget: if the port of the Pods has a field of its own, a Service that leads
// to it does not hide the field that sets the Service's port.
func TestServicePortBesideItsTarget(t *testing.T) {
	const service = "kind: Service\nmetadata: {name: shop-web}\nspec: {ports: [{port: %d, targetPort: %d}]}"
	r := story(t, "{}", "{}", "{}", "{}")
	r.Film = NewFilm(append(r.Film,
		frame(t, 3, fmt.Sprintf(service, 80, 8080)),
		frame(t, 41, fmt.Sprintf(deployment, 3, "shop:v1", 8124, "", 3)), frame(t, 42, fmt.Sprintf(service, 80, 8124)),
		frame(t, 51, fmt.Sprintf(service, 81, 8124))))
	r.Acts = append(r.Acts,
		Act{Deed: Change, Object: "shop", Path: "spec.adminPort", To: int64(8124), After: 40, Until: 50, AfterSeq: 10, UntilSeq: 11},
		Act{Deed: Change, Object: "shop", Path: "spec.port", To: int64(81), After: 50, Until: 60, AfterSeq: 11, UntilSeq: 12},
	)
	fields := r.mappings(r.Main())
	got := []string{fields[RolePort].Field.Path, fields[RoleServicePort].Field.Path}
	if diff := cmp.Diff([]string{"spec.adminPort", "spec.port"}, got); diff != "" {
		t.Errorf("the port of the Pods, and that of the Service (-want +got):\n%s", diff)
	}
}

// TestGrace: a process that takes longer to end than Kubernetes waits looks like a mistake.
func TestGrace(t *testing.T) {
	for name, tc := range map[string]struct {
		took       time.Duration
		message    string
		want       string // the doubt begins so
		howItEnded string
	}{
		"in time":    {29 * time.Second, "exited with status 0", "", ""},
		"late":       {31 * time.Second, "exited with status 0", "SIGTERM did not end the process within 30s", "after 31s it ended."},
		"not at all": {45 * time.Second, "ended by SIGKILL", "SIGTERM did not end the process within 30s", "after 45s it had to be killed."},
	} {
		t.Run(name, func(t *testing.T) {
			f := &finder{Findings: Findings{Notes: map[string]Note{}}, Record: &Record{}}
			f.Account.Events = []history.Event{{Reason: history.ReplicaTerminated, Message: tc.message, Took: metav1.Duration{Duration: tc.took}}}
			f.findGrace()
			doubt := ""
			for _, d := range f.Doubts {
				doubt += d.Text
			}
			if (doubt == "") != (tc.want == "") || !strings.HasPrefix(doubt, tc.want) || !strings.Contains(doubt, tc.howItEnded) {
				t.Errorf("doubt %q, want %q … %q", doubt, tc.want, tc.howItEnded)
			}
			if got := f.Spec.Claims.Times.ShutdownGrace.Duration; got != 30*time.Second {
				t.Errorf("the profile says %s", got)
			}
		})
	}
}

// TestNoStatusAtAll: a controller that writes no status is not asked which field of it is one.
func TestNoStatusAtAll(t *testing.T) {
	for status, want := range map[string]bool{"{}": true, "{conditions: []}": true, "{phase: Up}": false} {
		f := &finder{Record: story(t, "{}", "{}", status, "{}")}
		if got := f.neverTold(); got != want {
			t.Errorf("with %s, no status was ever written: %v, want %v", status, got, want)
		}
	}
}
