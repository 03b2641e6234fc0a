package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArguments(t *testing.T) {
	for name, tc := range map[string]struct {
		of    int
		index string
		want  string // or the error
	}{
		"the first":     {3, "0", "run --report-dir d -l slow!=true --shard 1/3"},
		"the last":      {3, "2", "run --report-dir d -l slow!=true --shard 3/3"},
		"all":           {0, "", "run --report-dir d -l slow!=true"},
		"not in a Job":  {3, "", `$JOB_COMPLETION_INDEX is "": -of is for the Pods of a Job with completionMode Indexed`},
		"too many Pods": {3, "3", "$JOB_COMPLETION_INDEX is 3, and -of 3: the Job must have as many completions"},
	} {
		t.Run(name, func(t *testing.T) {
			args, err := arguments(tc.of, tc.index, "d", []string{"-l", "slow!=true"})
			got := strings.Join(args, " ")
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

// folder with files of a run, of which the history cannot be compressed.
func folder(t *testing.T, history int) string {
	t.Helper()
	dir := t.TempDir()
	noise := make([]byte, history)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"conformance-report.yaml": []byte("kind: ConformanceReport\n"), ".reconform": nil,
		"history.jsonl": noise, "logs/b/x.log": []byte("b\n"), "logs/a.log": []byte("a\n"),
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "logs", "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// names of the files in an archive.
func names(t *testing.T, archive []byte) []string {
	t.Helper()
	compressed, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for reader := tar.NewReader(compressed); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, header.Name)
	}
}

func TestPack(t *testing.T) {
	for name, tc := range map[string]struct {
		most          int
		want, leftOut string
	}{
		"all":      {1 << 20, ".reconform conformance-report.yaml history.jsonl logs/a.log logs/b/x.log", ""},
		"too much": {8 << 10, ".reconform conformance-report.yaml logs/a.log logs/b/x.log", "history.jsonl"},
		"tiny":     {1, ".reconform conformance-report.yaml", "history.jsonl logs/a.log logs/b/x.log"},
	} {
		t.Run(name, func(t *testing.T) {
			archive, leftOut, err := pack(folder(t, 64<<10), tc.most)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, strings.Join(names(t, archive), " ")); diff != "" {
				t.Errorf("in the archive (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.leftOut, strings.Join(leftOut, " ")); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
		})
	}
	if _, _, err := pack(t.TempDir(), 1); err == nil || !strings.Contains(err.Error(), "there is no report to hand over") {
		t.Errorf("no report: got %v", err)
	}
}

// TestDeliver: the archive can be found in the log, whatever stands before it, and a
// file says where the archive is.
func TestDeliver(t *testing.T) {
	var log bytes.Buffer
	log.WriteString("running …\n-----BEGIN RECONFORM REPORTS-----\nnone\n")
	if err := deliver(&log, []byte("archive"), ""); err != nil {
		t.Fatal(err)
	}
	last := log.Bytes()[bytes.LastIndex(log.Bytes(), []byte("-----BEGIN ")):]
	if block, rest := pem.Decode(last); block == nil || block.Type != blockType || string(block.Bytes) != "archive" || len(rest) > 0 {
		t.Errorf("block %v, and after it %q", block, rest)
	}
	done := filepath.Join(t.TempDir(), "done")
	if err := deliver(nil, []byte("archive"), done); err != nil {
		t.Fatal(err)
	}
	path, err := os.ReadFile(done)
	if err != nil {
		t.Fatal(err)
	}
	if archive, err := os.ReadFile(string(path)); err != nil || string(archive) != "archive" {
		t.Errorf("%s has %q, %v", path, archive, err)
	}
}

// TestRun: the Pod fails only if there is nothing to hand over.
func TestRun(t *testing.T) {
	for name, tc := range map[string]struct {
		script string
		status int
	}{
		"conformant":           {"echo kind: ConformanceReport > $3/conformance-report.yaml", 0},
		"not conformant":       {"echo kind: ConformanceReport > $3/conformance-report.yaml; exit 1", 0},
		"wrong usage":          {"exit 2", 2},
		"no report":            {"exit 3", 3},
		"killed by the system": {"kill -9 $$", 3},
	} {
		t.Run(name, func(t *testing.T) {
			bin, dir := t.TempDir(), t.TempDir()
			if err := os.WriteFile(filepath.Join(bin, "reconform"), []byte("#!/bin/sh\n"+tc.script), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			index := func(string) string { return "0" }
			args := []string{"-of", "2", "-report-dir", dir, "-done", filepath.Join(dir, "done")}
			if status := run(t.Context(), args, index); status != tc.status {
				t.Errorf("status %d, want %d", status, tc.status)
			}
			want := "error.txt"
			if tc.status == 0 {
				want = "reconform.tar.gz"
			}
			if path, err := os.ReadFile(filepath.Join(dir, "done")); err != nil || filepath.Base(string(path)) != want {
				t.Errorf("done names %q, want %s; %v", path, want, err)
			}
		})
	}
}
