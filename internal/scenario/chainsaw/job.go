package chainsaw

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// Version of Chainsaw that is linked in.
const Version = "v0.2.15"

// runnerFlag is the only argument; with it, this executable becomes the runner.
const runnerFlag = "--reconform-chainsaw"

// Job is one run of Chainsaw.
type Job struct {
	// Tests are the folders of the tests, each with a chainsaw-test.yaml. They are started in
	// this order.
	Tests []string `json:"tests"`
	// Kubeconfig of the cluster.
	Kubeconfig string `json:"kubeconfig"`
	// Parallel is how many tests run at the same time.
	Parallel int `json:"parallel"`
	// Enough, when it is closed, lets no more tests begin. It may be nil.
	Enough <-chan struct{} `json:"-"`
	// Endings ends asserts of its tests. It may be nil.
	Endings *Endings `json:"-"`
	// Path is a folder to put at the front of PATH, for tests that call kubectl; it may be
	// empty.
	Path string `json:"path"`
	// Results is the file that the runner writes its results to.
	Results string `json:"results"`
	// TempDir is the folder for the runner's temporary files, for example a kubeconfig.
	TempDir string `json:"-"`
	// PollInterval is the shortest time between two identical reads.
	PollInterval time.Duration `json:"pollInterval"`
	// PodPatience is how long the scheduler may find no Node for a Pod. After that, a failure
	// tells of it.
	PodPatience time.Duration `json:"podPatience"`
	// PodsAlone is true if no other Pods take room on the Nodes, and no Node is added. Then an
	// assert that waits for Pods ends after PodPatience.
	PodsAlone bool `json:"podsAlone,omitempty"`
	// Log is the file to which everything is written that Chainsaw prints.
	Log string `json:"log"`
}

// Test is the result of one test.
type Test struct {
	// Name of the test, from its metadata.
	Name string `json:"name"`
	// Started and Ended are the times of its start and its end.
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	// Judged is when its last step ended, before the cleanup; zero if no step did.
	Judged time.Time `json:"judged"`
	// Passed is true if the runner itself said so.
	Passed bool `json:"passed"`
	// Finished is false if the runner never said how it ended.
	Finished bool `json:"finished"`
	// Skipped is true if it never began, because there was enough.
	Skipped bool `json:"skipped,omitempty"`
	// Failures are the operations that failed, in order.
	Failures []Failure `json:"failures"`
	// Output holds the last lines that the test printed.
	Output []string `json:"output,omitempty"`
}

// Failure is one operation that failed.
type Failure struct {
	// Step by its name.
	Step string `json:"step"`
	// Operation such as assert.
	Operation string `json:"operation"`
	// Object that it was about, if the runner's log names it. It does so only for the first
	// failure of a test.
	Object string `json:"object,omitempty"`
	// Message is the difference between expected and observed.
	Message string `json:"message"`
	// Of is about the object of the bench whose verdict is the reason: what it looked at, and
	// what it found. It is empty if the operation failed by itself.
	Of Measured `json:"of,omitzero"`
	// Proved is true if what the subject did is reason enough for the failure, however slow
	// the machine is.
	Proved bool `json:"proved,omitempty"`
	// Unscheduled has the scheduler's words about a Pod for which it found no Node while the
	// operation waited. It is empty if there was none.
	Unscheduled string `json:"unscheduled,omitempty"`
	// Refused is true if the API server refused what the operation asked for.
	Refused bool `json:"refused,omitempty"`
}

func readResults(path string) ([]Test, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the results of chainsaw: %w", err)
	}
	var tests []Test
	if err := json.Unmarshal(data, &tests); err != nil {
		return nil, fmt.Errorf("reading the results of chainsaw: %w", err)
	}
	return tests, nil
}
