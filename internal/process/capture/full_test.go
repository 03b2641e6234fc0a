package capture

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestFullDisk: what could not be written while the disk was full is missing, and the log says
// how much. It has no bytes that nobody wrote.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err) // not on this system
	}
	defer full.Close()
	path := filepath.Join(t.TempDir(), "log")
	log, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	log.add([]byte("before\n"))
	file := log.file
	log.file = full
	long := bytes.Repeat([]byte("meanwhile\n"), 600<<10)
	log.add(long)
	log.file = file
	log.add([]byte("after\n"))
	if err := log.close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := append(bytes.Clone(long), "after\n"...)
	end = end[len(end)-last:]
	want := "before\n" + fmt.Sprintf(leftOut, len(long)+len("after\n")-last) + string(end)
	if string(got) != want {
		t.Errorf("%d bytes, of which %d are zero, instead of %d: %.200q", len(got), bytes.Count(got, []byte{0}), len(want), got)
	}
}
