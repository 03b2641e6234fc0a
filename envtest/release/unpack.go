package release

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// unpack unpacks the files of k8s/VERSION from an archive into a folder. The unpacked size
// of the whole archive must not exceed most bytes.
func unpack(archive io.Reader, version string, most int64, to *os.Root) error {
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		return err
	}
	content := &io.LimitedReader{R: unzipped, N: most + 1}
	entries := tar.NewReader(content)
	taken := 0
	var others []string
	for {
		entry, err := entries.Next()
		switch {
		case errors.Is(err, io.EOF):
			if taken == 0 {
				return fmt.Errorf("it holds no folder k8s/%s%s", version, instead(others))
			}
			return nil
		case err != nil && content.N == 0:
			return fmt.Errorf("it holds more than %d MB", most>>20)
		case err != nil:
			return err
		}
		if err := harmless(entry); err != nil {
			return fmt.Errorf("%q: %w", entry.Name, err)
		}
		dir, name := path.Split(path.Clean(entry.Name))
		dir, in := path.Split(path.Clean(dir))
		if path.Base(dir) != "k8s" || entry.Typeflag != tar.TypeReg && entry.Typeflag != tar.TypeSymlink {
			continue
		}
		if in != version {
			others = append(others, in)
			continue
		}
		if err := take(entries, entry, name, to); err != nil {
			return fmt.Errorf("%q: %w", entry.Name, err)
		}
		taken++
	}
}

// harmless returns an error if an entry could reach anything outside the folder into which
// the archive is unpacked.
func harmless(entry *tar.Header) error {
	if !filepath.IsLocal(filepath.FromSlash(entry.Name)) {
		return errors.New("the name leads out of the archive")
	}
	switch entry.Typeflag {
	case tar.TypeReg, tar.TypeDir, tar.TypeXGlobalHeader:
		return nil
	case tar.TypeSymlink:
		if path.IsAbs(entry.Linkname) || !filepath.IsLocal(filepath.FromSlash(path.Join(path.Dir(entry.Name), entry.Linkname))) {
			return fmt.Errorf("the link to %q leads out of the archive", entry.Linkname)
		}
		return nil
	default:
		return errors.New("neither a file nor a folder nor a symbolic link")
	}
}

// take writes one file, or a link to a file beside it.
func take(content io.Reader, entry *tar.Header, name string, to *os.Root) error {
	if entry.Typeflag == tar.TypeSymlink {
		if strings.Contains(entry.Linkname, "/") {
			return fmt.Errorf("the link to %q leads out of its folder", entry.Linkname)
		}
		return to.Symlink(entry.Linkname, name)
	}
	mode := fs.FileMode(0o644)
	if entry.Mode&0o111 != 0 {
		mode = 0o755
	}
	file, err := to.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

func instead(versions []string) string {
	if len(versions) == 0 {
		return ""
	}
	return " but k8s/" + versions[0]
}
