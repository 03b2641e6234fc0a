package trial

import (
	"testing"
	"time"
)

// TestSettling: if somebody else has changed the outcome last, a subject that looks only now and
// then has a resync period to follow.
func TestSettling(t *testing.T) {
	const resync = 5 * time.Second
	type look struct {
		at      time.Duration
		outcome string        // "" if no version of an object has come
		wrote   time.Duration // when the subject wrote last
	}
	for name, tc := range map[string]struct {
		looks []look
		want  time.Duration // when it is steady
	}{
		"nothing changes":                    {looks: []look{{1, "a", 0}, {2, "a", 0}}, want: 1*time.Second + steadyFor},
		"the subject changes it":             {looks: []look{{1, "a", 0}, {2, "b", 1500}}, want: 2*time.Second + steadyFor},
		"somebody else does":                 {looks: []look{{1, "a", 0}, {2, "b", 500}}, want: 2*time.Second + steadyFor + resync},
		"the subject follows":                {looks: []look{{1, "a", 0}, {2, "b", 500}, {4, "c", 3500}}, want: 4*time.Second + steadyFor},
		"somebody else comes after":          {looks: []look{{1, "a", 0}, {2, "b", 1500}, {3, "c", 1500}}, want: 3*time.Second + steadyFor + resync},
		"it has changed before the first":    {looks: []look{{1, "b", 900}, {2, "b", 900}}, want: 1*time.Second + steadyFor + resync},
		"and the subject followed after one": {looks: []look{{1, "b", 900}, {2, "c", 1500}}, want: 2*time.Second + steadyFor},
		"nothing comes, then somebody else":  {looks: []look{{1, "a", 0}, {2, "", 0}, {3, "b", 1500}}, want: 3*time.Second + steadyFor + resync},
		"what it wrote just now comes later": {looks: []look{{1, "a", 0}, {2, "", 0}, {3, "b", 1900}}, want: 3*time.Second + steadyFor},
	} {
		t.Run(name, func(t *testing.T) {
			now := settling{last: "a"}
			for _, l := range tc.looks {
				if at := began.Add(l.at * time.Second); l.outcome == "" {
					now.seeNothing(at)
				} else {
					now.see(l.outcome, at, began.Add(l.wrote*time.Millisecond))
				}
			}
			last := began.Add(tc.want - time.Millisecond)
			if waits := now.isSteady(last, 0); now.waitsForResync(last) != waits {
				t.Errorf("it waits for a resync: %v, want %v", !waits, waits)
			}
			if at := began.Add(tc.want); now.isSteady(at.Add(-time.Millisecond), resync) || !now.isSteady(at, resync) {
				t.Errorf("steady: %v just before %s, and %v then", now.isSteady(at.Add(-time.Millisecond), resync), tc.want, now.isSteady(at, resync))
			}
		})
	}
}

// TestSettlingOfARollout: while Pods are on their way, the cluster may only be slow, so it is waited
// longer; but not for ever.
func TestSettlingOfARollout(t *testing.T) {
	now := settling{last: "a", rolls: true}
	now.see("a", began, began)
	if early, late := now.isSteady(began.Add(steadyFor), 0), now.isSteady(began.Add(rolledFor), 0); early || !late {
		t.Errorf("steady after %s: %v, and after %s: %v", steadyFor, early, rolledFor, late)
	}
	if now.others = true; now.waitsForResync(began.Add(steadyFor)) {
		t.Error("it is told to wait for a resync only, though Pods are on their way")
	}
	if now.rolls = false; !now.isSteady(began.Add(steadyFor), 0) {
		t.Error("not steady, though all Pods are there")
	}
}
