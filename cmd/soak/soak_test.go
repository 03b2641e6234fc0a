package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reconform.dev/reconform/envtest/supervisor"
)

func TestMain(m *testing.M) {
	supervisor.Main()
	loadIfAsked()
	os.Exit(m.Run())
}

func TestAProfileThatIsNotThere(t *testing.T) {
	out := &bytes.Buffer{}
	s := &soak{profile: filepath.Join(t.TempDir(), "no.yaml"), dir: t.TempDir(), out: out}
	if _, err := s.run(t.Context(), 1, 0); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("error %v, output %s", err, out)
	}
}

// TestStartLoad makes sure that no busy process outlives its run.
func TestStartLoad(t *testing.T) {
	stop, err := startLoad(t.Context(), rand.New(rand.NewPCG(0, 0)), 2)
	if err != nil {
		t.Fatal(err)
	}
	stop() // returns when they have ended
}
