package infer

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestBaseOfTheSample: what the user wrote stays, even if it is empty. Mapped fields
// are removed, and so are the objects that are empty after that.
func TestBaseOfTheSample(t *testing.T) {
	for name, tc := range map[string]struct{ sample, image, want string }{
		"empty values": {
			"{image: a, selfSigned: {}, list: [], text: '', none: null, time: 0s, no: false, deep: {emptyDir: {}}}", "spec.image",
			"{selfSigned: {}, list: [], text: '', none: null, time: 0s, no: false, deep: {emptyDir: {}}}",
		},
		"emptied maps":             {"{pod: {container: {image: a}}, size: 1}", "spec.pod.container.image", "{size: 1}"},
		"an emptied list":          {"{containers: [{image: a}], size: 1}", "spec.containers[0].image", "{size: 1}"},
		"places in a list":         {"{containers: [{image: a}, {image: sidecar}]}", "spec.containers[0].image", "{containers: [{}, {image: sidecar}]}"},
		"a path that is not there": {"{pod: null, list: [null]}", "spec.pod.image", "{pod: null, list: [null]}"},
		"templates of others":      {"{image: a, host: '{{ .name }}.{{.Zone}}'}", "spec.image", `{host: '{{"{{"}} .name }}.{{"{{"}}.Zone}}'}`},
		"whole numbers":            {"{image: a, id: 9007199254740993}", "spec.image", "{id: 9007199254740993}"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := frame(t, 1, "kind: Shop\nspec: "+tc.sample).Object.Object["spec"]
			f := &finder{Record: &Record{Kind: "Shop", Acts: []Act{{Deed: Create, Object: "shop", To: spec}}}, Findings: Findings{Notes: map[string]Note{}}}
			f.Spec.Contract.Spec.Image = &v1alpha1.Field{Path: tc.image}
			f.findBase()
			want, err := yaml.YAMLToJSON([]byte(tc.want))
			if err != nil {
				t.Fatal(err)
			}
			if f.Spec.Contract.Base == nil {
				t.Fatal("it has no base")
			}
			if diff := cmp.Diff(indented(t, want), indented(t, f.Spec.Contract.Base.Raw)); diff != "" {
				t.Errorf("base (-want +got):\n%s", diff)
			}
		})
	}
}

func indented(t *testing.T, data []byte) string {
	t.Helper()
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(fields, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
