package objects_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/internal/bench/objects"
)

func TestRuns(t *testing.T) {
	t.Parallel()
	named := func(name, uid string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(uid)}}
	}
	first, again, other := named("one", "1"), named("one", "2"), named("other", "3")
	tests := map[string]struct {
		do func(*objects.Runs[string])
		// ended are the runs that are cancelled then.
		ended []string
	}{
		"put":                            {func(*objects.Runs[string]) {}, nil},
		"another of the name is put":     {func(r *objects.Runs[string]) { r.Put(again, "again", func() {}) }, []string{"first"}},
		"another of the name is told of": {func(r *objects.Runs[string]) { r.Of(again) }, []string{"first"}},
		"the same is told of":            {func(r *objects.Runs[string]) { r.Of(first) }, nil},
		"deleted":                        {func(r *objects.Runs[string]) { r.End(client.ObjectKeyFromObject(other)) }, []string{"other"}},
		"the manager ends": {func(r *objects.Runs[string]) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := r.Start(ctx); err != nil {
				t.Errorf("Start: %v", err)
			}
		}, []string{"first", "other"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var runs objects.Runs[string]
			contexts := map[string]context.Context{}
			for run, object := range map[string]client.Object{"first": first, "other": other} {
				ctx, cancel := context.WithCancel(t.Context())
				contexts[run] = ctx
				runs.Put(object, run, cancel)
			}
			test.do(&runs)
			for run, object := range map[string]client.Object{"first": first, "other": other} {
				var want bool
				for _, ended := range test.ended {
					want = want || ended == run
				}
				if got := contexts[run].Err() != nil; got != want {
					t.Errorf("run %s: ended is %v, want %v", run, got, want)
				}
				if got, ok := runs.Of(object); ok == want || (ok && got != run) {
					t.Errorf("Of(%s) = %q, %v", object.GetName(), got, ok)
				}
			}
		})
	}
}

func TestRunsAfterTheEnd(t *testing.T) {
	t.Parallel()
	var runs objects.Runs[string]
	ended, end := context.WithCancel(t.Context())
	end()
	if err := runs.Start(ended); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	runs.Put(&corev1.ConfigMap{}, "late", cancel)
	if ctx.Err() == nil {
		t.Error("what is put after the end goes on")
	}
}
