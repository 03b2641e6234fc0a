package dialect

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Command is a call of kubectl.
type Command struct {
	// Verb is one word or two, such as "set image".
	Verb string
	// Reads says that the command changes nothing.
	Reads bool
	// Arguments after the verb, in order.
	Arguments []Argument
}

// Argument is one argument of a Command: Objects, a Name, an Assignment or a Flag. The
// other three are nil.
type Argument struct {
	// Objects are resources with or without a name, as in deployment/demo or
	// deployments,services.
	Objects []Object
	// Name of an object, if the argument before it is the resource.
	Name *string
	// Assignment is KEY=VALUE, or KEY- to remove a key.
	Assignment *Assignment
	// Flag with its value.
	Flag *Flag
}

// Object is an object that kubectl acts on.
type Object struct {
	// Resource as it is written, such as deploy or webapps.apps.kubedojo.io.
	Resource string
	// Name of the object, or empty.
	Name string
}

// Assignment is KEY=VALUE.
type Assignment struct {
	Key, Value string
	// Text is the argument if it has the form KEY-.
	Text string
}

// Flag is a flag with its long name.
type Flag struct {
	Name, Value string
	// Bare says that it has no value.
	Bare bool
}

// command is an entry of the table of commands.
type command struct {
	words       []string
	reads       bool
	assignments bool
	flags       []string
}

// kubectlCommands are the commands that scenarios may run, each with its flags. All of
// them also accept --namespace.
var kubectlCommands = []command{
	{words: []string{"get"}, reads: true, flags: []string{"output", "selector", "ignore-not-found", "no-headers"}},
	{words: []string{"describe"}, reads: true, flags: []string{"selector"}},
	{words: []string{"wait"}, reads: true, flags: []string{"for", "timeout", "selector", "all"}},
	{words: []string{"delete"}, flags: []string{"wait", "ignore-not-found", "cascade", "all", "selector", "timeout", "grace-period"}},
	{words: []string{"patch"}, flags: []string{"type", "patch", "output", "subresource"}},
	{words: []string{"scale"}, flags: []string{"replicas", "current-replicas"}},
	{words: []string{"label"}, assignments: true, flags: []string{"overwrite", "selector", "all", "dry-run"}},
	{words: []string{"annotate"}, assignments: true, flags: []string{"overwrite", "selector", "all"}},
	{words: []string{"set", "image"}, assignments: true},
	{words: []string{"set", "env"}, assignments: true, flags: []string{"containers"}},
	{words: []string{"set", "resources"}, flags: []string{"containers", "requests", "limits"}},
	{words: []string{"rollout", "restart"}},
	{words: []string{"rollout", "status"}, reads: true, flags: []string{"timeout", "watch"}},
}

// bareFlags are flags that need no value.
var bareFlags = []string{"wait", "ignore-not-found", "all", "overwrite", "no-headers", "watch"}

// shortFlags are the short names of flags.
var shortFlags = map[string]string{"n": "namespace", "l": "selector", "o": "output", "p": "patch", "c": "containers"}

// The forms of arguments.
var (
	resourceForm = regexp.MustCompile(`^[a-z][a-z0-9]*(\.[a-z0-9][-a-z0-9]*)*$`)
	nameForm     = regexp.MustCompile(`^([-a-z0-9.]+|\$[A-Z_]+)+$`)
)

// ParseKubectl reads the arguments of a call of kubectl. The error says what is outside of
// the dialect.
func ParseKubectl(args []string) (*Command, error) {
	known, rest, err := findCommand(args)
	if err != nil {
		return nil, err
	}
	c := &Command{Verb: strings.Join(known.words, " "), Reads: known.reads}
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		switch {
		case strings.HasPrefix(arg, "(") && strings.HasSuffix(arg, ")"):
			return nil, fmt.Errorf("kubectl %s: an expression as an argument: give it a name under env, and write $NAME", c.Verb)
		case strings.HasPrefix(arg, "-"):
			flag, separate, err := parseFlag(known, arg)
			if err == nil && separate {
				if i++; i == len(rest) {
					err = fmt.Errorf("%s needs a value", arg)
				} else {
					flag.Value = rest[i]
				}
			}
			if err != nil {
				return nil, fmt.Errorf("kubectl %s: %w", c.Verb, err)
			}
			c.Arguments = append(c.Arguments, Argument{Flag: flag})
		default:
			argument, err := c.positional(known, arg)
			if err != nil {
				return nil, fmt.Errorf("kubectl %s: %w", c.Verb, err)
			}
			c.Arguments = append(c.Arguments, argument)
		}
	}
	if len(c.Objects()) == 0 {
		return nil, fmt.Errorf("kubectl %s: no object is named: write RESOURCE/NAME", c.Verb)
	}
	return c, nil
}

