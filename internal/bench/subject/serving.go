package subject

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"reconform.dev/reconform/internal/process/sandbox"
)

// Page is what a replica answered on one of its ports.
type Page struct {
	Port int
	// Scheme is http or https.
	Scheme string
	Path   string
	Code   int
	// WithToken is true if the request carried a token, because the page asked for one.
	WithToken bool
	Body      string // or the beginning of it
}

// mostPage is the largest part of a page that is read.
const mostPage = 1 << 20

// Serving finds the ports on which a replica listens, and gets the paths from each. If the
// replica has no network of its own, only the ports that it was given count.
func (s *Controller) Serving(ctx context.Context, namespace, name string, paths []string) (ports []int, pages []Page, err error) {
	r, err := s.replica(namespace, name)
	if err != nil {
		return nil, nil, err
	}
	if ports, err = r.listening(); err != nil {
		return nil, nil, err
	}
	asked := r.pages(pageTimeout)
	for _, port := range ports {
		pages = append(pages, pagesAt(paths, func(path string) (Page, bool) { return asked.page(ctx, port, path) })...)
	}
	return ports, pages, nil
}

// pagesAt gets the paths from a port. If the first few get no answer, HTTP is not spoken there, and
// the others are not asked for: each may take as long as a page may take, twice.
func pagesAt(paths []string, get func(path string) (Page, bool)) (pages []Page) {
	const few = 2
	for n, path := range paths {
		if n >= few && len(pages) == 0 {
			break
		}
		if page, ok := get(path); ok {
			pages = append(pages, page)
		}
	}
	return pages
}

// CheckWebhook says why a replica's webhook cannot be asked, or returns nil.
func (s *Controller) CheckWebhook(ctx context.Context, namespace, name string) error {
	r, err := s.replica(namespace, name)
	if err != nil {
		return err
	}
	return r.checkWebhook(ctx)
}

// OwnNetwork tells whether a replica has a network of its own.
func (s *Controller) OwnNetwork() bool { return s.ownNetwork() }

// page gets a page on a port, over http or https. It returns false if neither is spoken
// there.
func (p pages) page(ctx context.Context, port int, path string) (Page, bool) {
	page, ok := p.fetch(ctx, "http", port, path)
	if !ok || page.Code == http.StatusBadRequest { // Go's answer to HTTP on an HTTPS port
		if secure, spoken := p.fetch(ctx, "https", port, path); spoken {
			return secure, true
		}
	}
	return page, ok
}

// fetch gets a page. It returns false if the scheme is not spoken there.
func (p pages) fetch(ctx context.Context, scheme string, port int, path string) (Page, bool) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s://127.0.0.1:%d%s", scheme, port, path), nil)
	if err != nil {
		return Page{}, false
	}
	response, err := p.do(request)
	if err != nil {
		return Page{}, false
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, mostPage)) // as much as can be read
	return Page{Port: port, Scheme: scheme, Path: path, Code: response.StatusCode, WithToken: p.reader.known(path) != "", Body: string(body)}, true
}

// listening returns the ports on which the replica's processes listen: none while no process runs.
func (r *replica) listening() ([]int, error) {
	if !r.env.ownNetwork() {
		return slices.Sorted(maps.Values(r.ports)), nil
	}
	l := r.life()
	if l == nil {
		return nil, nil
	}
	here, ok := l.process.(*sandbox.Process)
	if !ok {
		return nil, nil // a Pod
	}
	found := map[int]bool{}
	for _, table := range []string{"tcp", "tcp6"} {
		file, err := os.Open(fmt.Sprintf("/proc/%d/net/%s", here.Pid(), table))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EINVAL) {
			return nil, nil // it ends just now
		}
		if err != nil {
			return nil, fmt.Errorf("looking for the ports of %s: %w", r.name, err)
		}
		for _, port := range listenersIn(file) {
			// The bench serves the API to the replica on this port.
			if strconv.Itoa(port) != r.spec.Port {
				found[port] = true
			}
		}
		file.Close()
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// listenersIn reads the listening ports from a table of sockets of the kernel. The local
// address is in the second column, in hexadecimal; the state is in the fourth, and 0A means
// LISTEN.
func listenersIn(table io.Reader) []int {
	var ports []int
	for lines := bufio.NewScanner(table); lines.Scan(); {
		columns := strings.Fields(lines.Text())
		if len(columns) < 4 || columns[3] != "0A" {
			continue
		}
		_, hex, _ := strings.Cut(columns[1], ":")
		if port, err := strconv.ParseUint(hex, 16, 16); err == nil {
			ports = append(ports, int(port))
		}
	}
	return ports
}
