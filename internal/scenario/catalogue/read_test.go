package catalogue

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// good is a scenario with nothing wrong in it.
const good = `apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata:
  name: st-005
  labels:
    reconform.dev/id: ST-005
    reconform.dev/area: status
    reconform.dev/level: extended
    reconform.dev/feature: conditions.phase
    reconform.dev/pods: "true"
    reconform.dev/slow: "true"
  annotations:
    reconform.dev/catches: nonsense
    reconform.dev/hint: >-
      Look at
      the conditions.
    reconform.dev/provokes: Forbidden, Crashed
    reconform.dev/takes: 40s
    reconform.dev/judges: HotLoop
    reconform.dev/relies-on: ST-001
    reconform.dev/home-of: NeverMade after-failure, Written metadata.labels, NotWritten status after-failure
spec:
  description: Conditions are valid.
  steps: []
`

// other is what it relies on.
const other = `apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata:
  name: st-001
  labels: {reconform.dev/id: ST-001, reconform.dev/area: status, reconform.dev/level: core}
  annotations: {reconform.dev/catches: nonsense, reconform.dev/hint: none}
spec:
  description: It is so.
`

const otherPath = "status/other/chainsaw-test.yaml"

const goodPath = "status/valid-conditions/chainsaw-test.yaml"

func TestReadTakesEverythingFromTheFile(t *testing.T) {
	requirements, err := Read(fstest.MapFS{
		goodPath:              {Data: []byte(good)},
		otherPath:             {Data: []byte(other)},
		"templates/x.yaml":    {Data: []byte("kind: StepTemplate")},
		"status/x/notes.yaml": {Data: []byte("kind: ConfigMap")},
	}, "root")
	if err != nil {
		t.Fatal(err)
	}
	stepsFirst := strings.Replace(strings.Replace(good, "  steps: []\n", "", 1), "spec:\n", "spec:\n  steps: []\n", 1)
	again, err := read(fstest.MapFS{goodPath: {Data: []byte(stepsFirst)}, otherPath: {Data: []byte(other)}}, "root", head)
	if diff := cmp.Diff(requirements, again, cmpopts.IgnoreFields(Requirement{}, "Source", "Raw")); err != nil || diff != "" {
		t.Errorf("with the steps first: %v\n%s", err, diff)
	}
	want := []Requirement{{
		ID: "ST-005", Area: "status", Level: Extended,
		Features:  []v1alpha1.Feature{"conditions", "phase"},
		NeedsPods: true, Slow: true, Provokes: []string{"Forbidden", "Crashed"}, Judges: []string{"HotLoop"}, ReliesOn: []string{"ST-001"}, Takes: 40 * time.Second,
		HomeOf: []Home{{State: v1alpha1.NeverMade, AfterFailure: true}, {State: v1alpha1.Written, Path: "metadata.labels"}, {State: v1alpha1.NotWritten, Path: "status", AfterFailure: true}},
		Must:   "Conditions are valid.", Catches: "nonsense", Hint: "Look at the conditions.",
		Name: "st-005",
		Labels: map[string]string{
			LabelID: "ST-005", LabelArea: "status", LabelLevel: "extended", LabelFeature: "conditions.phase", LabelPods: "true", LabelSlow: "true",
		},
		Path: goodPath, Raw: []byte(good),
	}}
	if diff := cmp.Diff(want, requirements[1:], cmpopts.IgnoreFields(Requirement{}, "Source")); diff != "" {
		t.Error(diff)
	}
}

