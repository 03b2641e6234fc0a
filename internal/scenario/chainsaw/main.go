package chainsaw

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kyverno/chainsaw/pkg/apis"
	"github.com/kyverno/chainsaw/pkg/apis/v1alpha1"
	"github.com/kyverno/chainsaw/pkg/discovery"
	"github.com/kyverno/chainsaw/pkg/engine/clusters"
	"github.com/kyverno/chainsaw/pkg/loaders/config"
	"github.com/kyverno/chainsaw/pkg/model"
	"github.com/kyverno/chainsaw/pkg/runner"
	enginecontext "github.com/kyverno/chainsaw/pkg/runner/context"
	"github.com/kyverno/chainsaw/pkg/runner/flags"
	"github.com/kyverno/pkg/ext/output/color"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"

	benchv1alpha1 "reconform.dev/reconform/conformance/api/v1alpha1"
)

// Main takes over, and does not return, if this process was started as the runner. Call it
// first in main.
func Main() {
	if len(os.Args) != 2 || os.Args[1] != runnerFlag {
		return
	}
	var job Job
	parent := json.NewDecoder(os.Stdin)
	if err := parent.Decode(&job); err != nil {
		fmt.Fprintf(os.Stderr, "reading the job: %v\n", err)
		os.Exit(1)
	}
	// The end of standard input means stop: tests that have ended by then are reported.
	ctx, stop := context.WithCancel(context.Background())
	gate, asserts := newGate(os.Stdout), &asserts{parent: os.Stdout}
	go func() {
		for lines := bufio.NewScanner(io.MultiReader(parent.Buffered(), os.Stdin)); lines.Scan(); {
			gate.line(lines.Text())
			asserts.line(lines.Text(), time.Now())
		}
		stop()
	}()
	if err := job.run(ctx, gate, asserts); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run is the work of the runner's process. Chainsaw reads its settings from the flags of
// the process, so none of our flags may be left in os.Args.
func (j *Job) run(ctx context.Context, gate *gate, asserts *asserts) error {
	os.Args = os.Args[:1]
	color.Init(true, true)

	configuration, err := config.DefaultConfiguration()
	if err != nil {
		return fmt.Errorf("loading chainsaw's defaults: %w", err)
	}
	configuration.Spec.Execution.Parallel = &j.Parallel
	mark := v1alpha1.NewProjection(map[string]any{
		"metadata": map[string]any{"labels": map[string]any{benchv1alpha1.LabelBench: benchv1alpha1.BenchMade}},
	})
	configuration.Spec.Namespace.Template = &mark

	tests, err := j.load(gate)
	if err != nil {
		return err
	}
	cluster, err := clientcmd.BuildConfigFromFlags("", j.Kubeconfig)
	if err != nil {
		return fmt.Errorf("loading the kubeconfig: %w", err)
	}
	cluster.UserAgent = "chainsaw/" + Version // the bench is the same executable
	told := &verdicts{parent: os.Stdout}
	watching, err := newChanges(ctx, cluster)
	if err != nil {
		return err
	}
	compared := &compared{}
	tc, err := withClusters(newContext(configuration.Spec), cluster, j.PollInterval,
		&scheduling{told: told, patience: j.PodPatience, binding: bindingTakes * j.PodPatience, final: j.PodsAlone},
		gate, watching.wrap, asserts.wrap, compared.wrap)
	if err != nil {
		return fmt.Errorf("preparing chainsaw: %w", err)
	}
	if err := flags.SetupFlags(configuration.Spec); err != nil {
		return fmt.Errorf("preparing chainsaw: %w", err)
	}
	runErr := runner.New(clock.RealClock{}, nil).Run(ctx, configuration.Spec.Namespace, tc, tests...)

	namespaces := map[string]string{}
	for _, test := range tests {
		namespaces[test.BasePath] = test.Test.Spec.Namespace
	}
	results := make([]Test, 0, len(tc.Report.Tests))
	for _, report := range tc.Report.Tests {
		test := resultOf(report, namespaces[report.BasePath], told, compared)
		test.Skipped = test.Skipped || gate.holds(test.Name)
		results = append(results, test)
	}
	data, err := json.Marshal(results)
	if err != nil {
		return fmt.Errorf("encoding the results: %w", err)
	}
	if err := os.WriteFile(j.Results, data, 0o600); err != nil {
		return fmt.Errorf("writing the results: %w", err)
	}
	return runErr
}

// load returns the tests of the job, in an order in which they start in the order of the job.
func (j *Job) load(gate *gate) ([]discovery.Test, error) {
	tests, err := discovery.DiscoverTests("chainsaw-test.yaml", nil, false, j.Tests...)
	if err != nil {
		return nil, fmt.Errorf("loading the tests: %w", err)
	}
	byPath := map[string]discovery.Test{}
	for _, test := range tests {
		if test.Err != nil {
			return nil, fmt.Errorf("loading %s: %w", test.BasePath, test.Err)
		}
		readJudged(test.Test)
		gate.add(test.Test.Name, test.Test.Spec.Namespace)
		byPath[test.BasePath] = test
	}
	ordered := make([]discovery.Test, 0, len(tests))
	for _, path := range j.Tests {
		test, ok := byPath[path]
		if !ok {
			return nil, fmt.Errorf("loading the tests: no test in %s", path)
		}
		ordered = append(ordered, test)
	}
	// Of the tests that wait to run in parallel, Go starts the first one first, and then the
	// others from the last one on.
	slices.Reverse(ordered[min(1, len(ordered)):])
	return ordered, nil
}

// newContext returns the context for the tests: what Chainsaw's InitContext does, as far as
// the tests need it, with one client for each cluster.
func newContext(c model.Configuration) enginecontext.TestContext {
	registry := clusters.NewRegistry((&clients{}).build)
	return enginecontext.MakeContext(clock.RealClock{}, apis.NewBindings(), registry).
		WithTemplating(c.Templating.Enabled).
		WithDeletionPropagation(c.Deletion.Propagation).
		WithTimeouts(v1alpha1.Timeouts{
			Apply:   &c.Timeouts.Apply,
			Assert:  &c.Timeouts.Assert,
			Cleanup: &c.Timeouts.Cleanup,
			Delete:  &c.Timeouts.Delete,
			Error:   &c.Timeouts.Error,
			Exec:    &c.Timeouts.Exec,
		})
}

// resultOf makes the result of a test from its report. If an object of the bench ended an
// operation, its message is the reason, whatever Chainsaw says.
func resultOf(report *model.TestReport, namespace string, told *verdicts, compared *compared) Test {
	test := Test{Name: report.Name, Started: report.StartTime, Ended: report.EndTime, Skipped: report.Skipped}
	for _, step := range report.Steps {
		if !cleansUp(step.Name) && step.EndTime.After(test.Judged) {
			test.Judged = step.EndTime
		}
		for _, operation := range step.Operations {
			if operation.Err == nil {
				continue
			}
			verdict := told.between(namespace, operation.StartTime, operation.EndTime)
			failure := Failure{
				Step: step.Name, Operation: string(operation.Type), Message: verdict.message, Of: verdict.of,
				Proved: verdict.proved, Refused: refused(operation.Err), Unscheduled: verdict.unscheduled,
			}
			if failure.Message == "" {
				failure.Message = compared.explain(operation.Err.Error())
			}
			test.Failures = append(test.Failures, failure)
		}
	}
	return test
}

// cleansUp tells whether a step of a report is Chainsaw's own cleanup, after a step or
// after the test.
func cleansUp(step string) bool {
	return step == "@cleanup" || strings.HasPrefix(step, "cleanup (")
}
