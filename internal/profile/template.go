package profile

import (
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// expand fills in a template such as "{{ .name }}-web". A key that the data
// lacks is an error.
func expand(text string, data map[string]any) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	t, err := template.New("").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", fmt.Errorf("parsing the template %q: %w", text, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("expanding the template %q: %w", text, err)
	}
	return b.String(), nil
}

// templateProblem says what is wrong with a template, or nothing. It may use
// the given keys, each dotted and with a leading dot, and nothing else: a key
// that ends in .* allows everything below it.
func templateProblem(text string, keys ...string) string {
	if !strings.Contains(text, "{{") {
		return ""
	}
	allowed := "no key"
	if len(keys) > 0 {
		allowed = strings.Join(keys, ", ")
	}
	t, err := template.New("").Parse(text)
	if err != nil {
		return fmt.Sprintf("not a template: %s", strings.TrimPrefix(err.Error(), "template: "))
	}
	for _, node := range t.Root.Nodes {
		switch node := node.(type) {
		case *parse.TextNode, *parse.CommentNode:
			continue
		case *parse.ActionNode:
			if field, ok := soleField(node); ok {
				key := "." + strings.Join(field, ".")
				known := slices.ContainsFunc(keys, func(k string) bool {
					prefix, open := strings.CutSuffix(k, ".*")
					return key == k || open && (key == prefix || strings.HasPrefix(key, prefix+"."))
				})
				if !known {
					return fmt.Sprintf("unknown key {{ %s }}%s; allowed: %s", key, didYouMean(key, keys), allowed)
				}
				continue
			}
		}
		return fmt.Sprintf("%s is not allowed: a template may only name a key; allowed: %s", node, allowed)
	}
	return ""
}

// soleField is the field of an action that is only a field.
func soleField(action *parse.ActionNode) ([]string, bool) {
	if len(action.Pipe.Cmds) != 1 || len(action.Pipe.Decl) != 0 || len(action.Pipe.Cmds[0].Args) != 1 {
		return nil, false
	}
	field, ok := action.Pipe.Cmds[0].Args[0].(*parse.FieldNode)
	if !ok {
		return nil, false
	}
	return field.Ident, true
}

// filledIn is a template without problems, with one value for all its keys.
func filledIn(text, value string) string {
	t, err := template.New("").Parse(text)
	if err != nil {
		return text
	}
	var b strings.Builder
	for _, node := range t.Root.Nodes {
		switch node := node.(type) {
		case *parse.TextNode:
			b.Write(node.Text)
		case *parse.ActionNode:
			b.WriteString(value)
		}
	}
	return b.String()
}
