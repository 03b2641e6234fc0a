package infer

import (
	"fmt"
	"testing"

	"reconform.dev/reconform/internal/record/history"
)

// TestManyVersions: a controller that writes without end leaves a film of many thousand versions.
// What each of them shows is found out without a look at all the others: that took hours.
func TestManyVersions(t *testing.T) {
	const versions = 10_000
	r := story(t, "{beats: 0}", "{beats: 1}", "{beats: 2}", "{beats: 3}")
	frames := append([]Frame{}, r.Film...)
	for n := range versions {
		frames = append(frames, frame(t, 100+n, fmt.Sprintf("kind: Shop\nmetadata: {name: shop}\nspec: {size: 3}\nstatus: {beats: %d}", 4+n)))
		r.Account.Requests = append(r.Account.Requests, history.Request{
			Seq: int64(100 + n), Verb: history.VerbUpdate, Effect: history.EffectEffective, Group: "example.com", Resource: "shops", Name: "shop",
		})
	}
	r.Film = NewFilm(frames)
	r.Acts = append(r.Acts, Act{Deed: Rest, Object: "shop", After: 99, Until: 100 + versions, AfterSeq: 99, UntilSeq: 100 + versions})
	moments := r.moments()
	if want := 4 + 2 + versions + 1; len(moments) != want {
		t.Errorf("%d moments, want %d", len(moments), want)
	}
	if last := moments[len(moments)-1]; !last.rolledOut() || At(last.primary.Object, "status.beats") != int64(3+versions) {
		t.Errorf("the last moment has %v and %v", last.primary.Object, last.deployment.Object)
	}
}
