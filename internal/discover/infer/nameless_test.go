package infer

import (
	"fmt"
	"strings"
	"testing"
)

// TestNameless: a field that no profile can name is no field of the contract, and is told.
func TestNameless(t *testing.T) {
	for name, tc := range map[string]struct {
		paths []string // of the fields that the port followed, one after the other
		want  string   // the field of the contract
		asked string   // or the field that is asked about
	}{
		"the first of a list":           {[]string{"spec.servers[0].port"}, "spec.servers[0].port", ""},
		"the second of a list":          {[]string{"spec.servers[1].port"}, "", "spec.servers[1].port decides about it"},
		"the second, and then another":  {[]string{"spec.servers[1].port", "spec.port"}, "spec.port", ""},
		"a list in a list":              {[]string{"spec.rows[0][0]"}, "", "spec.rows[0][0] decides about it"},
		"a key that is no name":         {[]string{"spec.ports.a/b"}, "", "spec.ports.a/b decides about it"},
		"the first, in one of a second": {[]string{"spec.pods[1].ports[0]"}, "", "spec.pods[1].ports[0] decides about it"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{Kind: "Shop"}
			frames := []Frame{frame(t, 1, fmt.Sprintf(deployment, 2, "shop:v1", 8080, "", 2))}
			for n, path := range tc.paths {
				port := 9001 + n
				frames = append(frames, frame(t, n+2, fmt.Sprintf(deployment, 2, "shop:v1", port, "", 2)))
				r.Acts = append(r.Acts, Act{Deed: Change, Object: "shop", Path: path, To: int64(port), After: int64(n + 1), Until: int64(n + 2)})
			}
			r.Film = NewFilm(frames)
			main := Ref{"Deployment", "shop-web"}
			f := &finder{Record: r, main: main}
			f.fields, f.unnamed = r.mapped(main)
			f.Asked = map[string][]Question{}
			f.askNameless()
			if got := f.fields[RolePort].Field.Path; got != tc.want {
				t.Errorf("the contract has %q, want %q", got, tc.want)
			}
			var asked []string
			for _, question := range f.Asked["contract.spec.port"] {
				asked = append(asked, question.Text)
			}
			if text := strings.Join(asked, "; "); (text == "") != (tc.asked == "") || !strings.HasPrefix(text, tc.asked) {
				t.Errorf("asked %q, want %q", text, tc.asked)
			}
		})
	}
}
