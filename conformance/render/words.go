package render

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// The reference contract's resource, as scenarios write it.
const (
	referenceGroup   = "apps.kubedojo.io"
	referenceVersion = "v1beta1"
	referenceKind    = "WebApp"
	referencePlural  = "webapps"
	// referenceContainer is the container that runs the image.
	referenceContainer = "app"
)

// word is one of the reference's names, not a part of a longer one. Longer
// alternatives come first.
var word = regexp.MustCompile(`(^|[^A-Za-z0-9_-])(webapps\.apps\.kubedojo\.io|apps\.kubedojo\.io/v1beta1|apps\.kubedojo\.io|WebApp|webapps|webapp)($|[^A-Za-z0-9_-])`)

// replaceWords puts the implementation's names for the reference's.
func replaceWords(s string, to v1alpha1.PrimaryResource) string {
	for i := 0; i < len(s); {
		loc := word.FindStringSubmatchIndex(s[i:])
		if loc == nil {
			break
		}
		start, end := i+loc[4], i+loc[5]
		var with string
		switch s[start:end] {
		case referencePlural + "." + referenceGroup:
			with = to.Plural + "." + to.Group
		case referenceGroup + "/" + referenceVersion:
			with = to.Group + "/" + to.Version
		case referenceGroup:
			with = to.Group
		case referenceKind:
			with = to.Kind
		case referencePlural:
			with = to.Plural
		default:
			with = strings.ToLower(to.Kind)
		}
		s = s[:start] + with + s[end:]
		i = start + len(with)
	}
	return s
}

// words replaces the reference's names in every string of a node, and maps what
// expressions look up themselves.
func (m *mapper) words(n *yaml.Node) {
	eachScalar(n, func(s *yaml.Node) {
		if m.failed == nil && strings.Contains(s.Value, "x_k8s_get") {
			m.failed = m.lookups(s)
		}
		s.Value = replaceWords(s.Value, m.profile.Spec.Contract.Resource)
	})
}

// getCall is a look-up of one object in an expression, with what is read of it.
var getCall = regexp.MustCompile(`x_k8s_get\(\s*([^,]+),\s*'([^']+)',\s*'([^']+)',\s*([^,]+),\s*'([^']+)'\s*\)((?:\.[A-Za-z]+)*)`)

func (m *mapper) lookups(s *yaml.Node) (err error) {
	s.Value = getCall.ReplaceAllStringFunc(s.Value, func(call string) string {
		part := getCall.FindStringSubmatch(call)
		client, api, kind, namespace, name, path := part[1], part[2], part[3], part[4], part[5], part[6]
		object := kindOf(mapping(str("apiVersion"), str(api), str("kind"), str(kind)))
		var failed error
		switch object {
		case kindPrimary:
			path, failed = m.paths(path)
		case kindDeployment, kindService:
			if object == kindService && m.noService() {
				failed = m.skip("it looks Service %s up, and the implementation makes none", name)
			} else {
				name, failed = m.childName(object, name)
			}
		}
		if failed != nil {
			err = failed
			return call
		}
		return "x_k8s_get(" + client + ", '" + api + "', '" + kind + "', " + namespace + ", '" + name + "')" + path
	})
	return err
}

// containerFilter is how scenarios address the container in an expression.
var containerFilter = regexp.MustCompile(`(name\s*==\s*['"])` + referenceContainer + `(['"])`)

func (m *mapper) containerIn(s string) string {
	return containerFilter.ReplaceAllString(s, "${1}"+m.profile.Spec.Contract.Children.Deployment.Container+"${2}")
}
