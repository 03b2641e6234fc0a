package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDisk: if the output cannot be written, the command fails, and says so.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range [][]string{
		{"list", "SH-001"},
		{"list", "SH-001", "-o", "json"},
		{"list", "SH-001", "-o", "markdown"},
		{"explain", "SH-001"},
		{"--help"},
		{"--version"},
		{"render", "--out", filepath.Join(t.TempDir(), "out")},
		{"completion", "bash"},
	} {
		var stderr bytes.Buffer
		if status := execute(args, full, &stderr); status != statusInconclusive || !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%s: status %d, want %d:\n%s", strings.Join(args, " "), status, statusInconclusive, stderr.String())
		}
	}
}
