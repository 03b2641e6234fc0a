package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"time"
)

const (
	// maxArchive limits the size of a download.
	maxArchive = 1 << 30
	// stalledAfter is how long a download may make no progress.
	stalledAfter = time.Minute
	// maxRedirects is the number that net/http follows by default.
	maxRedirects = 10
)

var errStalled = errors.New("nothing more came")

// get begins to read a URL. It asks allow about this URL and about each one that it is
// redirected to. The caller closes the body.
func (a *Archive) get(ctx context.Context, location string, allow func(*url.URL) error) (*http.Response, error) {
	client := http.Client{Transport: http.DefaultTransport}
	if a.client != nil {
		client = *a.client
	}
	client.CheckRedirect = func(request *http.Request, via []*http.Request) error {
		if len(via) >= maxRedirects {
			return fmt.Errorf("stopped after %d redirects", maxRedirects)
		}
		return allow(request.URL)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, location, nil)
	if err != nil {
		return nil, err
	}
	if err := allow(request.URL); err != nil {
		return nil, err
	}
	// No compression: the bytes that are compared with the SHA-256 must not be unpacked on
	// the way.
	request.Header.Set("Accept-Encoding", "identity")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, fmt.Errorf("%s answers %s", request.URL.Redacted(), response.Status)
	}
	return response, nil
}

// anyURL allows each URL.
func anyURL(*url.URL) error { return nil }

// secureURL allows only https.
func secureURL(at *url.URL) error {
	if at.Scheme != "https" {
		return fmt.Errorf("%s: %w", at.Redacted(), errNotSecure)
	}
	return nil
}

// download fetches the archive.
func (a *Archive) download(ctx context.Context, to *os.File) error {
	stalled := a.stalled
	if stalled == 0 {
		stalled = stalledAfter
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(stalled, func() { cancel(fmt.Errorf("%w for %s", errStalled, stalled)) })
	defer watchdog.Stop()

	response, err := a.get(ctx, a.Location, anyURL)
	if err != nil {
		return fmt.Errorf("downloading the archive: %w", becauseOf(ctx, err))
	}
	defer response.Body.Close()
	size := response.ContentLength
	if size > maxArchive {
		return fmt.Errorf("downloading %s: it has %d MB, more than %d", a.name(), size>>20, maxArchive>>20)
	}
	a.say("downloading %s (%s)", a.name(), megabytes(size))
	body := &progress{
		from:  io.LimitReader(response.Body, maxArchive+1),
		each:  each(size),
		moved: func() { watchdog.Reset(stalled) },
		tell:  func(now int64) { a.say("downloaded %d of %s", now>>20, megabytes(size)) },
	}
	received, err := io.Copy(to, body)
	var full *fs.PathError // an error of our file, not of the connection
	switch {
	case errors.As(err, &full):
		return fmt.Errorf("downloading %s (%s): %w", a.name(), megabytes(size), err)
	case err != nil:
		return fmt.Errorf("downloading %s (%s): cut after %d bytes: %w", a.name(), megabytes(size), received, becauseOf(ctx, err))
	case received > maxArchive:
		return fmt.Errorf("downloading %s: it has more than %d MB", a.name(), maxArchive>>20)
	}
	return nil
}

// becauseOf adds the cause of the context's end to an error that it has caused.
func becauseOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w (%w)", cause, err)
	}
	return err
}

func megabytes(size int64) string {
	if size < 0 {
		return "an unknown size"
	}
	return fmt.Sprintf("%d MB", size>>20)
}
