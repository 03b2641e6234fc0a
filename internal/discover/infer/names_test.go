package infer

import "testing"

func TestTemplate(t *testing.T) {
	for name, tc := range map[string]struct {
		seen []naming
		want string
		fits bool
	}{
		"the object's own": {
			[]naming{{object: "one", child: "one"}, {object: "two", child: "two"}},
			"{{ .name }}", true,
		},
		"with a suffix": {
			[]naming{{object: "one", child: "one-web"}, {object: "two", child: "two-web"}},
			"{{ .name }}-web", true,
		},
		"a field of the spec": {
			[]naming{
				{object: "one", values: map[string]string{"spec.deployment": "shop"}, child: "shop"},
				{object: "two", values: map[string]string{"spec.deployment": "home"}, child: "home"},
			},
			"{{ .spec.deployment }}", true,
		},
		"always the same": {
			[]naming{{object: "one", child: "webapp"}},
			"webapp", true,
		},
		"a field that happens to be the same": {
			[]naming{
				{object: "one", values: map[string]string{"spec.tier": "web"}, child: "web-one"},
				{object: "two", values: map[string]string{"spec.tier": "db"}, child: "web-two"},
			},
			"web-{{ .name }}", true,
		},
		"a field that happens to equal it each time": {
			[]naming{
				{object: "one", values: map[string]string{"spec.labels.component": "server"}, child: "server"},
				{object: "two", values: map[string]string{"spec.labels.component": "server"}, child: "server"},
			},
			"server", true,
		},
		"a field that happens to be a part of it": {
			[]naming{
				{object: "one", values: map[string]string{"spec.tier": "app"}, child: "one-app"},
				{object: "two", values: map[string]string{"spec.tier": "app"}, child: "two-app"},
			},
			"{{ .name }}-app", true,
		},
		"a word of the only object": {
			[]naming{{object: "one", values: map[string]string{"spec.transport": "http"}, child: "http-server"}},
			"http-server", true,
		},
		"a field that gives a part of it": {
			[]naming{
				{object: "one", values: map[string]string{"spec.tier": "web"}, child: "run-web"},
				{object: "two", values: map[string]string{"spec.tier": "db"}, child: "run-db"},
			},
			"run-{{ .spec.tier }}", true,
		},
		"no template": {
			[]naming{{object: "one", child: "a1b2"}, {object: "two", child: "c3d4"}},
			"a1b2", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, fits := template(tc.seen); got != tc.want || fits != tc.fits {
				t.Errorf("template = %q, %t, want %q, %t", got, fits, tc.want, tc.fits)
			}
		})
	}
}
