package envtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"
	"golang.org/x/sync/errgroup"
)

// profiler takes a CPU profile of each component for as long as it runs. A component must
// be told in advance for how long, so it is asked again and again, each time for a window.
type profiler struct {
	dir string
	end chan struct{}

	takes errgroup.Group
}

// profileWindow is also how long stop has to wait for the last part.
const profileWindow = 5 * time.Second

// newProfiler returns nil if nothing is to be profiled.
func newProfiler(dir string) (*profiler, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder for profiles: %w", err)
	}
	return &profiler{dir: dir, end: make(chan struct{})}, nil
}

// take profiles the component that serves its profiles at base.
func (p *profiler) take(name, base string, client *http.Client) {
	if p == nil {
		return
	}
	url := strings.TrimSuffix(base, "/") + "/debug/pprof/profile?seconds=" + strconv.Itoa(int(profileWindow.Seconds()))
	p.takes.Go(func() error {
		if err := p.run(filepath.Join(p.dir, name+".pb.gz"), url, client); err != nil {
			return fmt.Errorf("profiling %s: %w", name, err)
		}
		return nil
	})
}

func (p *profiler) run(path, url string, client *http.Client) error {
	var parts []*profile.Profile
	for ended := false; !ended; {
		part, err := fetch(url, client)
		if err != nil {
			return err
		}
		parts = append(parts, part)
		select {
		case <-p.end:
			ended = true
		default:
		}
	}
	whole, err := profile.Merge(parts)
	if err != nil {
		return fmt.Errorf("joining the parts: %w", err)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(whole.Write(file), file.Close())
}

func fetch(url string, client *http.Client) (*profile.Profile, error) {
	response, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 200))
		return nil, fmt.Errorf("%s: %s", response.Status, body)
	}
	return profile.Parse(response.Body)
}

// stop writes the profiles, and returns the first error. The components must still run.
func (p *profiler) stop(ctx context.Context) error {
	if p == nil {
		return nil
	}
	close(p.end)
	done := make(chan error, 1)
	go func() { done <- p.takes.Wait() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("writing the profiles: %w", context.Cause(ctx))
	}
}
