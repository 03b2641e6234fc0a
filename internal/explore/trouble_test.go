package explore

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/history"
)

// TestReasons: a reason is that of the main child if the Event names it.
func TestReasons(t *testing.T) {
	type event struct {
		version         int
		reason, message string
	}
	for name, tc := range map[string]struct {
		events           []event
		anew             bool // the change made the object anew
		created, updated string
	}{
		"one for each": {
			[]event{{11, "Made", "made it"}, {31, "Edited", "edited it"}}, false, "Made", "Edited",
		},
		"one for all that is made, at changes too": {
			[]event{
				{11, "SuccessfulCreate", "created resource shop-web of Type *v1.Deployment"},
				{12, "SuccessfulCreate", "created resource shop-conf of Type *v1.ConfigMap"},
				{13, "SuccessfulUpdate", "updated resource shop-conf of Type *v1.ConfigMap"},
				{31, "SuccessfulCreate", "created resource shop-key of Type *v1.Secret"},
				{32, "Edited", "updated resource shop-web of Type *v1.Deployment"},
			}, false, "SuccessfulCreate", "Edited",
		},
		"at a change that made the object anew": {
			[]event{{11, "Made", "Deployment shop-web"}, {31, "Made", "Deployment shop-web"}}, true, "Made", "",
		},
		"at a change that did not": {
			[]event{{11, "Made", "Deployment shop-web"}, {31, "Made", "Deployment shop-web"}}, false, "", "",
		},
		"a child whose name only begins so": {
			[]event{
				{11, "Made", "Deployment shop-web was made"},
				{31, "Other", "Deployment shop-web-canary was scaled"},
			}, false, "Made", "",
		},
		"what tells of others only": {
			[]event{{11, "ServiceMade", "Service shop-web"}, {31, "ServiceEdited", "Service shop-web"}}, false, "ServiceMade", "ServiceEdited",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			for n, e := range tc.events {
				f := frame(t, e.version, fmt.Sprintf("kind: Event\nmetadata: {name: e%d}\ninvolvedObject: {kind: Shop, name: shop}\ntype: Normal\nreason: %s\nmessage: %q", n, e.reason, e.message))
				r.Film = append(r.Film, f)
				r.Account.Requests = append(r.Account.Requests, history.Request{Seq: 100, Resource: "events", UID: types.UID(f.Object.GetUID())})
			}
			r.Film = NewFilm(r.Film)
			r.Acts[1].Anew = tc.anew
			created, updated := r.reasons()
			if created != tc.created || updated != tc.updated {
				t.Errorf("created %q, updated %q; want %q, %q", created, updated, tc.created, tc.updated)
			}
		})
	}
}
