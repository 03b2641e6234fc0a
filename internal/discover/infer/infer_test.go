package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// frame is a version of an object, written as YAML.
func frame(t *testing.T, version int, text string) Frame {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	object.SetResourceVersion(fmt.Sprint(version))
	object.SetUID(types.UID(object.GetKind() + "/" + object.GetName()))
	return NewFrame(object, false)
}

const deployment = `
kind: Deployment
metadata: {name: shop-web}
spec:
  replicas: %d
  template:
    spec:
      containers:
      - {name: proxy, image: "proxy:v1"}
      - {name: web, image: %q, ports: [{containerPort: %d}], env: [%s]}
status: {readyReplicas: %d, conditions: [{type: Available, reason: R, message: as the Deployment says}]}
`

func TestEffects(t *testing.T) {
	before := fmt.Sprintf(deployment, 2, "shop:v1", 8080, "", 2)
	for name, tc := range map[string]struct {
		act   Act
		after string
		want  []Effect
	}{
		"replicas": {
			Act{Path: "spec.size", To: int64(3)},
			fmt.Sprintf(deployment, 3, "shop:v1", 8080, "", 3),
			[]Effect{{Ref{"Deployment", "shop-web"}, "spec.replicas", RoleReplicas}},
		},
		"image of the second container": {
			Act{Path: "spec.image", To: "shop:v2"},
			fmt.Sprintf(deployment, 2, "shop:v2", 8080, "", 2),
			[]Effect{{Ref{"Deployment", "shop-web"}, "spec.template.spec.containers[1].image", RoleImage}},
		},
		"port": {
			Act{Path: "spec.port", To: int64(9090)},
			fmt.Sprintf(deployment, 2, "shop:v1", 9090, "", 2),
			[]Effect{{Ref{"Deployment", "shop-web"}, "spec.template.spec.containers[1].ports[0].containerPort", RolePort}},
		},
		"env": {
			Act{Path: "spec.env", To: map[string]any{probeVariable: "seen"}},
			fmt.Sprintf(deployment, 2, "shop:v1", 8080, "{name: "+probeVariable+", value: seen}", 2),
			[]Effect{{Ref{"Deployment", "shop-web"}, "spec.template.spec.containers[1].env[0].name", RoleEnv}},
		},
		"a field that had the value before does not follow": {
			Act{Path: "spec.other", To: int64(2)}, before, nil,
		},
		"a field with another value does not follow": {
			Act{Path: "spec.other", To: int64(7)}, fmt.Sprintf(deployment, 3, "shop:v1", 8080, "", 3), nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{Kind: "Shop", Film: NewFilm([]Frame{frame(t, 1, before), frame(t, 2, tc.after)})}
			tc.act.Deed, tc.act.After, tc.act.Until = Change, 1, 2
			if diff := cmp.Diff(tc.want, r.Effects(tc.act)); diff != "" {
				t.Errorf("effects (-want +got):\n%s", diff)
			}
		})
	}
}

// story is a record of an object whose Deployment goes from nothing to two ready Pods,
// and then to three. The status is that of the object at each time.
func story(t *testing.T, status ...string) *Record {
	t.Helper()
	r := &Record{Kind: "Shop"}
	var frames []Frame
	steps := []struct{ want, ready, generation int }{{2, 0, 1}, {2, 2, 1}, {3, 2, 2}, {3, 3, 2}}
	for n, step := range steps {
		frames = append(frames,
			frame(t, 10*n+1, fmt.Sprintf(deployment, step.want, "shop:v1", 8080, "", step.ready)),
			frame(t, 10*n+2, fmt.Sprintf("kind: Shop\nmetadata: {name: shop, generation: %d}\nspec: {size: %d, a: x, b: y}\nstatus: %s", step.generation, step.want, status[n])))
	}
	r.Film = NewFilm(frames)
	r.Acts = []Act{
		{Deed: Create, Object: "shop", After: 0, Until: 19, AfterSeq: 0, UntilSeq: 5},
		{Deed: Change, Object: "shop", Path: "spec.size", To: int64(3), After: 19, Until: 39, AfterSeq: 5, UntilSeq: 9},
	}
	r.Account.Requests = []history.Request{{
		Seq: 1, Verb: history.VerbCreate, Effect: history.EffectEffective, Group: "apps", Resource: "deployments", UID: "Deployment/shop-web",
	}}
	return r
}

