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
	// argument is the index of the argument of the command that has the number, or -1.
	argument int
}

// WebhookPort is the name of the port of the webhooks in a profile.
const WebhookPort = "webhook"

// servings returns the ports of the controller. A port is named after what it serves.
func (r *Record) servings() []serving {
	var found []serving
	taken := map[string]bool{}
	for _, port := range r.Ports {
		s := serving{port: port, argument: argumentWith(r.Command, port)}
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

// argumentWith returns the index of the argument that ends in a port, or -1.
func argumentWith(command []string, port int) int {
	return slices.IndexFunc(command, func(arg string) bool {
		m := portIn.FindStringSubmatch(arg)
		return m != nil && m[2] == strconv.Itoa(port)
	})
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
