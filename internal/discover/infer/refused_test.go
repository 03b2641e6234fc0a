package infer

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestRefusedField: a field of which no other value was accepted may decide about the image or
// the port. It is named, and asked about, and not told to have been changed.
func TestRefusedField(t *testing.T) {
	image := Act{Deed: Change, Object: "shop", Path: "spec.picture", To: "registry.mine/" + otherImage, Refused: "should match '^x$'"}
	accepted, port, other := image, image, image
	accepted.Refused = ""
	port.Path, port.To = "spec.port", int64(9090)
	other.Path, other.To = "spec.title", "abc-look"
	listed, pictured := port, image
	listed.Path, pictured.Path = "spec.ports[0].port", "spec.pods[0].picture"
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
		"in a list":            {[]Act{listed}, nil, nil, RolePort, "spec.ports[0].port has this value", "does spec.ports[0].port set it?"},
		"an image in a list":   {[]Act{pictured}, nil, nil, RoleImage, "spec.pods[0].picture has this value", "does spec.pods[0].picture set it?"},
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
			for _, question := range asked {
				readable(t, question, string(tc.role), tc.acts[0].Path)
			}
		})
	}
}

// readable checks that the lines that may answer a question are YAML, in which a field has a
// path.
func readable(t *testing.T, question Question, field, path string) {
	t.Helper()
	for _, line := range question.Lines {
		var answer map[string]struct{ Path string }
		if err := yaml.Unmarshal([]byte(line), &answer); err != nil || answer[field].Path != path {
			t.Errorf("%s: %v, %v; the path is %s", line, answer, err, path)
		}
	}
}

// TestInLine: a word in a line that may answer is that word for YAML, too.
func TestInLine(t *testing.T) {
	for text, want := range map[string]string{
		"spec.port": "spec.port", "Updated": "Updated", "spec.ports[0].port": "'spec.ports[0].port'", "it's": "it's", "yes: no": "'yes: no'",
		"true": "'true'", "8080": "'8080'", "a, b": "'a, b'", "'a'": "'''a'''", "": "''", "a #b": "'a #b'", "{a}": "'{a}'",
	} {
		if got := inLine(text); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
		var read map[string]map[string]string
		if err := yaml.Unmarshal([]byte("{a: {b: "+inLine(text)+"}}"), &read); err != nil || read["a"]["b"] != text {
			t.Errorf("%q is read as %v (%v)", text, read, err)
		}
	}
}
