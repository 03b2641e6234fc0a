package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/record/history"
)

// TestCannotFollow: a child that does not follow a change of the spec looks like a mistake, but
// not if the API server lets nobody change that field of the child.
func TestCannotFollow(t *testing.T) {
	const child = "kind: %s\nmetadata: {name: shop-web}\nspec: {%s: {spec: {containers: [{name: web, image: 'shop:v1', args: [greet, Welcome]}]}}}"
	const noted = "%s shop-web had its value as %s.spec.containers[0].image; a change of spec.image to shop:v2 was not followed"
	for name, tc := range map[string]struct {
		kind, template string
		doubts         int
		immutable      bool
		note           string
	}{
		"a Job": {
			"Job", "template", 0, true,
			fmt.Sprintf(noted, "Job", "spec.template") + ", as the API server lets nobody change that in a Job. If the controller should make another one, take immutable out",
		},
		"a CronJob":     {"CronJob", "jobTemplate: {spec: {template", 2, false, fmt.Sprintf(noted, "CronJob", "spec.jobTemplate.spec.template")},
		"a StatefulSet": {"StatefulSet", "template", 2, false, fmt.Sprintf(noted, "StatefulSet", "spec.template")},
		"a DaemonSet":   {"DaemonSet", "template", 2, false, fmt.Sprintf(noted, "DaemonSet", "spec.template")},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf(child, tc.kind, tc.template)
			text += strings.Repeat("}", strings.Count(text, "{")-strings.Count(text, "}"))
			w := &Record{}
			of, _ := w.workload(tc.kind)
			r := &Record{
				Kind: "Shop",
				Film: NewFilm([]Frame{
					frame(t, 1, text),
					frame(t, 2, "kind: Shop\nmetadata: {name: shop}\nspec: {image: 'shop:v1', motd: Welcome}"),
				}),
				Acts: []Act{
					{Deed: Create, Object: "shop", Until: 19, UntilSeq: 5},
					{Deed: Change, Object: "shop", Path: "spec.image", To: "shop:v2", After: 19, Until: 29, AfterSeq: 5, UntilSeq: 6},
					{Deed: Change, Object: "shop", Path: "spec.motd", To: "Goodbye", After: 29, Until: 39, AfterSeq: 6, UntilSeq: 7},
				},
			}
			r.Account.Requests = []history.Request{{
				Seq: 1, Verb: history.VerbCreate, Effect: history.EffectEffective, Group: of.Group, Resource: of.Plural, UID: types.UID(tc.kind + "/shop-web"),
			}}
			f := &finder{Record: r, main: r.Main(), first: r.Acts[0], workload: r.MainWorkload(), container: "0", fields: r.mappings(r.Main())}
			f.deployment = r.Film.At(f.first.Until)[f.main]
			f.doubtWithoutEffect()
			f.doubtKept()
			if len(f.Doubts) != tc.doubts {
				t.Errorf("%d doubts, want %d: %v", len(f.Doubts), tc.doubts, f.Doubts)
			}
			image := f.fields[RoleImage]
			if image.Field.Path != "spec.image" || image.Field.Immutable != tc.immutable {
				t.Errorf("image: %+v, want immutable: %t", image.Field, tc.immutable)
			}
			if diff := cmp.Diff(tc.note, image.inWords()); diff != "" {
				t.Errorf("note (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFinished: a Job that has come to its end need not be made again when it is deleted. Objects of
// other kinds say other things with the same conditions.
func TestFinished(t *testing.T) {
	const ended = "metadata: {name: a}, status: {conditions: [{type: Complete, status: 'True'}]}}"
	for name, tc := range map[string]struct {
		object string
		want   bool
	}{
		"a Job that has ended": {"{apiVersion: batch/v1, kind: Job, " + ended, true},
		"a Job that runs":      {"{apiVersion: batch/v1, kind: Job, metadata: {name: a}, status: {active: 1}}", false},
		"a Job of Volcano":     {"{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, " + ended, false},
		"a Deployment":         {"{apiVersion: apps/v1, kind: Deployment, " + ended, false},
	} {
		if got := finished(frame(t, 1, tc.object).Object); got != tc.want {
			t.Errorf("%s: finished %t, want %t", name, got, tc.want)
		}
	}
	if finished(nil) {
		t.Error("an object that is not there has finished")
	}
}
