package release

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The environment variables that name an archive, and its SHA-256.
const (
	LocationVariable = "RECONFORM_ASSETS"
	SumVariable      = "RECONFORM_ASSETS_SHA256"
)

// Archive is the archive of a release.
type Archive struct {
	// Location is a file, or a URL.
	Location string
	// SHA256 of the archive, in hexadecimal digits. If it is empty, it is read from
	// SHA256SUMS beside the archive.
	SHA256 string
	// LocationFrom and SHA256From say what the user set them with, a flag for example. If they
	// are empty, it is an environment variable: RECONFORM_ASSETS, RECONFORM_ASSETS_SHA256.
	LocationFrom, SHA256From string
	// Progress is called with a few words about what is being done. It may be nil.
	Progress func(string)

	client  *http.Client  // nil: our own
	stalled time.Duration // how long a download may make no progress; 0: stalledAfter
	sumFrom string        // where the SHA-256 comes from
}

// FromEnvironment returns the archive that RECONFORM_ASSETS names, or nil if it is not set.
func FromEnvironment(progress func(string)) *Archive {
	location := os.Getenv(LocationVariable)
	if location == "" {
		return nil
	}
	return &Archive{Location: location, SHA256: os.Getenv(SumVariable), Progress: progress}
}

// name returns the name of the archive for messages, without a password.
func (a *Archive) name() string {
	if u, err := url.Parse(a.Location); err == nil {
		return u.Redacted()
	}
	return a.Location
}

// url returns the URL of the archive, or nil if it is a file.
func (a *Archive) url() (*url.URL, error) {
	if !strings.Contains(a.Location, "://") {
		return nil, nil
	}
	u, err := url.Parse(a.Location)
	if err != nil {
		return nil, fmt.Errorf("reading the URL of the archive: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s is neither a file nor an URL with http or https", u.Redacted())
	}
	return u, nil
}

// marker is a file with the SHA-256 of the archive from which a folder was unpacked.
const marker = ".unpacked"

// InstalledIn tells whether a folder has the content of this archive. If the SHA-256 is not
// pinned, it is looked up first.
func (a *Archive) InstalledIn(ctx context.Context, dir string) (bool, error) {
	if err := a.Pin(ctx); err != nil {
		return false, err
	}
	from, err := os.ReadFile(filepath.Join(dir, marker))
	return err == nil && strings.TrimSpace(string(from)) == a.SHA256 && complete(dir) == nil, nil
}

// Unpacked tells whether the content of a folder comes from an archive.
func Unpacked(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, marker))
	return err == nil
}

func (a *Archive) say(format string, args ...any) {
	if a.Progress != nil {
		a.Progress(fmt.Sprintf(format, args...))
	}
}
