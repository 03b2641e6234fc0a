package snapshot

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

func statusOf(t *testing.T, objects ...object) v1alpha1.SnapshotStatus {
	t.Helper()
	status := v1alpha1.SnapshotStatus{}
	if err := digest(objects, &status); err != nil {
		t.Fatal(err)
	}
	return status
}

// TestDifferences: each field that differs is named, with both values. The digests differ
// exactly if something does.
func TestDifferences(t *testing.T) {
	deployment := func(text string) v1alpha1.SnapshotStatus {
		return statusOf(t, objectOf(t, "deployments.apps", text))
	}
	for name, tc := range map[string]struct {
		was, is v1alpha1.SnapshotStatus
		want    []string
	}{
		"none": {deployment("{metadata: {name: demo}}"), deployment("{metadata: {name: demo}}"), nil},
		"a number": {
			deployment("{metadata: {name: demo}, spec: {replicas: 3}}"), deployment("{metadata: {name: demo}, spec: {replicas: 2}}"),
			[]string{"deployments.apps demo: spec.replicas: 2, was 3"},
		},
		"an object": {
			deployment("{metadata: {name: demo}}"), deployment("{metadata: {name: other}}"),
			[]string{"deployments.apps demo: is missing", "deployments.apps other: was not there"},
		},
		"a key": {
			deployment("{metadata: {name: demo, labels: {a: b}}}"), deployment("{metadata: {name: demo}, spec: {x: [1]}}"),
			[]string{`deployments.apps demo: metadata.labels: is missing, was {"a":"b"}`, `deployments.apps demo: spec: {"x":[1]}, was not there`},
		},
		"an entry by its name": {
			deployment("{metadata: {name: demo}, spec: {containers: [{name: app, image: 'a:1'}]}}"),
			deployment("{metadata: {name: demo}, spec: {containers: [{name: aaa}, {name: app, image: 'a:2'}]}}"),
			[]string{
				`deployments.apps demo: spec.containers[aaa]: {"name":"aaa"}, was not there`,
				`deployments.apps demo: spec.containers[app].image: "a:2", was "a:1"`,
			},
		},
		"an entry by its place": {
			deployment("{metadata: {name: demo}, args: [a, b]}"), deployment("{metadata: {name: demo}, args: [a, c]}"),
			[]string{`deployments.apps demo: args[1]: "c", was "b"`},
		},
		"the order": {
			deployment("{metadata: {name: demo}, init: [{name: a}, {name: b}]}"), deployment("{metadata: {name: demo}, init: [{name: b}, {name: a}]}"),
			[]string{`deployments.apps demo: init: in the order [b a], was [a b]`},
		},
		"another type": {
			deployment("{metadata: {name: demo}, a: {b: c}}"), deployment("{metadata: {name: demo}, a: [1]}"),
			[]string{`deployments.apps demo: a: [1], was {"b":"c"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := differences(tc.was, tc.is, history.Identities{}, allowance{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
			if same := tc.was.Digest == tc.is.Digest; same != (len(tc.want) == 0) {
				t.Errorf("the digests are the same: %t", same)
			}
		})
	}
}

// TestManyDifferences: of many differences the first fifty are listed, and in short the first
// few. The rest is counted.
func TestManyDifferences(t *testing.T) {
	var objects []object
	for i := range 60 {
		objects = append(objects, objectOf(t, "services", fmt.Sprintf("{metadata: {name: demo-%02d}}", i)))
	}
	got, err := differences(statusOf(t, objects...), statusOf(t), history.Identities{}, allowance{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 51 || got[49] != "services demo-49: is missing" || got[50] != "and 10 more" {
		t.Errorf("%d: %v", len(got), got)
	}
	for n, want := range map[int]string{
		1: "services demo-00: is missing", 4: "services demo-00: is missing; services demo-01: is missing; services demo-02: is missing; services demo-03: is missing",
		5: "services demo-00: is missing; services demo-01: is missing; services demo-02: is missing; and 2 more",
	} {
		if text := inShort(got[:n]); text != want {
			t.Errorf("in short: %q, want %q", text, want)
		}
	}
}

// TestTooLarge: the error says how large the objects are, and how much a Snapshot holds.
func TestTooLarge(t *testing.T) {
	big := objectOf(t, "services", "{metadata: {name: demo}}")
	big.content["data"] = string(make([]byte, maxContent))
	err := digest([]object{big}, &v1alpha1.SnapshotStatus{})
	if err == nil || err.Error() != "1 objects are 6144 KiB, and a Snapshot holds 1024: name fewer" {
		t.Error(err)
	}
}

// TestPauseAfter: the longer it has waited, the longer is the next pause, up to a second.
func TestPauseAfter(t *testing.T) {
	for waited, want := range map[time.Duration]time.Duration{
		0: 150 * time.Millisecond, 10 * time.Second: 500 * time.Millisecond, time.Hour: time.Second,
	} {
		if got := pauseAfter(waited); got != want {
			t.Errorf("after %s: %s, want %s", waited, got, want)
		}
	}
}
