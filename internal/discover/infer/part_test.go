package infer

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParts: a field whose value is a part of the image is told. The whole image is not, nor
// what changed together with something else.
func TestParts(t *testing.T) {
	for name, tc := range map[string]struct {
		was, to       any
		before, after string
		want          string
	}{
		"behind a registry":      {"web:1", "db:2", "registry.example/web:1", "registry.example/db:2", "spec.image is a part of it (registry.example/{{ .value }})"},
		"the registry":           {"docker.io", "quay.io", "docker.io/web:1", "quay.io/web:1", "spec.image is a part of it ({{ .value }}/web:1)"},
		"a tag that is a number": {int64(7), int64(8), "web:7", "web:8", "spec.image is a part of it (web:{{ .value }})"},
		"the whole image":        {"web:1", "db:2", "web:1", "db:2", ""},
		"it did not follow":      {"web:1", "db:2", "registry.example/web:1", "registry.example/web:1", ""},
		"something else, too":    {"web:1", "db:2", "registry.example/web:1", "registry.other/db:2", ""},
		"it was not there":       {nil, "db:2", "registry.example/web:1", "registry.example/db:2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			shop := frame(t, 41, "kind: Shop\nmetadata: {name: shop}\nspec: {}")
			if tc.was != nil {
				shop.Object.Object["spec"] = map[string]any{"image": tc.was}
			}
			r.Film = NewFilm(append(r.Film, shop,
				frame(t, 42, fmt.Sprintf(deployment, 2, tc.before, 8080, "", 2)), frame(t, 45, fmt.Sprintf(deployment, 2, tc.after, 8080, "", 2))))
			r.Acts = append(r.Acts, Act{Deed: Change, Object: "shop", Path: "spec.image", To: tc.to, After: 43, Until: 50, AfterSeq: 10, UntilSeq: 11})
			f := &finder{Record: r, main: r.Main(), first: r.Acts[0], workload: r.MainWorkload(), container: "1"}
			f.Asked = map[string][]Question{}
			f.askParts()
			if diff := cmp.Diff(tc.want, f.parts(RoleImage).inWords()); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
			if asked := len(f.Asked["contract.spec.image"]) > 0; asked != (tc.want != "") {
				t.Errorf("asked: %v, want %v", asked, tc.want != "")
			}
		})
	}
}

// TestRepositoryAndTag: an image that two fields make is asked about once, and both are named.
func TestRepositoryAndTag(t *testing.T) {
	r := story(t, "{}", "{}", "{}", "{}")
	shop := func(version int, repository, tag string) Frame {
		return frame(t, version, fmt.Sprintf("kind: Shop\nmetadata: {name: shop}\nspec: {image: {repository: %s, tag: %s}}", repository, tag))
	}
	made := func(version int, image string) Frame {
		return frame(t, version, fmt.Sprintf(deployment, 2, image, 8080, "", 2))
	}
	r.Film = NewFilm(append(r.Film,
		shop(41, "example/web", "v1"), made(42, "example/web:v1"),
		shop(44, "example/look", "v1"), made(45, "example/look:v1"),
		shop(51, "example/web", "v1"), made(52, "example/web:v1"),
		shop(54, "example/web", "v2"), made(55, "example/web:v2")))
	for n, change := range []FieldChange{{"spec.image.repository", "example/look"}, {"spec.image.repository", "example/web"}, {"spec.image.tag", "v2"}} {
		after := []int64{43, 50, 53}[n]
		r.Acts = append(r.Acts, Act{Deed: Change, Object: "shop", Path: change.Path, To: change.To, After: after, Until: after + 5, AfterSeq: after, UntilSeq: after + 5})
	}
	f := &finder{Record: r, main: r.Main(), first: r.Acts[0], workload: r.MainWorkload(), container: "1"}
	f.Asked = map[string][]Question{}
	f.askParts()
	const want = "spec.image.repository is a part of it ({{ .value }}:v1), and spec.image.tag is a part of it (example/web:{{ .value }}), " +
		"and a profile can only name a field that has the whole image. Does another field take it? Otherwise, requirements that change the image are skipped"
	if diff := cmp.Diff([]Question{{Text: want}}, f.Asked["contract.spec.image"]); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}
