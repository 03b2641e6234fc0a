package infer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/internal/record/history"
)

// TestAskHeartbeat: whoever changes the same field of its objects by the clock is asked whether
// that is a heartbeat, with the line that declares it.
func TestAskHeartbeat(t *testing.T) {
	const line = "exempt: [{verbs: [update], resources: [shops.example.com], fields: ['status.beats'], why: a heartbeat}]"
	for name, tc := range map[string]struct {
		seconds []int
		change  func(*history.Request)
		want    string // empty if nothing is asked
	}{
		"by the clock":             {[]int{0, 30, 60}, nil, "it changed status.beats of shops.example.com shop every 30s, and nothing else"},
		"its line":                 {[]int{3, 30, 60, 91}, nil, line},
		"twice":                    {[]int{0, 30}, nil, ""},
		"times, twice":             {[]int{0, 30}, func(q *history.Request) { q.OnlyTimes = true }, ""},
		"not by the clock":         {[]int{0, 30, 75}, nil, ""},
		"in a hurry":               {[]int{0, 1, 2, 3}, nil, ""},
		"two fields":               {[]int{0, 20, 40}, func(q *history.Request) { q.Changed = []string{"metadata.annotations.a/b", "status.conditions[0].at"} }, "fields: ['metadata.annotations.a/b', 'status.conditions[0].at']"},
		"the spec, too":            {[]int{0, 30, 60}, func(q *history.Request) { q.Changed = append(q.Changed, "spec.size") }, ""},
		"the generation, too":      {[]int{0, 30, 60}, func(q *history.Request) { q.Changed = append(q.Changed, "status.observedGeneration") }, ""},
		"another resource":         {[]int{0, 30, 60}, func(q *history.Request) { q.Resource = "blogs" }, ""},
		"a number that comes back": {[]int{0, 9, 18, 27}, func(q *history.Request) { q.Values[0].Is = fmt.Sprint(1 + q.Time.Unix()/9%2*2) }, ""},
		"a first value that comes back": {[]int{0, 30, 60}, func(q *history.Request) { // a, b, c, a
			n := q.Time.Unix() / 30
			q.Values[0].Was, q.Values[0].Is = fmt.Sprint(n), fmt.Sprint((n+1)%3)
		}, ""},
		"what changes nothing": {[]int{0, 30, 60}, func(q *history.Request) { q.Effect = history.EffectNoop }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{CRD: &apiextensionsv1.CustomResourceDefinition{}}
			r.CRD.Spec.Group, r.CRD.Spec.Names.Plural = "example.com", "shops"
			for n, second := range tc.seconds {
				q := history.Request{
					Verb: history.VerbUpdate, Group: "example.com", Resource: "shops", Subresource: "status", Name: "shop",
					Effect: history.EffectEffective, Changed: []string{"status.beats"}, Time: time.Unix(int64(second), 0),
				}
				q.Values = []history.Change{{Path: "status.beats", Is: fmt.Sprint(n)}}
				if tc.change != nil {
					tc.change(&q)
				}
				r.Account.Requests = append(r.Account.Requests, q)
			}
			f := &finder{Findings: Findings{Asked: map[string][]Question{}}, Record: r}
			f.askHeartbeat()
			if asked := asOne(f.Asked["claims.exempt"]); (asked == "") != (tc.want == "") || !strings.Contains(asked, tc.want) {
				t.Errorf("asked %q, want %q", asked, tc.want)
			}
		})
	}
}
