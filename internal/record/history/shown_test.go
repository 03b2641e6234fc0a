package history_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/record/history"
)

func TestIdentities(t *testing.T) {
	r := history.New(nil, nil)
	r.Show("ns",
		history.Shown{Resource: "deployments.apps", Name: "demo", UID: "u", ResourceVersion: "7"},
		history.Shown{Resource: "deployments.apps", Name: "demo", UID: "u", ResourceVersion: "9"},
		history.Shown{Resource: "deployments.apps", ResourceVersion: "11"},
		history.Shown{Resource: "services", ResourceVersion: "9"}, // of a list, and of the object that changed last
		history.Shown{Resource: "services", ResourceVersion: "13"},
		history.Shown{Resource: "deployments.apps", Name: "other", ResourceVersion: "13"},
		history.Shown{Resource: "deployments.apps", ResourceVersion: "0"},
		history.Shown{Resource: "pods", Name: "demo-abc-b2b2b", Called: "demo-<hash>-?????"},
	)
	r.Begin(history.Request{Scenario: "ns", Verb: history.VerbCreate, Resource: "configmaps", GenerateName: "conf-"}).Finish(func(q *history.Request) { q.Name = "conf-x7k2p" })
	r.Begin(history.Request{Scenario: "ns", Verb: history.VerbCreate, Resource: "configmaps", GenerateName: "lost-"})
	r.Show("other", history.Shown{Resource: "services", Name: "theirs", UID: "v", ResourceVersion: "8"})
	want := history.Identities{
		UIDs:             map[string]string{"u": "deployments.apps demo"},
		ResourceVersions: map[string]string{"7": "deployments.apps demo", "9": "deployments.apps demo", "11": "deployments.apps", "13": "deployments.apps other"},
		Names:            map[string]history.MadeUp{"conf-x7k2p": {Resource: "configmaps", Called: "conf-?????"}, "demo-abc-b2b2b": {Resource: "pods", Called: "demo-<hash>-?????"}},
	}
	got := r.Identities("ns")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("identities (-want +got):\n%s", diff)
	}
	r.Show("ns", history.Shown{Resource: "services", Name: "late", ResourceVersion: "12"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("they have changed since they were asked for (-want +got):\n%s", diff)
	}
	if got := r.Identities("nowhere"); len(got.UIDs)+len(got.ResourceVersions) != 0 {
		t.Errorf("of a scenario that there is not: %v", got)
	}
}

func TestGeneration(t *testing.T) {
	r := history.New(nil, nil)
	r.Show("ns", history.Shown{UID: "u", Generation: 2}, history.Shown{UID: "u", Generation: 3}, history.Shown{UID: "u", Generation: 1}, history.Shown{UID: "v"})
	r.Show("other", history.Shown{UID: "u", Generation: 9})
	for uid, want := range map[types.UID]int64{"u": 3, "v": 0, "w": 0} {
		if got := r.Generation("ns", uid); got != want {
			t.Errorf("generation of %s: %d, want %d", uid, got, want)
		}
	}
	if got := r.Generation("nowhere", "u"); got != 0 {
		t.Errorf("of a scenario that there is not: %d", got)
	}
}

// TestSightings: a version that is shown again is no news.
func TestSightings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, began := history.New(nil, nil), time.Now()
		show := func(resource string, uid types.UID, version string) {
			r.Show("ns", history.Shown{Resource: resource, Name: "demo", UID: uid, ResourceVersion: version})
			time.Sleep(time.Second)
		}
		show("deployments.apps", "u", "7")
		show("deployments.apps", "u", "9")
		show("deployments.apps", "u", "9")
		show("services", "v", "8")
		want := []history.Sighting{{Resource: "deployments.apps", ResourceVersion: "9", At: began.Add(time.Second)}}
		if diff := cmp.Diff(want, r.Sightings("ns", "deployments.apps")); diff != "" {
			t.Errorf("sightings (-want +got):\n%s", diff)
		}
		if got := r.Sightings("nowhere", "deployments.apps"); len(got) != 0 {
			t.Errorf("of a scenario that there is not: %v", got)
		}
	})
}
