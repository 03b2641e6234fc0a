package chainsaw

import (
	"path"
	"slices"
	"strings"
)

// acts says what an operation writes: patch Deployment demo. It returns "" if the operation
// only looks, or is about an object of the bench, which tells by itself what it does.
func acts(operation, object string) string {
	kind, name, _ := strings.Cut(object, " @ ")
	if !slices.Contains([]string{"apply", "create", "delete", "patch", "update"}, operation) || strings.HasPrefix(kind, "reconform.dev/") {
		return ""
	}
	return strings.TrimSpace(operation + " " + path.Base(kind) + " " + path.Base(name))
}

// commandFollows is the line that Chainsaw prints before a command line.
const commandFollows = "=== COMMAND"

// commandIn returns a command line as a person would write it: without the folder of the
// program, and without the namespace.
func commandIn(line string) string {
	words := strings.Fields(line)
	if len(words) == 0 {
		return ""
	}
	words[0] = path.Base(words[0])
	words = slices.DeleteFunc(words, func(word string) bool { return strings.HasPrefix(word, "--namespace=") })
	return strings.Join(words, " ")
}

// commanded waits for the command line of an operation, which is printed after it.
type commanded struct {
	event   Event // the operation
	waiting bool  // for the command line
	next    bool  // the next line is the command line
}

// begin takes note of an operation that begins.
func (c *commanded) begin(event Event, began bool) {
	*c = commanded{event: event, waiting: began && (event.Operation == "cmd" || event.Operation == "script")}
}

// line returns the event of the command, if the line is its command line.
func (c *commanded) line(line string) (event Event, ok bool) {
	text := strings.TrimSpace(line)
	switch {
	case !c.waiting:
		return Event{}, false
	case c.next:
		c.waiting, c.event.Acts = false, commandIn(text)
		return c.event, true
	}
	c.waiting, c.next = text == commandFollows, text == commandFollows
	return Event{}, false
}