// shopService is the Service of the object of a story.
func shopService(t *testing.T) Frame {
	t.Helper()
	return frame(t, 1, "kind: Service\nmetadata: {name: shop, namespace: ns}\nspec: {clusterIP: 10.0.0.7, ports: [{port: 80}, {port: 8443}]}")
}

func TestStatus(t *testing.T) {
	for name, tc := range map[string]struct {
		status []string
		want   Status
	}{
		"ready, beside the number that is wanted": {
			[]string{"{replicas: 2}", "{replicas: 2, ready: 2}", "{replicas: 3, ready: 2}", "{replicas: 3, ready: 3}"},
			Status{Ready: "status.ready"},
		},
		"the wanted number, under the name of the ready one": {
			[]string{"{ready: 2}", "{ready: 2}", "{ready: 3}", "{ready: 3}"},
			Status{TooEarly: "status.ready"},
		},
		"written when there were no ready Pods, and never again": {
			[]string{"{ready: 0}", "{ready: 0}", "{ready: 0}", "{ready: 0}"},
			Status{Behind: "status.ready"},
		},
		"always one change late": {
			[]string{"{}", "{ready: 0}", "{ready: 2}", "{ready: 2}"},
			Status{Behind: "status.ready"},
		},
		"ready shards, which are no Pods": {
			[]string{"{readyShards: 7}", "{readyShards: 7}", "{readyShards: 7}", "{readyShards: 7}"},
			Status{},
		},
		"beside the ready one": {
			[]string{"{available: 0, ready: 2}", "{available: 2, ready: 2}", "{available: 2, ready: 3}", "{available: 3, ready: 3}"},
			Status{Ready: "status.available"},
		},
		"the wanted number, under another name": {
			[]string{"{unavailable: 2}", "{unavailable: 2}", "{unavailable: 3}", "{unavailable: 3}"},
			Status{},
		},
		"a copy of the spec, written when the Pods are ready": {
			[]string{"{}", "{lastAppliedSpec: {size: 2, port: '80'}}", "{lastAppliedSpec: {size: 2, port: '80'}}", "{lastAppliedSpec: {size: 3, port: '80'}}"},
			Status{},
		},
		"a copy of the spec that does not say so": {
			[]string{"{}", "{applied: {size: 2, a: x, b: y}}", "{applied: {size: 2, a: x, b: y}}", "{applied: {size: 3, a: x, b: y}}"},
			Status{},
		},
		"an object of the status that is no copy": {
			[]string{"{}", "{pods: {size: 2, a: x}}", "{pods: {size: 2, a: x}}", "{pods: {size: 3, a: x}}"},
			Status{Ready: "status.pods.size"},
		},
		"fields that no profile can name": {
			[]string{
				`{ready/pods: 2, 1phase: A, "ge n": 1, sub$: {conditions: [{type: Ready, status: "False"}]}}`, `{ready/pods: 2, 1phase: B, "ge n": 1, sub$: {conditions: [{type: Ready, status: "True"}]}}`,
				`{ready/pods: 2, 1phase: A, "ge n": 2, sub$: {conditions: [{type: Ready, status: "False"}]}}`, `{ready/pods: 3, 1phase: B, "ge n": 2, sub$: {conditions: [{type: Ready, status: "True"}]}}`,
			},
			Status{},
		},
		"a number that was late once": {
			[]string{"{ready: 2}", "{ready: 2}", "{ready: 2}", "{ready: 3}"},
			Status{Ready: "status.ready"},
		},
		"generation": {
			[]string{"{seen: 1}", "{seen: 1}", "{seen: 2}", "{seen: 2}"},
			Status{Generation: "status.seen"},
		},
		"phase": {
			[]string{"{state: Rolling}", "{state: Up}", "{state: Rolling}", "{state: Up}"},
			Status{Phase: "status.state", Phases: map[string]string{"Running": "Up", "Deploying": "Rolling"}},
		},
		"a word that never changes is not a phase": {
			[]string{"{tier: gold}", "{tier: gold}", "{tier: gold}", "{tier: gold}"},
			Status{},
		},
		"a condition in place of a phase": {
			[]string{
				`{conditions: [{type: Ready, status: "False"}]}`, `{conditions: [{type: Ready, status: "True"}]}`,
				`{conditions: [{type: Ready, status: "False"}]}`, `{conditions: [{type: Ready, status: "True"}]}`,
			},
			Status{Conditions: "status.conditions", PhaseCondition: "Ready"},
		},
		"a condition that is true before the Pods are ready": {
			[]string{
				`{conditions: [{type: Available, status: "True"}]}`, `{conditions: [{type: Available, status: "True"}]}`,
				`{conditions: [{type: Available, status: "False"}]}`, `{conditions: [{type: Available, status: "True"}]}`,
			},
			Status{Conditions: "status.conditions"},
		},
		"a condition of the Deployment that is passed on": {
			[]string{
				`{conditions: [{type: Available, status: "False", reason: R, message: as the Deployment says}]}`,
				`{conditions: [{type: Available, status: "True", reason: R, message: as the Deployment says}]}`,
				`{conditions: [{type: Available, status: "False", reason: R, message: as the Deployment says}]}`,
				`{conditions: [{type: Available, status: "True", reason: R, message: as the Deployment says}]}`,
			},
			Status{Conditions: "status.conditions"},
		},
		"a word that is there before the Pods are ready": {
			[]string{"{state: Done}", "{state: Done}", "{state: Busy}", "{state: Done}"},
			Status{},
		},
		"a number that counts up is not a phase": {
			[]string{"{state: '1'}", "{state: '2'}", "{state: '2'}", "{state: '3'}"},
			Status{},
		},
		"nor is a name with a number": {
			[]string{"{state: shop-1}", "{state: shop-2}", "{state: shop-2}", "{state: shop-2}"},
			Status{},
		},
		"nor is the name of another object": {
			[]string{"{phase: ''}", "{phase: shop-user}", "{phase: ''}", "{phase: shop-user}"},
			Status{},
		},
		"a condition says more than a word that is called something else": {
			[]string{
				`{step: apply, conditions: [{type: Ready, status: "False"}]}`, `{step: rest, conditions: [{type: Ready, status: "True"}]}`,
				`{step: apply, conditions: [{type: Ready, status: "False"}]}`, `{step: rest, conditions: [{type: Ready, status: "True"}]}`,
			},
			Status{Conditions: "status.conditions", PhaseCondition: "Ready"},
		},
		"but not than a phase": {
			[]string{
				`{phase: Rolling, conditions: [{type: Ready, status: "False"}]}`, `{phase: Running, conditions: [{type: Ready, status: "True"}]}`,
				`{phase: Rolling, conditions: [{type: Ready, status: "False"}]}`, `{phase: Running, conditions: [{type: Ready, status: "True"}]}`,
			},
			Status{Phase: "status.phase", Phases: map[string]string{"Deploying": "Rolling"}, Conditions: "status.conditions"},
		},
		"the address of the Service": {
			[]string{"{}", "{url: 'http://shop.ns:80'}", "{url: 'http://shop.ns:80'}", "{url: 'http://shop.ns:80'}"},
			Status{URL: "status.url"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := story(t, tc.status...).status(shopService(t).Object)
			got.Notes = nil
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWordsOfTrouble: a word that is seen only in trouble is not taken for the word of
// a rollout.
func TestWordsOfTrouble(t *testing.T) {
	const rolling, up, failed = "{state: Rolling}", "{state: Up}", "{state: Failed}"
	for name, tc := range map[string]struct {
		story    [4]string // the rollout of two Pods, and then of three
		change   string    // at the end of a change that does nothing; empty if there was none
		withheld string    // at the end, with Pods that are never ready
		trouble  string    // at the end, while its Deployment cannot be made
		want     map[string]string
		quick    int // more rollouts, in which no word was caught
	}{
		"seen at a change that fails":            {[4]string{rolling, up, rolling, up}, failed, rolling, failed, map[string]string{"Running": "Up", "Deploying": "Rolling"}, 0},
		"seen of Pods that are not ready":        {[4]string{rolling, up, rolling, up}, "", failed, failed, map[string]string{"Running": "Up", "Deploying": "Rolling"}, 0},
		"seen at a rollout that ends with it":    {[4]string{rolling, up, rolling, failed}, up, rolling, failed, map[string]string{"Running": "Up", "Deploying": "Rolling"}, 0},
		"no rollout was caught":                  {[4]string{"{}", up, up, up}, "", rolling, failed, map[string]string{"Running": "Up", "Deploying": "Rolling"}, 0},
		"none was caught, and it is for trouble": {[4]string{"{}", up, up, up}, "", failed, failed, nil, 0},
		"waiting and trouble have one word":      {[4]string{rolling, up, rolling, up}, "", rolling, rolling, map[string]string{"Running": "Up", "Deploying": "Rolling"}, 0},
		"caught once of five times":              {[4]string{rolling, up, up, up}, "", failed, failed, map[string]string{"Running": "Up", "Deploying": "Rolling"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, tc.story[:]...)
			film := r.Film
			for n := range tc.quick { // three rollouts in which no word was caught
				version := 200 + 10*n
				film = append(film, frame(t, version+1, fmt.Sprintf(deployment, 3, fmt.Sprintf("shop:v%d", n+2), 8080, "", 3)),
					frame(t, version+2, fmt.Sprintf("kind: Shop\nmetadata: {name: shop, generation: %d}\nstatus: %s", n+3, up)))
				r.Acts = append(r.Acts, Act{Deed: Change, Object: "shop", Path: "spec.image", To: fmt.Sprintf("shop:v%d", n+2), After: int64(version), Until: int64(version + 9), AfterSeq: 9, UntilSeq: 9})
			}
			if tc.change != "" {
				film = append(film, frame(t, 41, "kind: Shop\nmetadata: {name: shop, generation: 3}\nstatus: "+tc.change))
				r.Acts = append(r.Acts, Act{Deed: Change, Object: "shop", Path: "spec.tier", To: "gold", After: 40, Until: 49, AfterSeq: 9, UntilSeq: 9})
			}
			r.Film = NewFilm(append(film, frame(t, 51, "kind: Shop\nmetadata: {name: late, generation: 1}\nstatus: "+tc.withheld),
				frame(t, 52, "kind: Deployment\nmetadata: {name: late-web}\nspec: {replicas: 2}\nstatus: {}"),
				frame(t, 61, "kind: Shop\nmetadata: {name: refused, generation: 1}\nstatus: "+tc.trouble)))
			r.Acts = append(r.Acts, Act{Deed: Withhold, Object: "late", After: 50, Until: 59, AfterSeq: 10, UntilSeq: 12},
				Act{Deed: Hinder, Object: "refused", After: 60, Until: 69, AfterSeq: 12, UntilSeq: 14})
			r.Account.Requests = append(r.Account.Requests, created(11, "deployments", "Deployment/late-web"))
			if diff := cmp.Diff(tc.want, r.status(nil).Phases); diff != "" {
				t.Errorf("phases (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWithheld: a word or a condition that an object has although its Pods are never ready
// does not say that Pods are ready.
func TestWithheld(t *testing.T) {
	const rolling, up = "{state: Rolling, at: 'http://shop', conditions: [{type: Ready, status: 'False'}]}", "{state: Up, at: 'http://shop', conditions: [{type: Ready, status: 'True'}]}"
	phases := map[string]string{"Running": "Up", "Deploying": "Rolling"}
	claimed := func(phase v1alpha1.Field) *profile.Profile {
		p := &profile.Profile{}
		p.Spec.Contract.Status.Phase, p.Spec.Contract.Status.Conditions = &phase, &v1alpha1.Field{Path: "status.conditions"}
		p.Spec.Contract.Phases = phases
		return p
	}
	for name, tc := range map[string]struct {
		withheld string
		want     Status
		said     []string
	}{
		"the same": {up, Status{URL: "status.at", Conditions: "status.conditions", Early: []Sign{{Condition: "Ready"}}}, []string{
			"spec.contract.status.phase.path: status.state was Up before the Pods were ready",
			"spec.contract.status.phase.condition: condition Ready was True before the Pods were ready",
		}},
		"something else": {rolling, Status{URL: "status.at", Phase: "status.state", Phases: phases, Conditions: "status.conditions"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, rolling, up, rolling, up)
			r.Film = NewFilm(append(r.Film, frame(t, 51, "kind: Shop\nmetadata: {name: late, generation: 1}\nstatus: {}"),
				frame(t, 52, "kind: Deployment\nmetadata: {name: late-web}\nspec: {replicas: 2}\nstatus: {}"),
				frame(t, 53, "kind: Shop\nmetadata: {name: late, generation: 1}\nstatus: "+strings.ReplaceAll(tc.withheld, "http://shop", "http://late"))))
			r.Acts = append(r.Acts, Act{Deed: Withhold, Object: "late", After: 50, Until: 60, AfterSeq: 10, UntilSeq: 12})
			r.Account.Requests = append(r.Account.Requests, history.Request{
				Seq: 11, Verb: history.VerbCreate, Effect: history.EffectEffective, Group: "apps", Resource: "deployments", UID: "Deployment/late-web",
			})
			got := r.status(shopService(t).Object)
			got.Notes = nil
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}

			var said []string
			for _, phase := range []v1alpha1.Field{{Path: "status.state"}, {Condition: &v1alpha1.ConditionStatus{Type: "Ready"}}} {
				c := &comparison{finder: &finder{Record: r}, claimed: claimed(phase)}
				c.compareReadiness(r.moments())
				for _, d := range c.found {
					said = append(said, d.Field+": "+d.Text)
				}
			}
			if diff := cmp.Diff(tc.said, said); diff != "" {
				t.Errorf("said (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTrials(t *testing.T) {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	number := apiextensionsv1.JSONSchemaProps{Type: "integer", Minimum: ptr.To(1.0), Maximum: ptr.To(10.0)}
	words := apiextensionsv1.JSONSchemaProps{Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &text}}
	version := &apiextensionsv1.CustomResourceDefinitionVersion{Schema: &apiextensionsv1.CustomResourceValidation{
		OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"image": text, "size": number, "tier": text, "env": words, "settings": words, "labels": words,
				"configMap": text, "configMapKey": text,
				"configMapRef": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"name": text}},
			}},
		}},
	}}
	got := FieldChanges(version, map[string]any{
		"image": "shop:v1", "tier": "gold", "env": map[string]any{"A": "b"},
		"settings": map[string]any{"LOG_LEVEL": "info"}, "labels": map[string]any{"team": "red"},
	}, nil)
	want := []FieldChange{
		{"spec.env", map[string]any{"A": "b", probeVariable: "seen"}},
		{"spec.settings", map[string]any{"LOG_LEVEL": "info", probeVariable: "seen"}},
		{"spec.image", otherImage},
		{"spec.labels.team", "red-look"},
		{"spec.tier", "gold-look"},
		{"spec.configMap", ProbeConfigMap},
		{"spec.configMapRef.name", ProbeConfigMap},
		{"spec.size", int64(3)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	LikelyFirst(got)
	var order []string
	for _, change := range got {
		order = append(order, change.Path)
	}
	first := []string{"spec.env", "spec.image", "spec.size", "spec.settings", "spec.labels.team", "spec.tier", "spec.configMap", "spec.configMapRef.name"}
	if diff := cmp.Diff(first, order); diff != "" {
		t.Errorf("the likely ones first (-want +got):\n%s", diff)
	}
}

// TestLikelyFirst: the name of a field says more than what is around it.
func TestLikelyFirst(t *testing.T) {
	var changes []FieldChange
	for _, path := range []string{"spec.host", "spec.image.pullPolicy", "spec.ports[0].name", "spec.ports[0].containerPort", "spec.replicas"} {
		changes = append(changes, FieldChange{Path: path})
	}
	LikelyFirst(changes)
	var got []string
	for _, change := range changes {
		got = append(got, change.Path)
	}
	want := []string{"spec.ports[0].containerPort", "spec.replicas", "spec.image.pullPolicy", "spec.ports[0].name", "spec.host"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the order (-want +got):\n%s", diff)
	}
}

// TestFieldOfConfigMap: a ConfigMap is named in an object, or by the field itself.
func TestFieldOfConfigMap(t *testing.T) {
	for path, want := range map[string]v1alpha1.Field{
		"spec.configMapRef.name":    {Path: "spec.configMapRef"},
		"spec.settings.config.name": {Path: "spec.settings.config"},
		"spec.configMap":            {Path: "spec.configMap", As: v1alpha1.AsName},
		"spec.config.configMapName": {Path: "spec.config.configMapName", As: v1alpha1.AsName},
		"spec.name":                 {Path: "spec.name", As: v1alpha1.AsName},
	} {
		got := fieldOf(RoleConfigMapRef, Act{Path: path, To: ProbeConfigMap})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
		if at := NameIn(got); at != path {
			t.Errorf("%s: its name is at %s", path, at)
		}
	}
}

// TestTrialsOfContainers: the variables of a container are found in a list, in any Pod
// template that the object has.
func TestTrialsOfContainers(t *testing.T) {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	listOf := func(item apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &item}}
	}
	object := func(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	variable := object(map[string]apiextensionsv1.JSONSchemaProps{"name": text, "value": text, "valueFrom": object(nil)})
	variable.Required = []string{"name"}
	container := object(map[string]apiextensionsv1.JSONSchemaProps{"name": text, "env": listOf(variable)})
	podSpec := object(map[string]apiextensionsv1.JSONSchemaProps{"containers": listOf(container), "initContainers": listOf(container)})
	version := &apiextensionsv1.CustomResourceDefinitionVersion{Schema: &apiextensionsv1.CustomResourceValidation{
		OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"spec": object(map[string]apiextensionsv1.JSONSchemaProps{"template": object(map[string]apiextensionsv1.JSONSchemaProps{"spec": podSpec})}),
		}},
	}}
	const at = "spec.template.spec.containers[0]"
	probe := map[string]any{"name": probeVariable, "value": "seen"}
	mine := map[string]any{"name": "MINE", "value": "1"}
	for name, tc := range map[string]struct {
		containers []any
		want       []FieldChange
	}{
		"no container":   {nil, nil},
		"no variables":   {[]any{map[string]any{"name": "web"}}, []FieldChange{{at + ".env", []any{probe}}, {at + ".name", "web-look"}}},
		"some variables": {[]any{map[string]any{"name": "web", "env": []any{mine}}}, []FieldChange{{at + ".env", []any{mine, probe}}, {at + ".name", "web-look"}}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := map[string]any{"template": map[string]any{"spec": map[string]any{"containers": tc.containers}}}
			if diff := cmp.Diff(tc.want, FieldChanges(version, spec, nil)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWith(t *testing.T) {
	for name, tc := range map[string]struct {
		path string
		to   any
		want map[string]any
	}{
		"a field":            {"spec.size", int64(3), map[string]any{"spec": map[string]any{"size": int64(3)}}},
		"in a list":          {"spec.ports[0].port", int64(80), map[string]any{"spec": map[string]any{"size": int64(1), "ports": []any{map[string]any{"port": int64(80)}}}}},
		"a field is removed": {"spec.size", nil, map[string]any{"spec": map[string]any{}}},
		"a field is missing": {"spec.absent", nil, map[string]any{"spec": map[string]any{"size": int64(1)}}},
		"a key is a number":  {"spec.open.8080", "web", map[string]any{"spec": map[string]any{"size": int64(1), "open": map[string]any{"8080": "web"}}}},
		"below such a key":   {"spec.shards.0.disks[0].size", int64(5), map[string]any{"spec": map[string]any{"size": int64(1), "shards": map[string]any{"0": map[string]any{"disks": []any{map[string]any{"size": int64(5)}}}}}}},
		"the object is one":  {"0.size", int64(2), map[string]any{"spec": map[string]any{"size": int64(1)}, "0": map[string]any{"size": int64(2)}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, With(map[string]any{"spec": map[string]any{"size": int64(1)}}, tc.path, tc.to)); diff != "" {
				t.Errorf("With (-want +got):\n%s", diff)
			}
		})
	}
}

// A key that is a number is no index of a list: not in a map that is there either.
func TestWithANumberAsAKey(t *testing.T) {
	object := map[string]any{"spec": map[string]any{"open": map[string]any{"8080": "web", "9090": "metrics"}}}
	want := map[string]any{"spec": map[string]any{"open": map[string]any{"8080": "look", "9090": "metrics"}}}
	for _, leaf := range Leaves(object["spec"], "spec") {
		if leaf.Value == "web" {
			if diff := cmp.Diff(want, With(object, leaf.Path, "look")); diff != "" {
				t.Errorf("With %s (-want +got):\n%s", leaf.Path, diff)
			}
		}
	}
}

// What no path can name has no leaves: a change of it would change something else.
func TestLeavesThatNoPathNames(t *testing.T) {
	object := map[string]any{"": "empty", "a[0]": "brackets", "a.b": "dot", "a]": "half", "a-b_c": "fine", "0": "number"}
	var paths []string
	for _, leaf := range Leaves(object, "spec") {
		paths = append(paths, leaf.Path)
		if At(map[string]any{"spec": object}, leaf.Path) != leaf.Value {
			t.Errorf("at %s is %v", leaf.Path, At(map[string]any{"spec": object}, leaf.Path))
		}
	}
	if diff := cmp.Diff([]string{"spec.0", "spec.a-b_c"}, paths); diff != "" {
		t.Errorf("leaves (-want +got):\n%s", diff)
	}
	if got := len(Unnamable(object, "spec")); got != len(object)-len(paths) {
		t.Errorf("%d fields have no path, want %d", got, len(object)-len(paths))
	}
}

// A controller with a cache of its children may also read one from the API server: that
// does not contradict its claim.
func TestClaimOfAChildCache(t *testing.T) {
	watch := history.Request{Verb: history.VerbWatch, Group: "apps", Resource: "deployments", Code: 200}
	read := history.Request{Verb: history.VerbGet, Group: "apps", Resource: "deployments", Code: 200}
	for name, tc := range map[string]struct {
		requests []history.Request
		want     int
	}{
		"it watches":                 {[]history.Request{watch}, 0},
		"it watches, and reads once": {[]history.Request{watch, read}, 0},
		"it reads":                   {[]history.Request{read}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{}
			r.Account.Requests = tc.requests
			claimed := &profile.Profile{}
			claimed.Spec.Claims.Features = []v1alpha1.Feature{"child-cache"}
			c := &comparison{finder: &finder{Record: r, workload: r.MainWorkload()}, claimed: claimed}
			c.compareFeatures()
			if len(c.found) != tc.want {
				t.Errorf("contradicted: %v", c.found)
			}
		})
	}
}
