package proxy

import (
	"testing"

	"reconform.dev/reconform/internal/record/history"
)

func TestCompare(t *testing.T) {
	const before = `{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"1","generation":1,"annotations":{"deployment.kubernetes.io/revision":"1"},
		"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{"f:spec":{}}},{"manager":"k","subresource":"status","time":"1"}]},
		"spec":{"replicas":1},"status":{"ready":0}}`
	main := part{hasStatus: true}
	status := part{subresource: "status", hasStatus: true}
	tests := map[string]struct {
		after string
		part  part
		want  history.Effect
	}{
		"same version": {
			before, main, history.EffectNoop,
		},
		"spec changed": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":2,"annotations":{"deployment.kubernetes.io/revision":"1"},
			"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{"f:spec":{}}},{"manager":"k","subresource":"status","time":"1"}]},
			"spec":{"replicas":2},"status":{"ready":0}}`, main, history.EffectEffective,
		},
		"another wrote status and revision": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":1,"annotations":{"deployment.kubernetes.io/revision":"2"},
			"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{"f:spec":{}}},{"manager":"k","subresource":"status","time":"2"}]},
			"spec":{"replicas":1},"status":{"ready":1}}`, main, history.EffectNoop,
		},
		"another wrote the first revision and status": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":1,
			"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{"f:spec":{}}},{"manager":"k","subresource":"status","time":"2"}]},
			"spec":{"replicas":1},"status":{"ready":1}}`, main, history.EffectNoop,
		},
		"owned fields changed, values not": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":1,"annotations":{"deployment.kubernetes.io/revision":"1"},
			"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{}},{"manager":"k","subresource":"status","time":"1"}]},
			"spec":{"replicas":1},"status":{"ready":0}}`, main, history.EffectEffective,
		},
		"a label changed": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":1,"labels":{"a":"b"},"annotations":{"deployment.kubernetes.io/revision":"1"},
			"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{"f:spec":{}}},{"manager":"k","subresource":"status","time":"1"}]},
			"spec":{"replicas":1},"status":{"ready":0}}`, main, history.EffectEffective,
		},
		"status written": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","managedFields":[{"manager":"k","subresource":"status","time":"1"}]},
			"status":{"ready":1}}`, status, history.EffectEffective,
		},
		"status written by nobody": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":9,"managedFields":[{"manager":"x","time":"3"},{"manager":"k","subresource":"status","time":"1"}]},
			"spec":{"replicas":9},"status":{"ready":0}}`, status, history.EffectNoop,
		},
		"status in the object itself": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":1,"annotations":{"deployment.kubernetes.io/revision":"1"},
			"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{"f:spec":{}}},{"manager":"k","subresource":"status","time":"1"}]},
			"spec":{"replicas":1},"status":{"ready":1}}`, part{}, history.EffectEffective,
		},
		"replaced by another": {
			`{"kind":"Deployment","metadata":{"uid":"v","resourceVersion":"1"},"spec":{"replicas":1}}`, main, history.EffectEffective,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := compare(decoded(t, []byte(before)), decoded(t, []byte(test.after)), test.part); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestObject(t *testing.T) {
	o := decoded(t, []byte(`{"kind":"X","metadata":{"name":"n","uid":"u","resourceVersion":"12345678901234567890","generation":9007199254740993,
		"ownerReferences":[{"kind":"W","name":"w","uid":"o","controller":true},"odd"]},"spec":{"holderIdentity":"h"}}`))
	if o.generation() != 9007199254740993 || o.resourceVersion() != "12345678901234567890" || o.holder() != "h" {
		t.Errorf("%d %s %s", o.generation(), o.resourceVersion(), o.holder())
	}
	if owners := o.owners(); len(owners) != 1 || owners[0] != (history.Owner{Kind: "W", Name: "w", UID: "o", Controller: true}) {
		t.Errorf("%+v", owners)
	}
	// No input makes it fail.
	for _, odd := range []string{`{}`, `{"metadata":1}`, `{"metadata":{"managedFields":{},"annotations":[],"ownerReferences":3}}`} {
		o := decoded(t, []byte(odd))
		_ = []any{o.name(), o.generation(), o.owners(), o.isAnswer(), deletedAny(o)}
		_ = compare(o, decoded(t, []byte(`{"metadata":{"resourceVersion":"1"}}`)), part{})
	}
}
