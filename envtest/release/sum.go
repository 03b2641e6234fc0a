package release

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// sums is the file beside the archives of a release, in the format of sha256sum.
const sums = "SHA256SUMS"

// maxSums limits the size of that file.
const maxSums = 1 << 20

// Pin makes sure that the SHA-256 is known. If it is not given, Pin looks it up.
func (a *Archive) Pin(ctx context.Context) error {
	if a.sumFrom != "" {
		return nil
	}
	from := cmp.Or(a.SHA256From, SumVariable)
	if a.SHA256 == "" {
		// If there is no archive, it does not help to say that there are no sums.
		if location, err := a.url(); err == nil && location == nil {
			if err := a.look(); err != nil {
				return err
			}
		}
		sum, list, err := a.beside(ctx)
		if err != nil {
			return fmt.Errorf("finding the SHA-256 of %s, as %s is not set: %w", a.name(), from, err)
		}
		a.SHA256, from = sum, list
	}
	a.SHA256 = strings.ToLower(a.SHA256)
	if sum, err := hex.DecodeString(a.SHA256); err != nil || len(sum) != sha256.Size {
		return fmt.Errorf("%q, of %s, is not a SHA-256: it has %d hexadecimal digits", a.SHA256, from, 2*sha256.Size)
	}
	a.sumFrom = from
	return nil
}

// look returns an error if the archive is not there, or is a folder.
func (a *Archive) look() error {
	from := cmp.Or(a.LocationFrom, LocationVariable)
	info, err := os.Stat(a.Location)
	switch {
	case err != nil:
		return fmt.Errorf("looking for the archive that %s names: %w", from, err)
	case info.IsDir():
		return fmt.Errorf("%s names a folder, %s; give the archive, a .tar.gz file (KUBEBUILDER_ASSETS may name a folder that has the binaries)", from, a.Location)
	}
	return nil
}

// beside looks up the SHA-256 in SHA256SUMS, and says where that file is.
func (a *Archive) beside(ctx context.Context) (sum, from string, err error) {
	archive, err := a.url()
	if err != nil {
		return "", "", err
	}
	var content []byte
	var name string
	if archive == nil {
		from, name = filepath.Join(filepath.Dir(a.Location), sums), filepath.Base(a.Location)
		content, err = readAtMost(from, maxSums)
	} else {
		list := archive.JoinPath("..", sums)
		list.RawQuery = ""
		from, name = list.Redacted(), path.Base(archive.Path)
		content, err = a.readSecurely(ctx, list.String())
	}
	if err != nil {
		return "", "", err
	}
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		// sha256sum writes a star before the name if it has read the file in binary mode.
		sum, listed, _ := strings.Cut(lines.Text(), " ")
		if strings.TrimPrefix(strings.TrimPrefix(listed, " "), "*") == name {
			return sum, from, nil
		}
	}
	return "", "", fmt.Errorf("%s does not list %s", from, name)
}

func readAtMost(file string, limit int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// readSecurely reads a small file over https, including all redirects.
func (a *Archive) readSecurely(ctx context.Context, location string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, stalledAfter)
	defer cancel()
	response, err := a.get(ctx, location, secureURL)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(io.LimitReader(response.Body, maxSums))
}

// errNotSecure: without https, anybody on the way could change the SHA-256.
var errNotSecure = errors.New("a SHA-256 is not taken from a place without https")

// verify reads the archive, and returns an error if it is not the expected one.
func (a *Archive) verify(file io.Reader) error {
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return fmt.Errorf("reading %s: %w", a.name(), err)
	}
	if found := hex.EncodeToString(hash.Sum(nil)); found != a.SHA256 {
		return fmt.Errorf("%s is not what was expected: its SHA-256 is %s, by %s it should be %s", a.name(), found, a.sumFrom, a.SHA256)
	}
	return nil
}
