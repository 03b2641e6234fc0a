package profile

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"reconform.dev/reconform/internal/profile/nearest"
)

// expand fills in a template such as "{{ .name }}-web". It is an error if the data lacks a
// key.
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

// templateProblem says what is wrong with a template, or returns "". The template may use
// only the given keys, each with a leading dot, and texts in quotes. A key that ends in .*
// allows everything below it.
func templateProblem(text string, keys ...string) string {
	if !strings.Contains(text, "{{") {
		return ""
	}
	allowed := "no key"
	if len(keys) > 0 {
		allowed = strings.Join(keys, ", ")
	}
	tree := parse.New("")
	tree.Mode = parse.ParseComments | parse.SkipFuncCheck
	t, err := tree.Parse(text, "", "", map[string]*parse.Tree{})
	if err != nil {
		return fmt.Sprintf("not a template: %s; %s", strings.TrimPrefix(err.Error(), "template: "), asText)
	}
	for _, node := range t.Root.Nodes {
		switch node := node.(type) {
		case *parse.TextNode:
			continue
		case *parse.ActionNode:
			if _, ok := soleText(node); ok {
				continue
			}
			if field, ok := soleField(node); ok {
				key := "." + strings.Join(field, ".")
				known := slices.ContainsFunc(keys, func(k string) bool {
					prefix, open := strings.CutSuffix(k, ".*")
					return key == k || open && (key == prefix || strings.HasPrefix(key, prefix+"."))
				})
				if !known {
					return fmt.Sprintf("unknown key {{ %s }}%s; allowed: %s; %s", key, nearest.Question(key, keys), allowed, asText)
				}
				continue
			}
		}
		return fmt.Sprintf("%s is not allowed: a template may only name a key; allowed: %s; %s", node, allowed, asText)
	}
	return ""
}

// Braces is how a template writes two opening braces that are plain text, as in Helm's
// charts.
const Braces = `{{"{{"}}`

// asText says how to write braces that do not belong to our templates.
const asText = `for plain {{ in the text, write ` + Braces

// soleField returns the field of an action that consists only of a field.
func soleField(action *parse.ActionNode) ([]string, bool) {
	if field, ok := soleArgument(action).(*parse.FieldNode); ok {
		return field.Ident, true
	}
	return nil, false
}

// soleText returns the text of an action that consists only of a text in quotes.
func soleText(action *parse.ActionNode) (string, bool) {
	if text, ok := soleArgument(action).(*parse.StringNode); ok {
		return text.Text, true
	}
	return "", false
}

// soleArgument returns the only argument of an action that calls nothing, or nil for any
// other action.
func soleArgument(action *parse.ActionNode) parse.Node {
	if len(action.Pipe.Cmds) != 1 || len(action.Pipe.Decl) != 0 || len(action.Pipe.Cmds[0].Args) != 1 {
		return nil
	}
	return action.Pipe.Cmds[0].Args[0]
}

// EscapeTemplates writes a text so that it can stand in a profile and keeps its value. An
// action that names one of the keys (.namespace, or .ports.* for a name below .ports) stays a
// template.
func EscapeTemplates(text string, keys ...string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "{{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if end := strings.Index(after, "}}"); end >= 0 && namesKey(after[:end], keys) {
			b.WriteString("{{" + after[:end] + "}}")
			text = after[end+len("}}"):]
			continue
		}
		b.WriteString(Braces)
		text = after
	}
}

// EscapeAll returns a copy of a JSON value in which each text is written so that it keeps
// its value in a profile.
func EscapeAll(value any) any {
	return EachText(value, func(text string) string { return EscapeTemplates(text) })
}

// EachText returns a copy of a JSON value in which each text, but no key, is replaced.
func EachText(value any, replace func(string) string) any {
	switch v := value.(type) {
	case string:
		return replace(v)
	case map[string]any:
		copied := make(map[string]any, len(v))
		for key := range v {
			copied[key] = EachText(v[key], replace)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i := range v {
			copied[i] = EachText(v[i], replace)
		}
		return copied
	}
	return value
}

// AnyText says whether a JSON value has a text, other than a key, for which is returns true.
func AnyText(value any, is func(string) bool) bool {
	below := func(value any) bool { return AnyText(value, is) }
	switch v := value.(type) {
	case string:
		return is(v)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), below)
	case []any:
		return slices.ContainsFunc(v, below)
	}
	return false
}

// EscapeCommand writes an argument of a command, or the value of a variable, for launch, so
// that it keeps its value. An action that names a key of launch stays a template.
func EscapeCommand(text string) string {
	return EscapeTemplates(text, ".namespace", ".served", ".ports.*", ".kubeconfig", ".certificates")
}

// keyInAction matches a key in an action, and the dashes and spaces around it.
var keyInAction = regexp.MustCompile(`^(?:- )?\s*(\.\w+)(\.\w+)?\s*(?: -)?$`)

func namesKey(action string, keys []string) bool {
	match := keyInAction.FindStringSubmatch(action)
	if match == nil {
		return false
	}
	key := match[1]
	if match[2] != "" {
		key += ".*"
	}
	return slices.Contains(keys, key)
}

// filledIn fills in a valid template, with one value for all its keys.
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
			if text, ok := soleText(node); ok {
				b.WriteString(text)
			} else {
				b.WriteString(value)
			}
		}
	}
	return b.String()
}
