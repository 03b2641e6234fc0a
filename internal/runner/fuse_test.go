package runner

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/internal/scenario/render"
)

// TestCertain: only what will be reported as failed ends a run with --fail-fast.
func TestCertain(t *testing.T) {
	const namespace = "reconform-sh-004"
	reference, err := profile.Resolve(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	contract := invariant.ContractOf(reference)
	began := time.Now().Add(-time.Minute)
	failing := func(step, operation string) *chainsaw.Failure {
		return &chainsaw.Failure{
			Step: step, Operation: operation, Object: "apps/v1/Deployment @ " + namespace + "/demo",
			Message: `* spec.template.spec.containers[0].image: Invalid value: "other": Expected value: "mine"`,
		}
	}
	lagging := failing("Then it is ready", "assert")
	lagging.Message = "* status.readyReplicas: Invalid value: 0: Expected value: 2"
	unscheduled := failing("Then the image comes back", "assert")
	unscheduled.Unscheduled = "Pod demo-1 cannot be scheduled: 0/1 nodes are available"
	slow := history.Event{Scenario: namespace, Reason: history.PodSlow, Object: "Pod demo-1", Took: metav1.Duration{Duration: 8 * time.Second}}
	armed := history.Event{Scenario: namespace, Reason: history.FaultArmed, Object: "Fault create-fails"}
	for name, tc := range map[string]struct {
		failure   *chainsaw.Failure
		unclaimed []v1alpha1.Feature
		events    []history.Event
		givenUp   bool   // its wait was ended
		known     string // the last day on which it may fail
		want      bool
	}{
		"a step that judges":                {failure: failing("Then the image comes back", "assert"), want: true},
		"nothing":                           {},
		"a step that prepares":              {failure: failing("Given the WebApp demo", "assert")},
		"a Fault never fired":               {failure: failing("Then the image comes back", "assert"), events: []history.Event{armed}},
		"a write, which may be refused":     {failure: failing("Then the image comes back", "patch")},
		"the machine was busy":              {failure: failing("Then the image comes back", "assert"), events: []history.Event{slow}},
		"the cluster lags":                  {failure: lagging},
		"no Node for a Pod":                 {failure: unscheduled},
		"its wait was ended":                {failure: failing("Then the image comes back", "assert"), givenUp: true},
		"a known failure":                   {failure: failing("Then the image comes back", "assert"), known: "2999-12-31"},
		"a known failure that has expired":  {failure: failing("Then the image comes back", "assert"), known: "2020-12-31", want: true},
		"a feature that nobody has claimed": {failure: failing("Then the image comes back", "assert"), unclaimed: []v1alpha1.Feature{"events"}},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := history.New(nil, nil)
			for _, event := range tc.events {
				recorder.Event(event)
			}
			var out bytes.Buffer
			r := &run{options: &Options{TimeoutScale: 1, Profile: reference, Console: report.NewConsole(&out)}, recorder: recorder, fuse: newFuse()}
			r.waits = r.newWaits()
			if tc.known != "" {
				r.options.Known = []v1alpha1.KnownFailure{{ID: "RC-001", Expires: "2999-12-31"}, {ID: "SH-004", Expires: tc.known}}
			}
			s := &scenario{
				implementation: &Implementation{Profile: reference, contract: contract}, namespace: namespace, unclaimed: tc.unclaimed,
				requirement: catalogue.Requirement{ID: "SH-004", Name: "sh-004"},
			}
			if tc.givenUp {
				r.waits.givenUp[namespace] = givenUp{by: "RC-005"}
			}
			r.judgeEarly(s, began, time.Now(), tc.failure)
			if got := r.fuse.isBlown(); got != tc.want {
				t.Errorf("blown: %t, want %t", got, tc.want)
			}
			r.judgeEarly(s, began, time.Now(), tc.failure)
			r.options.Console.Close()
			if got := strings.Count(out.String(), "SH-004 has failed, so no other scenario starts"); got == 1 != tc.want || got > 1 {
				t.Errorf("it is told %d times:\n%s", got, &out)
			}
		})
	}
}

// creates is a scenario that creates a ConfigMap in a namespace of its own.
const creates = `apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata: {name: %[1]s}
spec:
  namespace: reconform-%[1]s
  skipDelete: true
  steps:
  - try:
    - create: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: ours}}}
`

// TestEnough: if the fuse has blown, no scenario begins.
func TestEnough(t *testing.T) {
	startsControlPlane(t)
	controlPlane, err := envtest.Start(t.Context(), envtest.Options{WithoutPods: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { controlPlane.Stop(context.WithoutCancel(t.Context())) })
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := controlPlane.WriteKubeconfig(kubeconfig); err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, name := range []string{"xx-001", "xx-002", "xx-003"} {
		folder := filepath.Join(dir, name)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, render.FileName), fmt.Appendf(nil, creates, name), 0o600); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, folder)
	}
	fuse := newFuse()
	fuse.blow()
	fuse.blow() // a second time changes nothing
	if !fuse.isBlown() {
		t.Error("it is not blown")
	}
	ended := map[string]bool{}
	results, err := chainsaw.Run(t.Context(), chainsaw.Job{
		Tests: folders, Kubeconfig: kubeconfig, Parallel: 1, TempDir: dir, Enough: fuse.whenBlown(),
		Results: filepath.Join(dir, "results.json"), Log: filepath.Join(dir, "log"),
	}, func(event chainsaw.Event) { ended[event.Test] = true })
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, test := range results {
		got[test.Name] = test.Skipped && test.Finished && !ended[test.Name]
	}
	if diff := cmp.Diff(map[string]bool{"xx-001": true, "xx-002": true, "xx-003": true}, got); diff != "" {
		t.Errorf("did not begin (-want +got):\n%s", diff)
	}
}
