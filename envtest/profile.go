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

// profiler takes a CPU profile of each component for as long as it runs, and at the end one
// of its memory. A component must be told in advance for how long, so it is asked again and
// again, each time for a window.
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
	dir, err := filepath.Abs(dir) // the components run in another folder
	if err != nil {
		return nil, fmt.Errorf("making the folder for profiles: %w", err)
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
	base = strings.TrimSuffix(base, "/")
	p.takes.Go(func() error {
		err := p.run(filepath.Join(p.dir, name+".pb.gz"), base+"/debug/pprof/profile?seconds="+strconv.Itoa(int(profileWindow.Seconds())), client)
		if err == nil {
			err = p.save(filepath.Join(p.dir, "heap", name+".pb.gz"), base+"/debug/pprof/heap", client)
		}
		if err == nil && name == apiServer {
			err = p.writeRequests(base, client)
		}
		if err != nil {
			return fmt.Errorf("profiling %s: %w", name, err)
		}
		return nil
	})
}

// run profiles the processor time until the end, and writes it to a file.
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
	return write(path, whole)
}

// save writes the profile at a URL to a file.
func (p *profiler) save(path, url string, client *http.Client) error {
	taken, err := fetch(url, client)
	if err != nil {
		return err
	}
	return write(path, taken)
}

func write(path string, whole *profile.Profile) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(whole.Write(file), file.Close())
}

func fetch(url string, client *http.Client) (*profile.Profile, error) {
	body, err := get(url, client)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return profile.Parse(body)
}

func get(url string, client *http.Client) (io.ReadCloser, error) {
	response, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(response.Body, 200))
		return nil, fmt.Errorf("%s: %s", response.Status, body)
	}
	return response.Body, nil
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

// Collecting returns the part of a CPU profile's time that garbage collection took: 0 to 1.
func Collecting(cpu *profile.Profile) float64 {
	var all, collecting int64
	for _, sample := range cpu.Sample {
		spent := sample.Value[len(sample.Value)-1] // the nanoseconds come last
		all += spent
		if collects(sample) {
			collecting += spent
		}
	}
	if all == 0 {
		return 0
	}
	return float64(collecting) / float64(all)
}

// collects tells whether a sample was taken in the garbage collector: in its own workers, or
// in a goroutine that had to help because it allocated.
func collects(sample *profile.Sample) bool {
	for _, location := range sample.Location {
		for _, line := range location.Line {
			switch line.Function.Name {
			case "runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.gcStart", "runtime.bgsweep", "runtime.bgscavenge":
				return true
			}
		}
	}
	return false
}
