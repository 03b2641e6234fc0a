package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKeptByPods: a ConfigMap or a Secret that follows a change while its Pods stay looks like
// a mistake if they read it only when they start. Otherwise the program may read it again.
func TestKeptByPods(t *testing.T) {
	const (
		doubted = "spec.motd was changed, and %s followed, but the Pods of Deployment shop-web were not replaced"
		files   = "volumeMounts: [{name: other, mountPath: /a, subPath: b}, {name: files, mountPath: /files%s}], env: []"
	)
	in := func(volume, rest string) [2]string { return [2]string{fmt.Sprintf(files, rest), volume} }
	by := func(words string) [2]string { return [2]string{words, "emptyDir: {}"} }
	for name, tc := range map[string]struct {
		first, then [2]string // what the container has in place of env, and the volume
		kind        string
		value       string // in the data, at the end
		doubt, ask  string
	}{
		"all its variables": {by("envFrom: [{configMapRef: {name: conf}}]"), by("envFrom: [{configMapRef: {name: conf}}]"), "ConfigMap", "b", fmt.Sprintf(doubted, "ConfigMap conf"), ""},
		"one variable": {
			by("env: [{name: A, valueFrom: {secretKeyRef: {name: conf, key: a}}}]"), by("env: [{name: A, valueFrom: {secretKeyRef: {name: conf, key: a}}}]"),
			"Secret", "b", fmt.Sprintf(doubted, "Secret conf"), "",
		},
		"a part of a volume": {
			in("configMap: {name: conf}", "/a, subPath: a"), in("configMap: {name: conf}", "/a, subPath: a"), "ConfigMap", "b",
			fmt.Sprintf(doubted, "ConfigMap conf"), "",
		},
		"a volume":             {in("secret: {secretName: conf}", ""), in("secret: {secretName: conf}", ""), "Secret", "b", "", fmt.Sprintf(doubted, "Secret conf")},
		"it did not follow":    {in("configMap: {name: conf}", ""), in("configMap: {name: conf}", ""), "ConfigMap", "a", "", ""},
		"the Pods follow":      {in("configMap: {name: conf}", ""), in("configMap: {name: conf}", "/v2"), "ConfigMap", "b", "", ""},
		"one that is not read": {by("env: []"), by("env: []"), "ConfigMap", "b", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			with := func(words [2]string) string {
				volumes := "      volumes: [{name: files, " + words[1] + "}, {name: other, emptyDir: {}}]\n      containers:"
				return strings.NewReplacer("env: []", words[0], "      containers:", volumes).Replace(fmt.Sprintf(deployment, 2, "shop:v1", 8080, "", 2))
			}
			data := "kind: " + tc.kind + "\nmetadata: {name: conf}\ndata: {a: %s}"
			r.Film = NewFilm(append(r.Film,
				frame(t, 15, "kind: Shop\nmetadata: {name: shop, generation: 1}\nspec: {motd: Welcome}"), frame(t, 17, fmt.Sprintf(data, "a")),
				frame(t, 16, with(tc.first)), frame(t, 39, with(tc.first)), frame(t, 44, fmt.Sprintf(data, tc.value)), frame(t, 45, with(tc.then))))
			r.Acts = append(r.Acts, Act{Deed: Change, Object: "shop", Path: "spec.motd", To: "Goodbye", After: 40, Until: 50, AfterSeq: 10, UntilSeq: 11})
			f := &finder{Record: r, main: r.Main(), first: r.Acts[0], workload: r.MainWorkload(), Findings: Findings{Asked: map[string][]Question{}}}
			f.deployment = r.Film.At(f.first.Until)[f.main]
			f.doubtKept()
			doubt, ask := "", ""
			for _, d := range f.Doubts {
				doubt, _, _ = strings.Cut(d.Text, ", and they")
			}
			for _, q := range f.Asked["contract.spec"] {
				ask, _, _ = strings.Cut(q.Text, ". They")
			}
			if diff := cmp.Diff([]string{tc.doubt, tc.ask}, []string{doubt, ask}); diff != "" {
				t.Errorf("doubt and question (-want +got):\n%s", diff)
			}
		})
	}
}
