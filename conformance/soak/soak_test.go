package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest/supervisor"
)

func TestMain(m *testing.M) {
	supervisor.Main()
	if os.Getenv(burnEnv) != "" {
		burn(rand.New(rand.NewPCG(0, 0)))
	}
	os.Exit(m.Run())
}

func TestSuspicious(t *testing.T) {
	var results []v1alpha1.Result
	for _, verdict := range []v1alpha1.ResultVerdict{v1alpha1.Passed, v1alpha1.Failed, v1alpha1.Skipped, v1alpha1.ResultInconclusive} {
		results = append(results, v1alpha1.Result{ID: string(verdict), Verdict: verdict})
	}
	var ids []string
	for _, result := range suspicious(results) {
		ids = append(ids, result.ID)
	}
	if diff := cmp.Diff([]string{"Failed", "Inconclusive"}, ids); diff != "" {
		t.Errorf("suspicious verdicts (-want +got):\n%s", diff)
	}
}

func TestAProfileThatIsNotThere(t *testing.T) {
	out := &bytes.Buffer{}
	s := &soak{profile: filepath.Join(t.TempDir(), "no.yaml"), dir: t.TempDir(), out: out}
	if _, err := s.run(t.Context(), 1, 0); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("error %v, output %s", err, out)
	}
}

// TestIgnite makes sure that no busy process outlives its run.
func TestIgnite(t *testing.T) {
	quench, err := ignite(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	quench() // returns when they have ended
}
