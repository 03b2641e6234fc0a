package infer

import (
	"fmt"
	"testing"
)

// TestMainContainer: a field that sets the image of another container is not the image of the
// object. Most of what is the object's goes into its main container.
func TestMainContainer(t *testing.T) {
	const made = "{kind: Deployment, metadata: {name: shop-web}, spec: {replicas: 2, template: {metadata: {labels: {app: shop}}, spec: {containers: [" +
		"{name: web, image: %q, ports: [{name: http, containerPort: 8080}], env: [%s]}, {name: reloader, image: %q, ports: [{containerPort: 8435}]}]}}}}"
	type change struct {
		path string
		to   any
		web, env,
		reloader string
	}
	reloader := change{"spec.reloaderImage", "x:v2", "web:v1", "", "x:v2"}
	tag := change{"spec.image.tag", "v2", "web:v2", "", "reloader:v1"}
	env := change{"spec.env", map[string]any{probeVariable: "seen"}, "web:v1", "{name: " + probeVariable + ", value: seen}", "reloader:v1"}
	whole := change{"spec.image", "y:v2", "y:v2", "", "reloader:v1"}
	for name, tc := range map[string]struct {
		changes []change
		served  int
		want    string // the index of the container, and the field of the image
	}{
		"the image of the other one is changed first": {[]change{reloader, env, whole}, 8080, "0 spec.image"},
		"a tag and variables":                         {[]change{reloader, tag, env}, 8080, "0 "},
		"a tag, and a Service":                        {[]change{reloader, tag}, 8080, "0 "},
		"variables, and a Service":                    {[]change{reloader, env}, 8080, "0 "},
		"the Service leads to the other one":          {[]change{whole, env}, 8435, "0 spec.image"},
		"nothing but the image of the other one":      {[]change{reloader}, 8080, "1 spec.reloaderImage"},
		"nothing":                                     {nil, 8080, " "},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			frames := []Frame{
				frame(t, 1, fmt.Sprintf(made, "web:v1", "", "reloader:v1")),
				frame(t, 2, "{kind: Shop, metadata: {name: shop}, spec: {image: {tag: v1}}}"),
				frame(t, 3, fmt.Sprintf("{kind: Service, metadata: {name: shop}, spec: {selector: {app: shop}, ports: [{port: 80, targetPort: %d}]}}", tc.served)),
			}
			r.Acts = r.Acts[:1]
			for n, c := range tc.changes {
				at := 20 + 10*n
				frames = append(frames, frame(t, at+1, fmt.Sprintf(made, "web:v1", "", "reloader:v1")), frame(t, at+5, fmt.Sprintf(made, c.web, c.env, c.reloader)))
				r.Acts = append(r.Acts, Act{Deed: Change, Object: "shop", Path: c.path, To: c.to, After: int64(at + 2), Until: int64(at + 6)})
			}
			r.Film = NewFilm(frames)
			r.Account.Requests = append(r.Account.Requests, r.Account.Requests[0])
			r.Account.Requests[1].Seq, r.Account.Requests[1].Group, r.Account.Requests[1].Resource, r.Account.Requests[1].UID = 2, "", "services", "Service/shop"
			if got := r.mainContainer(r.Main()) + " " + r.mappings(r.Main())[RoleImage].Field.Path; got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
