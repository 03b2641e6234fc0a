package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// page makes a report with this number of requirements, of which every third failed,
// and with this number of requests for each. It returns the report.html that the
// command makes of it.
func page(t *testing.T, requirements, requests int) string {
	t.Helper()
	command, err := filepath.Abs("../../../../bin/reconform")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(command); err != nil {
		t.Skip("needs bin/reconform: make build")
	}
	dir := t.TempDir()
	var results []map[string]any
	var recorded bytes.Buffer
	failed := 0
	for n := range requirements {
		id := fmt.Sprintf("%s-%03d", []string{"SH", "RT", "SS"}[n%3], n+1)
		result := map[string]any{
			"id": id, "area": []string{"self-healing", "retries", "steady-state"}[n%3], "level": []string{"core", "extended"}[n%2],
			"verdict": "Passed", "must": "Something is so: " + id, "duration": "12s",
		}
		if n%3 == 1 {
			failed++
			result["verdict"], result["reason"] = "Failed", `at "Then it is so" (assert v1/Pod @ a/b): it was not, #3 says <script>window.broken=1</script>`
			result["evidence"] = map[string]any{
				"namespace": "reconform-" + strings.ToLower(id), "hint": "look there", "catches": "a slip", "log": []string{"one", "two"},
				"difference": "--- expected\n+++ actual\n-a: 1\n+a: 2\n", "reproduce": "reconform run",
				"logs": []string{logged(t, dir, "reconform-"+strings.ToLower(id))},
			}
		}
		results = append(results, result)
		history(t, &recorded, "reconform-"+strings.ToLower(id), requests)
	}
	report, err := json.Marshal(map[string]any{
		"apiVersion": "reconform.dev/v1alpha1", "kind": "ConformanceReport", "implementation": map[string]any{"name": "tried"}, "profile": "tried",
		"date": "2026-01-02T03:04:05Z", "verdict": "NotConformant", "core": map[string]any{"judged": 1, "total": 1}, "results": results,
		"summary":   map[string]any{"passed": requirements - failed, "failed": failed, "inconclusive": 0, "skipped": 0},
		"durations": map[string]any{"controlPlane": "4s", "scenarios": "60s", "longestScenario": "12s", "total": "64s"},
		"versions":  map[string]any{"reconform": "v1", "kubernetes": "v1", "chainsaw": "v1", "go": "go1", "platform": "linux/amd64"},
		"claims":    map[string]any{"features": []string{}, "unowned": "refuse", "times": map[string]any{"longestRetryPause": "30s"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"conformance-report.yaml": report, "history.jsonl": recorded.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), command, "report", "--from", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, "report.html")
}

// logged is the log of a subject, a line in each of ten seconds, of which the last is an
// error. It returns its path in the folder.
func logged(t *testing.T, dir, namespace string) string {
	t.Helper()
	var text bytes.Buffer
	for n := range 10 {
		level := []string{"info", "error"}[n/9]
		at := time.Date(2026, 1, 2, 3, 4, 5+n, 0, time.UTC).Format(time.RFC3339)
		fmt.Fprintf(&text, `{"level":%q,"ts":%q,"msg":"line %d <script>window.broken=2</script> %s"}`+"\n", level, at, n, strings.Repeat("long ", 40))
	}
	name := "logs/" + namespace + "/subject-0.log"
	if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// history of one scenario: its steps, a Fault, a replica, and requests of all kinds.
func history(t *testing.T, to *bytes.Buffer, namespace string, requests int) {
	t.Helper()
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	line := func(after time.Duration, fields map[string]any) {
		fields["time"], fields["scenario"], fields["subject"] = began.Add(after), namespace, "subject"
		data, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		to.Write(append(data, '\n'))
	}
	line(0, map[string]any{"type": "event", "seq": 1, "reason": "StepBegan", "message": "Given the controller"})
	line(0, map[string]any{"type": "event", "seq": 2, "reason": "ReplicaStarted", "replica": "subject-0"})
	for n := range requests {
		verb := []string{"create", "get", "update", "watch", "delete", "list"}[n%6]
		line(time.Duration(n)*11*time.Second/time.Duration(requests), map[string]any{
			"type": "request", "seq": 3 + n, "replica": "subject-0", "verb": verb, "method": "GET", "path": "/x", "group": "apps",
			"resource": []string{"deployments", "services", "configmaps"}[n/6%3], "namespace": namespace, "name": fmt.Sprintf("demo-%d", n%30),
			"code": []int{200, 200, 500}[n/3%3], "effect": "effective", "duration": "5ms", "finished": true, "generation": 1 + n/100,
		})
	}
	line(6*time.Second, map[string]any{"type": "event", "seq": 3 + requests, "reason": "StepBegan", "message": "Then it is so"})
	line(11*time.Second, map[string]any{"type": "event", "seq": 4 + requests, "reason": "StepFailed", "message": "Then it is so"})
	line(12*time.Second, map[string]any{"type": "event", "seq": 5 + requests, "reason": "ReplicaStopped", "replica": "subject-0"})
}
