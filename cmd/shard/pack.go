package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostPacked limits the archive, in bytes. The log of a container is kept up to 10 MB by
// default, with about 50 bytes before each line of 64. A run of everything needs a tenth.
const mostPacked = 4 << 20

// first names the files without which the others are useless. They are in the archive
// whatever their size.
func first() []string {
	return []string{".reconform", "conformance-report.yaml", "junit.xml", "summary.md"}
}

// pack packs the files of a folder. A file that is not among the first is left out if it
// would make the archive too large. The history is packed before the logs.
func pack(dir string, most int) (archive []byte, leftOut []string, err error) {
	if _, err := os.Stat(filepath.Join(dir, "conformance-report.yaml")); err != nil {
		return nil, nil, fmt.Errorf("there is no report to hand over: %w", err)
	}
	files, err := list(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("listing the reports: %w", err)
	}
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	writer := tar.NewWriter(compressed)
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, nil, fmt.Errorf("packing the reports: %w", err)
		}
		if err := compressed.Flush(); err != nil {
			return nil, nil, err
		}
		if !slices.Contains(first(), name) && packed.Len()+size(data) > most {
			leftOut = append(leftOut, name)
			continue
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(data))}
		if err := writer.WriteHeader(header); err != nil {
			return nil, nil, fmt.Errorf("packing %s: %w", name, err)
		}
		if _, err := writer.Write(data); err != nil {
			return nil, nil, fmt.Errorf("packing %s: %w", name, err)
		}
	}
	if err := writer.Close(); err != nil {
		return nil, nil, fmt.Errorf("packing the reports: %w", err)
	}
	if err := compressed.Close(); err != nil {
		return nil, nil, fmt.Errorf("packing the reports: %w", err)
	}
	return packed.Bytes(), leftOut, nil
}

// list returns the regular files below a folder, the first ones first, the logs last.
func list(dir string) ([]string, error) {
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			files = append(files, name)
		}
		return err
	})
	slices.SortStableFunc(files, func(a, b string) int { return rank(a) - rank(b) })
	return files, err
}

func rank(name string) int {
	switch {
	case slices.Contains(first(), name):
		return 0
	case strings.Contains(name, "/"):
		return 2
	default:
		return 1
	}
}

// size returns the size of data after compression.
func size(data []byte) int {
	var count counter
	compressed := gzip.NewWriter(&count)
	_, _ = compressed.Write(data) // writing to memory cannot fail
	_ = compressed.Close()
	return int(count)
}

type counter int

func (c *counter) Write(data []byte) (int, error) {
	*c += counter(len(data))
	return len(data), nil
}
