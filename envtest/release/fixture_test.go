package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const version = "v1.37.2"

// entry of an archive.
type entry struct {
	name    string
	content []byte
	link    string
	kind    byte // of tar; 0: a program, or a link if there is one
}

// whole is what the archive of a release holds, for this machine.
func whole(t *testing.T) []entry {
	t.Helper()
	// Any program in Go will do: this one.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir := "reconform-v1-here/bin/k8s/" + version + "/"
	entries := []entry{
		{name: "reconform-v1-here/bin/", kind: tar.TypeDir},
		{name: "reconform-v1-here/bin/reconform", content: []byte("the command")},
		{name: dir + "k8s", content: program},
		{name: dir + "kwok", link: "k8s"},
	}
	for _, name := range binaries {
		if name != "kwok" {
			entries = append(entries, entry{name: dir + name, link: "k8s"})
		}
	}
	return entries
}

// without one of the files.
func without(entries []entry, name string) []entry {
	var kept []entry
	for _, e := range entries {
		if filepath.Base(e.name) != name {
			kept = append(kept, e)
		}
	}
	return kept
}

// replaced in all names and contents.
func replaced(entries []entry, from, to string) []entry {
	var changed []entry
	for _, e := range entries {
		e.name = strings.ReplaceAll(e.name, from, to)
		e.content = bytes.ReplaceAll(e.content, []byte(from), []byte(to))
		changed = append(changed, e)
	}
	return changed
}

func pack(t *testing.T, entries []entry) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipper, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	writer := tar.NewWriter(zipper)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Mode: 0o755, Size: int64(len(e.content))}
		switch {
		case e.kind == 0 && e.link != "":
			header.Typeflag = tar.TypeSymlink
		case e.kind == 0:
			header.Typeflag = tar.TypeReg
		}
		if err := writer.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write(e.content); err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range []func() error{writer.Close, zipper.Close} {
		if err := end(); err != nil {
			t.Fatal(err)
		}
	}
	return packed.Bytes()
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func write(t *testing.T, content []byte, elem ...string) string {
	t.Helper()
	file := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// files are all below a folder.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
