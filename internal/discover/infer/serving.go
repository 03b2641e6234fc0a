package infer

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// serving is a port of the controller, with its pages that answered 200.
type serving struct {
	port  int
	name  string // for launch.ports or launch.fixedPorts
	pages []Page
	// argument is the index of the argument of the command that says where it listens, or -1.
	argument int
	// elsewhere are the arguments that have the number of the port, and were seen not to say where
	// it listens.
	elsewhere []string
}

// WebhookPort is the name of the port of the webhooks in a profile.
const WebhookPort = "webhook"

// servings returns the ports of the controller. A port is named after what it serves.
func (r *Record) servings() []serving {
	var found []serving
	taken := map[string]bool{}
	for _, port := range r.Ports {
		s := serving{port: port}
		s.argument, s.elsewhere = r.argumentOf(port)
		for _, page := range r.Pages {
			if page.Port == port && page.Code == http.StatusOK {
				s.pages = append(s.pages, page)
			}
		}
		switch {
		case r.Webhook != nil && r.Webhook.Port == port:
			s.name = WebhookPort
		case s.has("/readyz", "/ready", "/healthz", "/livez", "/live", "/health"):
			s.name = "health"
		case s.has("/metrics"):
			s.name = "metrics"
		default:
			s.name = "port" + strconv.Itoa(port)
		}
		if taken[s.name] {
			s.name += strconv.Itoa(port)
		}
		taken[s.name] = true
		found = append(found, s)
	}
	return found
}

func (s serving) has(paths ...string) bool {
	return slices.ContainsFunc(s.pages, func(p Page) bool { return slices.Contains(paths, p.Path) })
}

func (s serving) page(path string) (Page, bool) {
	n := slices.IndexFunc(s.pages, func(p Page) bool { return p.Path == path })
	if n < 0 {
		return Page{}, false
	}
	return s.pages[n], true
}

// portIn finds a number at the end of an argument: :8080, --port=8080, 8080.
var portIn = regexp.MustCompile(`(^|[:=])(\d{2,5})$`)

// PortArguments returns the arguments of the command that end in the number of a port on which
// the controller listens: these numbers, by the index of the argument.
func (r *Record) PortArguments() map[int]int {
	found := map[int]int{}
	for n, arg := range r.Command {
		m := portIn.FindStringSubmatch(arg)
		if m == nil {
			continue
		}
		if number, err := strconv.Atoi(m[2]); err == nil && slices.Contains(r.Ports, number) {
			found[n] = number
		}
	}
	return found
}

// Moved is what was seen when the controller was started once more, with other numbers in its
// arguments.
type Moved struct {
	// To are the numbers, by the index of the argument.
	To map[int]int
	// Ports on which it listened then.
	Ports []int
}

// argumentOf returns the index of the argument that says that the controller listens on a port,
// or -1, and the arguments that have the number for something else. If the controller was not
// started with other numbers, the first argument with the number counts.
func (r *Record) argumentOf(port int) (index int, elsewhere []string) {
	numbers := r.PortArguments()
	for n, arg := range r.Command {
		switch {
		case numbers[n] != port:
		case r.Moved == nil || slices.Contains(r.Moved.Ports, r.Moved.To[n]):
			return n, nil
		default:
			elsewhere = append(elsewhere, strings.Join(append(flagBefore(r.Command, n), arg), " "))
		}
	}
	return -1, elsewhere
}

// flagBefore returns the flag that an argument is the value of, if it is an argument of its own.
func flagBefore(command []string, n int) []string {
	if n > 1 && strings.HasPrefix(command[n-1], "-") && !strings.HasPrefix(command[n], "-") && !strings.Contains(command[n-1], "=") {
		return command[n-1 : n : n]
	}
	return nil
}

// withPorts returns the command with templates in place of its ports, and the names of the
// ports.
func withPorts(command []string, servings []serving) (templates, names []string) {
	templates = slices.Clone(command)
	for _, s := range servings {
		if s.argument < 0 {
			continue
		}
		number := strconv.Itoa(s.port)
		templates[s.argument] = strings.TrimSuffix(templates[s.argument], number) + "{{ .ports." + s.name + " }}"
		names = append(names, s.name)
	}
	return templates, names
}

// Paths returns the paths that are asked for on every port.
func Paths() []string {
	return []string{"/readyz", "/ready", "/healthz", "/livez", "/live", "/health", "/metrics"}
}
