package infer

import (
	"strings"
	"testing"
)

// TestRefusedField: a field of which no other value was accepted may decide about the image or
// the port. It is named, and asked about, and not told to have been changed.
func TestRefusedField(t *testing.T) {
	image := Act{Deed: Change, Object: "shop", Path: "spec.picture", To: "registry.mine/" + otherImage, Refused: "should match '^x$'"}
	accepted, port, other := image, image, image
	accepted.Refused = ""
	port.Path, port.To = "spec.port", int64(9090)
	other.Path, other.To = "spec.title", "abc-look"
	mapping := map[Role]mapped{RoleImage: {}}
	for name, tc := range map[string]struct {
		acts   []Act
		fields map[Role]mapped
		unfit  []Unfit
		role   Role
		told   string // how the constant is explained
		asked  string
	}{
		"no image":             {[]Act{image}, nil, nil, RoleImage, "spec.picture has this value", "does spec.picture set it? No other value that was tried was accepted (should match '^x$')"},
		"no port":              {[]Act{port}, nil, nil, RolePort, "spec.port has this value", "does spec.port set it?"},
		"another was accepted": {[]Act{image, accepted}, nil, nil, RoleImage, "no field that was changed", ""},
		"it is mapped":         {[]Act{image}, mapping, nil, RoleImage, "spec.picture has this value", ""},
		"another field":        {[]Act{other}, nil, nil, RoleImage, "no field that was changed", ""},
		"left out":             {[]Act{port}, nil, []Unfit{{Role: RolePort, Path: "spec.port", Reason: "r"}}, RolePort, "spec.port, which decides about it, is left out", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := &finder{Findings: Findings{Asked: map[string][]Question{}}, Record: &Record{Acts: tc.acts, Unfit: tc.unfit}, fields: tc.fields}
			f.askRefused()
			if got := f.unchanged(tc.role); !strings.HasPrefix(got, tc.told) {
				t.Errorf("told: %q, want %q", got, tc.told)
			}
			asked := f.Asked["contract.spec."+string(tc.role)]
			if (tc.asked == "") != (len(asked) == 0) || len(asked) > 0 && (!strings.HasPrefix(asked[0].Text, tc.asked) || len(asked[0].Lines) != 1) {
				t.Errorf("asked: %+v, want %q", asked, tc.asked)
			}
		})
	}
}