func findCommand(args []string) (command, []string, error) {
	for _, known := range kubectlCommands {
		if len(args) >= len(known.words) && slices.Equal(args[:len(known.words)], known.words) {
			return known, args[len(known.words):], nil
		}
	}
	if len(args) == 0 {
		return command{}, nil, errors.New("kubectl without a command")
	}
	return command{}, nil, fmt.Errorf("kubectl %s is not allowed", args[0])
}

// parseFlag reads a flag and says whether its value is the next argument.
func parseFlag(known command, arg string) (flag *Flag, separate bool, err error) {
	name, value, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	if long, short := shortFlags[name]; short && !strings.HasPrefix(arg, "--") {
		name = long
	} else if !strings.HasPrefix(arg, "--") {
		return nil, false, fmt.Errorf("the flag %s is not allowed", arg)
	}
	if name != "namespace" && !slices.Contains(known.flags, name) {
		return nil, false, fmt.Errorf("the flag --%s is not allowed", name)
	}
	bare := !joined && slices.Contains(bareFlags, name)
	return &Flag{Name: name, Value: value, Bare: bare}, !joined && !bare, nil
}

// positional reads an argument that is not a flag.
func (c *Command) positional(known command, arg string) (Argument, error) {
	objects := c.Objects()
	if len(objects) > 0 && known.assignments {
		key, value, ok := strings.Cut(arg, "=")
		if ok {
			return Argument{Assignment: &Assignment{Key: key, Value: value}}, nil
		}
		if strings.HasSuffix(arg, "-") {
			return Argument{Assignment: &Assignment{Text: arg}}, nil
		}
	}
	// Names follow a resource without a name.
	if len(objects) > 0 && objects[0].Name == "" {
		if !nameForm.MatchString(arg) {
			return Argument{}, fmt.Errorf("%s is not a name", arg)
		}
		return Argument{Name: &arg}, nil
	}
	var parsed []Object
	for part := range strings.SplitSeq(arg, ",") {
		resource, name, named := strings.Cut(part, "/")
		if !resourceForm.MatchString(resource) || named && !nameForm.MatchString(name) {
			return Argument{}, fmt.Errorf("%s is neither RESOURCE/NAME nor a list of resources", arg)
		}
		if named && strings.Contains(arg, ",") {
			return Argument{}, fmt.Errorf("%s mixes names into a list of resources", arg)
		}
		parsed = append(parsed, Object{Resource: resource, Name: name})
	}
	if len(objects) > 0 && parsed[0].Name == "" {
		return Argument{}, fmt.Errorf("%s is not RESOURCE/NAME, as the object before it is", arg)
	}
	return Argument{Objects: parsed}, nil
}

// Objects returns the objects that the command names. In delete deployment demo, this is the
// resource deployment without a name: demo is an Argument of its own.
func (c *Command) Objects() []Object {
	var all []Object
	for _, argument := range c.Arguments {
		all = append(all, argument.Objects...)
	}
	return all
}

// Args returns the arguments of the call, including the verb. Flags have their long names.
func (c *Command) Args() []string {
	args := strings.Fields(c.Verb)
	for _, argument := range c.Arguments {
		args = append(args, argument.String())
	}
	return args
}

// String returns the argument as it is written.
func (a Argument) String() string {
	switch {
	case a.Name != nil:
		return *a.Name
	case a.Assignment != nil && a.Assignment.Text != "":
		return a.Assignment.Text
	case a.Assignment != nil:
		return a.Assignment.Key + "=" + a.Assignment.Value
	case a.Flag != nil && a.Flag.Bare:
		return "--" + a.Flag.Name
	case a.Flag != nil:
		return "--" + a.Flag.Name + "=" + a.Flag.Value
	}
	parts := make([]string, len(a.Objects))
	for i, object := range a.Objects {
		parts[i] = object.Resource
		if object.Name != "" {
			parts[i] += "/" + object.Name
		}
	}
	return strings.Join(parts, ",")
}