func TestReadSaysWhatIsWrongAndWhere(t *testing.T) {
	for _, tt := range []struct {
		name, old, new string
		want           string
	}{
		{"no ID", "    reconform.dev/id: ST-005\n", "", ":6: the label reconform.dev/id is missing"},
		{"no area", "    reconform.dev/area: status\n", "", ":6: the label reconform.dev/area is missing"},
		{"no level", "    reconform.dev/level: extended\n", "", ":6: the label reconform.dev/level is missing"},
		{"no catches", "    reconform.dev/catches: nonsense\n", "", ":13: the annotation reconform.dev/catches is missing"},
		{"empty hint", "Look at\n      the conditions.", "", ":13: the annotation reconform.dev/hint is missing"},
		{"no description", "  description: Conditions are valid.\n", "", ":23: the spec.description (the MUST) is missing"},
		{"unknown area", "area: status", "area: statsu", ":7: there is no area statsu: give one of reconcile, "},
		{"bad ID", "id: ST-005", "id: ST-5", `:6: ST-5 is not an ID`},
		{"ID of another area", "id: ST-005", "id: SS-005", ":6: SS-005: IDs of the area status begin with ST"},
		{"other name", "name: st-005", "name: ST-005", `:4: metadata.name is "ST-005", and must be st-005`},
		{"unknown feature", "conditions.phase", "conditions.phasse", `:9: there is no feature "phasse": give one or more of service, `},
		{"unknown level", "level: extended", "level: basic", `:8: there is no level "basic": give core, extended or advice`},
		{"core with a feature", "level: extended", "level: core", ":8: a requirement of level core applies to all: remove what it depends on (conditions, phase)"},
		{"extended without one", "    reconform.dev/feature: conditions.phase\n", "", ":8: an extended requirement needs a label"},
		{"unknown policy", "reconform.dev/feature: conditions.phase", "reconform.dev/unowned: maybe", `:9: the label reconform.dev/unowned is "maybe", and may be refuse or adopt`},
		{"bad pods", `pods: "true"`, `pods: "yes"`, `:10: the label reconform.dev/pods is "yes", and may be true`},
		{"misspelt label", "reconform.dev/pods", "reconform.dev/pod", `:10: there is no label reconform.dev/pod (did you mean "reconform.dev/pods"?)`},
		{"misspelt annotation", "    reconform.dev/catches: nonsense\n", "    reconform.dev/catches: nonsense\n    reconform.dev/hnit: x\n", `:14: there is no annotation reconform.dev/hnit (did you mean "reconform.dev/hint"?)`},
		{"unknown invariant", "Forbidden, Crashed", "Forbiden", `:17: there is no invariant "Forbiden": give one or more of NotLeader, `},
		{"no field that can be changed", "takes: 40s", "where-mapped: image, ports", `:18: the annotation reconform.dev/where-mapped names "ports", and may name one or more of image, replicas, port`},
		{"no duration", "takes: 40s", "takes: 40", `:18: the annotation reconform.dev/takes is "40", and must be a duration such as 40s`},
		{"unknown invariant to judge", "judges: HotLoop", "judges: HotLop", `:19: there is no invariant "HotLop"`},
		{"relies on nothing", "relies-on: ST-001", "relies-on: ST-002", ":20: ST-005 relies on ST-002, which does not exist"},
		{"home of nothing", "home-of: NeverMade after", "home-of: NeverMad after", `:21: there is no symptom "NeverMad": give one or more of NeverMade, `},
		{"relies on itself", "relies-on: ST-001", "relies-on: ST-001, ST-005", ":20: ST-005 relies on itself"},
		{"another kind", "kind: Test", "kind: Tset", ":1: not a Test of chainsaw.kyverno.io/v1alpha1"},
		{"not YAML", "metadata:", "metadata: [", "yaml: line "},
		{"a label given twice", "    reconform.dev/level: extended\n", "    reconform.dev/level: extended\n    reconform.dev/level: core\n", `line 9: mapping key "reconform.dev/level" already defined at line 8`},
		{"metadata given twice", "kind: Test\n", "kind: Test\nmetadata: {name: st-005}\n", `line 4: mapping key "metadata" already defined at line 3`},
		{"empty", good, "# nothing yet\n", "the file is empty, and must hold one Test"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(good, tt.old, tt.new, 1)
			if text == good {
				t.Fatalf("there is no %q to replace", tt.old)
			}
			_, err := Read(fstest.MapFS{goodPath: {Data: []byte(text)}, otherPath: {Data: []byte(other)}}, "root")
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "root/"+goodPath) {
				t.Errorf("got %v, want something with %q", err, tt.want)
			}
		})
	}
}

func TestReadFindsWhatOnlyShowsTogether(t *testing.T) {
	// What relies on a scenario that cannot be read is not wrong.
	_, unread := Read(fstest.MapFS{goodPath: {Data: []byte(good)}, otherPath: {Data: []byte("kind: [")}}, "root")
	if unread == nil || !strings.Contains(unread.Error(), otherPath) || strings.Contains(unread.Error(), goodPath) {
		t.Errorf("got %v, want a word about %s alone", unread, otherPath)
	}
	_, err := Read(fstest.MapFS{
		"status/one/chainsaw-test.yaml": {Data: []byte(good)},
		"status/two/chainsaw-test.yaml": {Data: []byte(good)},
		otherPath:                       {Data: []byte(other)},
	}, "root")
	if want := "root/status/two/chainsaw-test.yaml:6: ST-005 is the ID of root/status/one/chainsaw-test.yaml already"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	circle := strings.Replace(other, "hint: none", "hint: none, reconform.dev/relies-on: ST-005", 1)
	_, err = Read(fstest.MapFS{goodPath: {Data: []byte(good)}, otherPath: {Data: []byte(circle)}}, "root")
	if want := "root/" + otherPath + ":6: ST-001 relies on itself"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v for a circle, want %s", err, want)
	}
	_, err = Read(fstest.MapFS{"events/one/chainsaw-test.yaml": {Data: []byte(good)}}, "root")
	if err == nil || !strings.Contains(err.Error(), "lies in the folder events") {
		t.Errorf("got %v for a scenario in the wrong folder", err)
	}
	if _, err := Read(fstest.MapFS{}, "empty"); err == nil || !strings.Contains(err.Error(), "there is no chainsaw-test.yaml") {
		t.Errorf("got %v for an empty folder", err)
	}
	if _, err := Read(os.DirFS("does-not-exist"), "does-not-exist"); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}
