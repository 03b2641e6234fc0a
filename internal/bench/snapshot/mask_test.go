package snapshot

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func theRules(t testing.TB, dropped ...string) *rules {
	t.Helper()
	r, err := loadRules(rulesFile, dropped...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// objectOf reads an object from YAML.
func objectOf(t testing.TB, resource, text string) object {
	t.Helper()
	o := object{resource: resource}
	if err := yaml.Unmarshal([]byte(text), &o.content); err != nil {
		t.Fatal(err)
	}
	o.name, _ = o.content["metadata"].(map[string]any)["name"].(string)
	return o
}

const (
	uid      = "0b4f1c3e-93a1-4a0e-8d0a-1f2e3d4c5b6a"
	otherUID = "11111111-2222-3333-4444-555555555555"
)

func TestMask(t *testing.T) {
	for name, tc := range map[string]struct {
		resource, is, want string
		dropped            []string
	}{
		"what the API server keeps": {
			resource: "webapps.apps.kubedojo.io",
			is: `{metadata: {name: demo, namespace: a, uid: x, resourceVersion: "7", generation: 3, creationTimestamp: "2026-01-02T03:04:05Z",
				managedFields: [{}], labels: {app: demo}, annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}"}},
				spec: {replicas: 2}, status: {observedGeneration: 3, readyReplicas: 2}}`,
			want: `{metadata: {name: demo, labels: {app: demo}}, spec: {replicas: 2}, status: {readyReplicas: 2}}`,
		},
		"conditions": {
			resource: "webapps.apps.kubedojo.io",
			is: `{metadata: {name: demo}, status: {conditions: [
				{type: Progressing, status: "False", reason: A, message: b, lastTransitionTime: "2026-01-02T03:04:05Z", observedGeneration: 2},
				{type: Available, status: "True", reason: A}]}}`,
			want: `{metadata: {name: demo}, status: {conditions: [{type: Available, status: "True"}]}}`,
		},
		"where this implementation has them": {
			resource: "sites.example.com", dropped: []string{"status.seen.generation", "status.checks[*].reason"},
			is:   `{metadata: {name: demo}, status: {seen: {generation: 2, by: me}, checks: [{type: A, reason: b}]}}`,
			want: `{metadata: {name: demo}, status: {seen: {by: me}, checks: [{type: A}]}}`,
		},
		"being deleted is not a detail, when it began is": {
			resource: "deployments.apps",
			is:       `{metadata: {name: demo, deletionTimestamp: "2026-01-02T03:04:05.123456Z", finalizers: [b, a]}}`,
			want:     `{metadata: {name: demo, deletionTimestamp: <time>, finalizers: [a, b]}}`,
		},
		"an owner that is here, and one that is not": {
			resource: "deployments.apps",
			is: `{metadata: {name: demo, uid: ` + uid + `, ownerReferences: [{kind: WebApp, name: z, uid: ` + otherUID + `}, {kind: WebApp, name: a, uid: ` + uid + `}],
				labels: {of: id-` + uid + `, by: x` + uid + `}}}`,
			want: `{metadata: {name: demo, ownerReferences: [{kind: WebApp, name: a, uid: <uid of deployments.apps demo>}, {kind: WebApp, name: z, uid: <uid of nothing here>}],
				labels: {of: id-<uid of deployments.apps demo>, by: x<uid of deployments.apps demo>}}}`,
		},
		"a UID that is cut short, and one of another": {
			resource: "deployments.apps",
			is:       `{metadata: {name: demo, uid: ` + uid + `}, spec: {a: "web-0b4f1c3e", b: 0b4f1c3e93a14a0e8d0a1f2e3d4c5b6a, c: 0b4f1c3e9, d: web-11111111, e: web-` + otherUID + `}}`,
			want:     `{metadata: {name: demo}, spec: {a: "web-<uid of deployments.apps demo>", b: <uid of deployments.apps demo>, c: 0b4f1c3e9, d: web-11111111, e: web-` + otherUID + `}}`,
		},
		"a claim, bound": {
			resource: "persistentvolumeclaims",
			is: `{metadata: {name: data, uid: ` + uid + `, finalizers: [kubernetes.io/pvc-protection], annotations: {mine: x,
				pv.kubernetes.io/bind-completed: "yes", pv.kubernetes.io/bound-by-controller: "yes", volume.kubernetes.io/selected-node: node-0,
				volume.beta.kubernetes.io/storage-provisioner: p, volume.kubernetes.io/storage-provisioner: p}},
				spec: {storageClassName: standard, resources: {requests: {storage: 1Gi}}, volumeName: pvc-` + uid + `},
				status: {phase: Bound, accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}}}`,
			want: `{metadata: {name: data, finalizers: [kubernetes.io/pvc-protection], annotations: {mine: <a value>}},
				spec: {storageClassName: standard, resources: {requests: {storage: 1Gi}}}}`,
		},
		"labels whose values are hashes, and others": {
			resource: "deployments.apps",
			is: `{metadata: {name: demo, labels: {app: demo, of: 3f2a9c01, at: "2216829733", by: 6d4cf56db6, who: backend}},
				spec: {selector: {matchLabels: {app: demo, of: 3f2a9c01}}, template: {metadata: {labels: {app: demo, of: 3f2a9c01}}}}}`,
			want: `{metadata: {name: demo, labels: {app: demo, of: <a value>, at: <a value>, by: <a value>, who: backend}},
				spec: {selector: {matchLabels: {app: demo, of: <a value>}}, template: {metadata: {labels: {app: demo, of: <a value>}}}}}`,
		},
		"a Deployment": {
			resource: "deployments.apps",
			is: `{metadata: {name: demo, annotations: {deployment.kubernetes.io/revision: "3", mine: a}},
				spec: {selector: {matchLabels: {app: demo}}, template: {metadata: {creationTimestamp: null}, spec: {containers: [
					{name: z, ports: [{containerPort: 9}, {containerPort: 1}], env: [{name: B, value: "1"}, {name: A, value: "2"}]}, {name: a, args: [z, a]}],
					volumes: [{name: x, emptyDir: {}}]}}},
				status: {replicas: 2, terminatingReplicas: 0, observedGeneration: 9}}`,
			want: `{metadata: {name: demo, annotations: {mine: <a value>}},
				spec: {selector: {matchLabels: {app: demo}}, template: {spec: {containers: [{name: a, args: [z, a]},
					{name: z, ports: [{containerPort: 1}, {containerPort: 9}], env: [{name: A, value: "2"}, {name: B, value: "1"}]}],
					volumes: [{name: x, emptyDir: {}}]}}},
				status: {replicas: 2}}`,
		},
		"notes, of which all that counts is that they are there": {
			resource: "deployments.apps",
			is: `{metadata: {name: demo, labels: {mine: a}, annotations: {applied: "34f94fb950ed06b0", at: "7"}},
				spec: {template: {metadata: {labels: {mine: a}, annotations: {config: b}}}}}`,
			want: `{metadata: {name: demo, labels: {mine: a}, annotations: {applied: <a value>, at: <a value>}},
				spec: {template: {metadata: {labels: {mine: a}, annotations: {config: <a value>}}}}}`,
		},
		"notes of a CronJob": {
			resource: "cronjobs.batch",
			is:       `{metadata: {name: demo}, spec: {jobTemplate: {metadata: {annotations: {a: b}}, spec: {template: {metadata: {annotations: {c: d}}}}}}}`,
			want:     `{metadata: {name: demo}, spec: {jobTemplate: {metadata: {annotations: {a: <a value>}}, spec: {template: {metadata: {annotations: {c: <a value>}}}}}}}`,
		},
		"a Service": {
			resource: "services",
			is: `{metadata: {name: demo}, spec: {type: NodePort, clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], ports: [{port: 80, nodePort: 30001}, {port: 70, nodePort: 3}]},
				status: {url: "http://10.0.0.1:80/", far: 10.0.0.10, also: 10.0.0.1}}`,
			want: `{metadata: {name: demo}, spec: {type: NodePort, ports: [{port: 70}, {port: 80}]},
				status: {url: "http://<clusterIP of services demo>:80/", far: 10.0.0.10, also: <clusterIP of services demo>}}`,
		},
		"a Pod": {
			resource: "pods",
			is: `{metadata: {name: demo}, spec: {nodeName: node-1, volumes: [{name: kube-api-access-pjtwf}, {name: kube-api-access-of-mine}],
				containers: [{name: a, volumeMounts: [{name: kube-api-access-pjtwf}]}]},
				status: {phase: Running, hostIP: 10.1.0.1, hostIPs: [{ip: 10.1.0.1}], podIP: 10.0.0.7, podIPs: [{ip: 10.0.0.7}], message: at 10.0.0.7}}`,
			want: `{metadata: {name: demo}, spec: {volumes: [{name: "kube-api-access-?????"}, {name: kube-api-access-of-mine}],
				containers: [{name: a, volumeMounts: [{name: "kube-api-access-?????"}]}]},
				status: {phase: Running, message: at <podIP of pods demo>}}`,
		},
		"a headless Service": {
			resource: "services",
			is:       `{metadata: {name: demo}, spec: {clusterIP: None, clusterIPs: [None]}}`,
			want:     `{metadata: {name: demo}, spec: {clusterIP: None}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := objectOf(t, tc.resource, tc.is)
			theRules(t, tc.dropped...).mask([]object{o})
			if diff := cmp.Diff(objectOf(t, tc.resource, tc.want).content, o.content); diff != "" {
				t.Errorf("masked (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMaskingIsStable checks masking with many random sets of objects. To mask again
// changes nothing. The order of the objects makes no difference, nor that of lists
// whose order has no meaning, nor whether all objects were created again.
func TestMaskingIsStable(t *testing.T) {
	r := theRules(t)
	for seed := range uint64(300) {
		masked := func(edit func([]object)) string {
			objects := world(rand.New(rand.NewPCG(seed, 1)))
			edit(objects)
			r.mask(objects)
			return worldText(t, objects)
		}
		want := masked(func([]object) {})
		shuffled := rand.New(rand.NewPCG(seed, 2))
		for name, edit := range map[string]func([]object){
			"masked twice": r.mask,
			"shuffled objects": func(objects []object) {
				shuffled.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
			},
			"shuffled lists": func(objects []object) {
				for _, o := range objects {
					shuffle(shuffled, o.content["status"], "conditions")
					shuffle(shuffled, o.content["metadata"], "ownerReferences")
				}
			},
			"another life": func(objects []object) {
				for i := range objects {
					objects[i].content = another(objects[i].content).(map[string]any)
				}
			},
		} {
			if got := masked(edit); got != want {
				t.Fatalf("seed %d, %s:\n%s", seed, name, cmp.Diff(want, got))
			}
		}
		// What is not masked does make a difference.
		if got := masked(func(objects []object) { objects[0].content["spec"].(map[string]any)["replicas"] = float64(99) }); got == want {
			t.Fatalf("seed %d: a change of the spec is lost", seed)
		}
	}
}

// world makes objects that own one another, with all that is masked.
func world(random *rand.Rand) []object {
	var objects []object
	var uids []string
	resources := []string{"webapps.apps.kubedojo.io", "deployments.apps", "services"}
	for i := range 2 + random.IntN(6) {
		own := fmt.Sprintf("%08x-0000-4000-8000-%012x", random.Uint32(), i)
		ip := fmt.Sprintf("10.%d.%d.%d", random.IntN(256), random.IntN(256), i)
		var owners []any
		for _, owner := range uids {
			owners = append(owners, map[string]any{"kind": "K", "name": "same", "uid": owner})
		}
		uids = append(uids, own)
		conditions := []any{}
		for _, kind := range []string{"A", "B", "C"}[:random.IntN(4)] {
			conditions = append(conditions, map[string]any{"type": kind, "status": fmt.Sprint(random.IntN(2)), "lastTransitionTime": "2026-01-02T03:04:05Z"})
		}
		objects = append(objects, object{
			resource: resources[random.IntN(3)], name: fmt.Sprintf("demo-%d", i),
			content: map[string]any{
				"metadata": map[string]any{"name": fmt.Sprintf("demo-%d", i), "uid": own, "resourceVersion": fmt.Sprint(random.IntN(1000)), "ownerReferences": owners},
				"spec":     map[string]any{"replicas": float64(random.IntN(9)), "clusterIP": ip},
				"status":   map[string]any{"conditions": conditions, "url": "http://" + ip + "/", "since": "2026-01-02T03:04:05Z"},
			},
		})
	}
	return objects
}

// another is the same value in another life: with other UIDs, addresses, times
// and versions. (Addresses only of Services are volatile, and here all of 10.)
func another(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			if v[key] = another(v[key]); key == "resourceVersion" {
				v[key] = "4711"
			}
		}
	case []any:
		for i := range v {
			v[i] = another(v[i])
		}
	case string:
		v = strings.ReplaceAll(v, "-0000-4000-8000-", "-1111-4000-8000-")
		return strings.ReplaceAll(v, "2026-01-02T03", "2027-09-09T23")
	}
	return value
}

func shuffle(random *rand.Rand, parent any, key string) {
	if list, ok := parent.(map[string]any)[key].([]any); ok {
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
}

func worldText(t *testing.T, objects []object) string {
	t.Helper()
	contents := map[string]any{}
	for _, o := range objects {
		contents[o.String()] = o.content
	}
	encoded, err := json.MarshalIndent(contents, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func FuzzPath(f *testing.F) {
	for _, seed := range []string{"a.b[*].c['d.e']", "[*]", "a..b", "['x']", "a[*]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, written string) {
		var p path
		if p.UnmarshalText([]byte(written)) != nil {
			return
		}
		p.each(map[string]any{"a": []any{map[string]any{"b": 1.0}, 2.0}}, func(parent map[string]any, key string) { delete(parent, key) })
	})
}

func TestRulesThatAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"unknown field":   "rules: [{dorp: [a]}]",
		"no path":         "rules: [{drop: ['a b']}]",
		"ends in a list":  "rules: [{drop: ['a[*]']}]",
		"no expression":   "values: [{matching: '(', as: x}]",
		"empty path":      "rules: [{sort: [{path: ''}]}]",
		"unclosed quotes": `rules: [{drop: ["a['b"]}]`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := loadRules([]byte(text)); err == nil {
				t.Error("no error")
			}
		})
	}
	if _, err := loadRules(nil, "a[*]"); err == nil {
		t.Error("no error")
	}
}

// TestWhatStandsInIsCompared: the value of an annotation is compared only if the
// scenarios change that annotation in place of the number of replicas.
func TestWhatStandsInIsCompared(t *testing.T) {
	const template = `{metadata: {name: demo}, spec: {template: {metadata: {annotations: {number: %q, hash: %q}}}}}`
	mask := func(resource, number, hash string) string {
		r := theRules(t)
		if err := r.keep("deployments.apps", "spec.template.metadata.annotations.number"); err != nil {
			t.Fatal(err)
		}
		o := objectOf(t, resource, fmt.Sprintf(template, number, hash))
		r.mask([]object{o})
		return text(o.content)
	}
	const deployments, others = "deployments.apps", "statefulsets.apps"
	if mask(deployments, "n2", "a") == mask(deployments, "n3", "a") {
		t.Error("another number is the same")
	}
	if mask(deployments, "n2", "a") != mask(deployments, "n2", "b") {
		t.Error("another hash is a difference")
	}
	if mask(others, "n2", "a") != mask(others, "n3", "a") {
		t.Error("an annotation of another kind is a difference")
	}
	if err := theRules(t).keep(deployments, "spec.template[*]"); err == nil {
		t.Error("a path that ends in a list is taken")
	}
}

// TestAliasesInARow: a value is replaced each time, also if only one character is between two.
func TestAliasesInARow(t *testing.T) {
	r := theRules(t)
	for name, tc := range map[string]struct{ text, want string }{
		"one":             {"in s-1", "in <namespace>"},
		"two":             {"s-1/s-1", "<namespace>/<namespace>"},
		"three":           {"s-1.s-1.s-1", "<namespace>.<namespace>.<namespace>"},
		"four, and apart": {"s-1,s-1,s-1,s-1 s-1", "<namespace>,<namespace>,<namespace>,<namespace> <namespace>"},
		"a longer word":   {"s-1-s-1 s-10", "s-1-s-1 s-10"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := r.maskValues(tc.text, namespaces("s-1", "")); got != tc.want {
				t.Errorf("got %v, want %s", got, tc.want)
			}
		})
	}
	addresses := "10.0.0.7,10.0.0.7"
	if got, want := r.maskValues(addresses, aliasesOf("10.0.0.7", "<address>")), "<address>,<address>"; got != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
