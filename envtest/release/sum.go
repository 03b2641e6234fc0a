package release

import (
	"bufio"
	"bytes"
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

// sums is the file beside the archives of a release, as sha256sum writes it.
const sums = "SHA256SUMS"

// maxSums bounds its size.
const maxSums = 1 << 20

// Pin makes sure that the SHA-256 is known: where it is not given, it is looked up.
func (a *Archive) Pin(ctx context.Context) error {
	if a.sumFrom != "" {
		return nil
	}
	from := SumVariable
	if a.SHA256 == "" {
		// Where there is no archive, it is of no use to say that there are no sums.
		if location, err := a.url(); err == nil && location == nil {
			if _, err := os.Stat(a.Location); err != nil {
				return fmt.Errorf("looking for the archive that %s names: %w", LocationVariable, err)
			}
		}
		var err error
		if a.SHA256, from, err = a.beside(ctx); err != nil {
			return fmt.Errorf("finding the SHA-256 of %s, as %s is not set: %w", a.name(), SumVariable, err)
		}
	}
	a.SHA256 = strings.ToLower(a.SHA256)
	if sum, err := hex.DecodeString(a.SHA256); err != nil || len(sum) != sha256.Size {
		return fmt.Errorf("%q, of %s, is not a SHA-256: it has %d hexadecimal digits", a.SHA256, from, 2*sha256.Size)
	}
	a.sumFrom = from
	return nil
}

// beside looks the SHA-256 up in SHA256SUMS, and says where that is.
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
		// A star before the name is how sha256sum says that it read the file as it is.
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

// readSecurely reads a small file over https, wherever that is redirected to.
func (a *Archive) readSecurely(ctx context.Context, location string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, stalledAfter)
	defer cancel()
	response, err := a.get(ctx, location, true)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(io.LimitReader(response.Body, maxSums))
}

// errNotSecure: anybody on the way could make it say what they like.
var errNotSecure = errors.New("a SHA-256 is not taken from a place without https")

// verify reads the archive, and fails where it is another than expected.
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
