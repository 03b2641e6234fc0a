package traffic

import (
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// found are the numbers of a window of 65 s.
func found() v1alpha1.TrafficStatus {
	return v1alpha1.TrafficStatus{
		Phase: v1alpha1.TrafficComplete, WindowMs: 65_000, Requests: 10, Effective: 4, Managed: 1, Starts: 1, Noop: 2, Refused: 3, Futile: 3, Guarded: 2, Objects: 5, OpenWatches: 5, Connections: 2,
		ByVerb: map[string]int64{"create": 6, "list": 4}, Message: "#1 create deployments demo",
	}
}

func TestJudge(t *testing.T) {
	bound := func(least, most int64) *v1alpha1.NumberBound {
		return &v1alpha1.NumberBound{Min: ptr.To(least), Max: ptr.To(most)}
	}
	most := func(edit func(*v1alpha1.NumberBound)) *v1alpha1.NumberBound {
		b := &v1alpha1.NumberBound{Max: ptr.To[int64](0)}
		edit(b)
		return b
	}
	const in65 = " in 1m5s: #1 create deployments demo"
	for name, tc := range map[string]struct {
		expect *v1alpha1.TrafficExpectation
		pauses []int64
		phase  v1alpha1.TrafficPhase
		broken string // the message; empty: it is met
	}{
		"nothing":           {expect: nil},
		"requests":          {expect: &v1alpha1.TrafficExpectation{Requests: bound(10, 10)}},
		"requests, broken":  {expect: &v1alpha1.TrafficExpectation{Requests: bound(1, 9)}, broken: "expected 1 to 9 requests, found 10" + in65},
		"effective":         {expect: &v1alpha1.TrafficExpectation{Effective: bound(4, 4)}},
		"effective, broken": {expect: &v1alpha1.TrafficExpectation{Effective: bound(0, 0)}, broken: "expected no effective writes, found 4" + in65},
		"changing":          {expect: &v1alpha1.TrafficExpectation{Changing: bound(2, 2)}},
		"changing, broken":  {expect: &v1alpha1.TrafficExpectation{Changing: bound(0, 0)}, broken: "expected no effective writes of more than managed fields, starts of Pods not counted, found 2" + in65},
		"noop":              {expect: &v1alpha1.TrafficExpectation{Noop: bound(2, 2)}},
		"noop, broken":      {expect: &v1alpha1.TrafficExpectation{Noop: bound(3, 9)}, broken: "expected 3 to 9 no-op writes, found 2" + in65},
		"accepted":          {expect: &v1alpha1.TrafficExpectation{Accepted: bound(6, 6)}},
		"accepted, broken":  {expect: &v1alpha1.TrafficExpectation{Accepted: bound(0, 5)}, broken: "expected at most 5 accepted writes, found 6" + in65},
		"refused":           {expect: &v1alpha1.TrafficExpectation{Refused: bound(3, 3)}},
		"refused, broken":   {expect: &v1alpha1.TrafficExpectation{Refused: &v1alpha1.NumberBound{Min: ptr.To[int64](4)}}, broken: "expected at least 4 refused requests, found 3" + in65},
		"futile":            {expect: &v1alpha1.TrafficExpectation{Futile: bound(3, 3)}},
		"futile, broken":    {expect: &v1alpha1.TrafficExpectation{Futile: bound(0, 2)}, broken: "expected at most 2 no-op or refused writes, found 3" + in65},
		"unguarded":         {expect: &v1alpha1.TrafficExpectation{Unguarded: bound(8, 8)}},
		"unguarded, broken": {
			expect: &v1alpha1.TrafficExpectation{Unguarded: bound(0, 7)},
			broken: "expected at most 7 requests other than refused applies, found 8" + in65,
		},
		"connections":          {expect: &v1alpha1.TrafficExpectation{Connections: bound(2, 2)}},
		"connections, broken":  {expect: &v1alpha1.TrafficExpectation{Connections: bound(0, 1)}, broken: "expected at most 1 open connections, found 2" + in65},
		"open watches":         {expect: &v1alpha1.TrafficExpectation{OpenWatches: bound(5, 5)}},
		"open watches, broken": {expect: &v1alpha1.TrafficExpectation{OpenWatches: bound(1, 1)}, broken: "expected exactly 1 open watches, found 5 (2 of deployments.apps, 1 of configmaps, 1 of pods, …)" + in65},
		"by verb":              {expect: &v1alpha1.TrafficExpectation{ByVerb: map[string]v1alpha1.NumberBound{"create": *bound(6, 6), "delete": *bound(0, 0)}}},
		"by verb, broken": {
			expect: &v1alpha1.TrafficExpectation{ByVerb: map[string]v1alpha1.NumberBound{"list": *bound(0, 0), "create": *bound(1, 1)}},
			broken: "expected exactly 1 create requests, found 6; expected no list requests, found 4" + in65,
		},
		"two fields": {
			expect: &v1alpha1.TrafficExpectation{Effective: bound(0, 0), Requests: bound(0, 1)},
			broken: "expected at most 1 requests, found 10; expected no effective writes, found 4" + in65,
		},
		// 65 s are two periods of 30 s, and a part.
		"per resync":         {expect: &v1alpha1.TrafficExpectation{Noop: most(func(b *v1alpha1.NumberBound) { b.PerResync = 1 })}},
		"per resync, broken": {expect: &v1alpha1.TrafficExpectation{Effective: most(func(b *v1alpha1.NumberBound) { b.PerResync = 1 })}, broken: "expected at most 2 effective writes, found 4" + in65},
		// Of the five objects two count for nothing.
		"per object":         {expect: &v1alpha1.TrafficExpectation{Requests: most(func(b *v1alpha1.NumberBound) { b.PerObject = 4 })}},
		"per object, broken": {expect: &v1alpha1.TrafficExpectation{Requests: most(func(b *v1alpha1.NumberBound) { b.PerObject = 3 })}, broken: "expected at most 9 requests, found 10" + in65},
		"beyond":             {expect: &v1alpha1.TrafficExpectation{Requests: &v1alpha1.NumberBound{Min: ptr.To[int64](1), Max: ptr.To[int64](1), Beyond: "first"}}},
		"beyond, too few":    {expect: &v1alpha1.TrafficExpectation{Requests: &v1alpha1.NumberBound{Min: ptr.To[int64](2), Beyond: "first"}}, broken: "expected at least 11 requests, found 10" + in65},
		"beyond, too many":   {expect: &v1alpha1.TrafficExpectation{Requests: most(func(b *v1alpha1.NumberBound) { b.Beyond = "first" })}, broken: "expected at most 9 requests, found 10" + in65},
		"beyond, of the same field": {
			expect: &v1alpha1.TrafficExpectation{Refused: most(func(b *v1alpha1.NumberBound) { b.Beyond = "first" })},
			broken: "expected at most 2 refused requests, found 3" + in65,
		},
		"beyond statuses":         {expect: &v1alpha1.TrafficExpectation{Requests: most(func(b *v1alpha1.NumberBound) { b.Max, b.BeyondStatuses = ptr.To[int64](3), "statuses" })}},
		"beyond statuses, broken": {expect: &v1alpha1.TrafficExpectation{Requests: most(func(b *v1alpha1.NumberBound) { b.Max, b.BeyondStatuses = ptr.To[int64](2), "statuses" })}, broken: "expected at most 9 requests, found 10" + in65},
		"a feature":               {expect: &v1alpha1.TrafficExpectation{Feature: "quiet", Requests: bound(0, 0)}, broken: "expected no requests, found 10" + in65},
		"never shorter":           {expect: &v1alpha1.TrafficExpectation{Pauses: v1alpha1.PausesNeverShorter}, pauses: []int64{10, 20, 40, 80, 160}},
		"never shorter, equal":    {expect: &v1alpha1.TrafficExpectation{Pauses: v1alpha1.PausesNeverShorter}, pauses: []int64{100, 100, 100, 81, 81, 81}},
		"never shorter, except for the first": {
			expect: &v1alpha1.TrafficExpectation{Pauses: v1alpha1.PausesNeverShorter}, pauses: []int64{5000, 3000, 2000, 600, 600, 500},
		},
		"never shorter, one": {expect: &v1alpha1.TrafficExpectation{Pauses: v1alpha1.PausesNeverShorter}, pauses: []int64{1}},
		"never shorter, broken": {
			expect: &v1alpha1.TrafficExpectation{Pauses: v1alpha1.PausesNeverShorter}, pauses: []int64{100, 200, 300, 400, 79, 500},
			broken: "expected the last pauses to be no shorter than the first, found [100 200 300 400 79 500] ms" + in65,
		},
		"shorter, and nobody asked": {expect: &v1alpha1.TrafficExpectation{Requests: bound(0, 99)}, pauses: []int64{100, 200, 300, 1, 1, 1}},
		"pauses":                    {expect: &v1alpha1.TrafficExpectation{PauseMs: bound(5, 100)}, pauses: []int64{5, 100, 50}},
		"pauses, broken": {
			expect: &v1alpha1.TrafficExpectation{PauseMs: &v1alpha1.NumberBound{Min: ptr.To[int64](50)}}, pauses: []int64{60, 20, 10},
			broken: "expected at least 50 ms between two requests, found 20 (all: [60 20 10])" + in65,
		},
		"quiet":                      {expect: &v1alpha1.TrafficExpectation{SubjectQuiet: true}},
		"quiet, broken":              {expect: &v1alpha1.TrafficExpectation{SubjectQuiet: true}, phase: v1alpha1.TrafficNeverQuiet, broken: "expected the subject to fall quiet within 20s" + in65},
		"not quiet, and it need not": {expect: &v1alpha1.TrafficExpectation{Requests: bound(10, 10)}, phase: v1alpha1.TrafficNeverQuiet},
	} {
		t.Run(name, func(t *testing.T) {
			claims := v1alpha1.Claims{Features: []v1alpha1.Feature{"quiet"}}
			claims.Times.Resync.Duration = 30 * time.Second
			m := &measurement{spec: v1alpha1.TrafficSpec{Expect: tc.expect}, claims: claims, patience: 20 * time.Second, pauses: tc.pauses}
			m.watched = map[string]int{"webapps.apps.kubedojo.io": 1, "deployments.apps": 2, "configmaps": 1, "pods": 1}
			status := found()
			if tc.phase != "" {
				status.Phase = tc.phase
			}
			judged := m.judge(status, m.pauses, limits{
				traffic:  map[string]v1alpha1.TrafficStatus{"first": {Requests: 9, Refused: 2}},
				statuses: map[string]int64{"statuses": 7},
			})
			want, text := v1alpha1.JudgementMet, status.Message
			if tc.broken != "" {
				want, text = v1alpha1.JudgementNotMet, tc.broken
			}
			if judged.verdict != want || judged.message != text {
				t.Errorf("%s: %s\nwant %s: %s", judged.verdict, judged.message, want, text)
			}
		})
	}
}

func TestFeatureThatIsNotClaimed(t *testing.T) {
	m := &measurement{spec: v1alpha1.TrafficSpec{Expect: &v1alpha1.TrafficExpectation{
		Feature: "quiet", SubjectQuiet: true, Requests: &v1alpha1.NumberBound{Max: ptr.To[int64](0)},
	}}}
	judged := m.judge(found(), m.pauses, limits{})
	if judged.verdict != v1alpha1.JudgementMet || judged.message != "nothing is expected: the profile does not claim quiet" {
		t.Errorf("%s: %s", judged.verdict, judged.message)
	}
}

func TestMessageOfAWindowWithoutRequests(t *testing.T) {
	m := &measurement{spec: v1alpha1.TrafficSpec{Expect: &v1alpha1.TrafficExpectation{Requests: &v1alpha1.NumberBound{Min: ptr.To[int64](1)}}}}
	judged := m.judge(v1alpha1.TrafficStatus{Phase: v1alpha1.TrafficComplete, WindowMs: 3049}, m.pauses, limits{})
	if judged.verdict != v1alpha1.JudgementNotMet || judged.message != "expected at least 1 requests, found 0 in 3s" {
		t.Errorf("%s: %s", judged.verdict, judged.message)
	}
}

// TestProved: too many requests are a proof, even on a slow machine. A request that
// comes too late, or one or two writes in a window of silence, are not.
func TestProved(t *testing.T) {
	for name, tc := range map[string]struct {
		bounds v1alpha1.NumberBound
		found  int64
		want   bool
	}{
		"within":                 {v1alpha1.NumberBound{Max: ptr.To[int64](20)}, 20, false},
		"one too many":           {v1alpha1.NumberBound{Max: ptr.To[int64](20)}, 21, true},
		"too few":                {v1alpha1.NumberBound{Min: ptr.To[int64](3)}, 1, false},
		"a late write in quiet":  {v1alpha1.NumberBound{Max: ptr.To[int64](0)}, 2, false},
		"a heartbeat in quiet":   {v1alpha1.NumberBound{Max: ptr.To[int64](0)}, 3, true},
		"two writes in quiet":    {v1alpha1.NumberBound{Max: ptr.To[int64](1)}, 2, false},
		"more than that, by one": {v1alpha1.NumberBound{Max: ptr.To[int64](2)}, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := &measurement{spec: v1alpha1.TrafficSpec{Expect: &v1alpha1.TrafficExpectation{Requests: &tc.bounds}}}
			if got := m.judge(v1alpha1.TrafficStatus{Phase: v1alpha1.TrafficComplete, Requests: tc.found}, nil, limits{}); got.proved != tc.want {
				t.Errorf("proved = %t, want %t: %s", got.proved, tc.want, got.message)
			}
		})
	}
}

// TestShortResync: a resync period of less than a millisecond is a period, too.
func TestShortResync(t *testing.T) {
	m := &measurement{}
	m.claims.Times.Resync.Duration = 500 * time.Microsecond
	p := part{bounds: &v1alpha1.NumberBound{Max: ptr.To[int64](1), PerResync: 2}}
	if got := *m.widen(p, v1alpha1.TrafficStatus{WindowMs: 3}, limits{}).Max; got != 1+2*6 {
		t.Errorf("at most %d", got)
	}
}
