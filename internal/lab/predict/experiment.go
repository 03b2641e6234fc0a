package predict

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/check"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/render"
	"reconform.dev/reconform/scenarios"
)

// NotCarriedOut says why an experiment could not be measured.
type NotCarriedOut struct{ Reason string }

func (e *NotCarriedOut) Error() string {
	return "the experiment could not be carried out, and nothing was measured: " + e.Reason
}

// Run carries out the experiment of a lab with a controller, and returns what was recorded.
func Run(ctx context.Context, labs fs.FS, l *lab.Lab, p *profile.Profile, options check.Options) (_ *Trace, err error) {
	planned, err := plan(labs, l, p)
	if err != nil {
		return nil, err
	}
	implementation := &runner.Implementation{
		Name: fmt.Sprintf("lab-%08x", rand.Uint32()), Profile: p, ProfileArgument: p.File,
		Plan: &runner.Plan{Scenarios: []runner.Planned{*planned}},
	}
	implementations := []*runner.Implementation{implementation}
	session, err := runner.OpenSession(ctx, runner.SessionOptions{
		Profile: p, Standing: options.Standing, Dir: options.Dir, TimeoutScale: options.TimeoutScale, Console: options.Console,
		Scenarios: runner.Namespaces(implementations),
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	results, err := runner.Judge(ctx, session, implementations,
		runner.Options{TimeoutScale: options.TimeoutScale, ReportDir: options.Dir, Console: options.Console})
	if err != nil {
		return nil, err
	}
	for namespace := range runner.Namespaces(implementations) { // there is one
		for _, result := range results[implementation.Name] {
			if err := carriedOut(result); err != nil {
				return nil, err
			}
			if result.FirstLook != "" {
				namespace += "-again"
			}
		}
		return record(ctx, session, namespace)
	}
	return nil, &NotCarriedOut{"it has no scenario"}
}

// carriedOut returns an error unless all steps were carried out. If the controller breaks a rule
// meanwhile, this is not an error here.
func carriedOut(result v1alpha1.Result) error {
	switch {
	case result.Evidence != nil && result.Evidence.Step != "":
		return &NotCarriedOut{fmt.Sprintf("at %q: %s", result.Evidence.Step, result.Reason)}
	case result.Verdict == v1alpha1.ResultInconclusive, result.Verdict == v1alpha1.Blocked, result.Verdict == v1alpha1.Skipped:
		return &NotCarriedOut{result.Reason}
	default:
		return nil
	}
}

// plan renders the experiment for the controller.
func plan(labs fs.FS, l *lab.Lab, p *profile.Profile) (*runner.Planned, error) {
	file := path.Join("labs", l.Folder, render.FileName)
	source, err := render.LoadFS(tree{"labs": labs, "scenarios": scenarios.FS}, file)
	if err != nil {
		return nil, err
	}
	test, err := render.Render(source, p)
	if err != nil {
		return nil, fmt.Errorf("preparing the experiment: %w", err)
	}
	raw, err := fs.ReadFile(labs, path.Join(l.Folder, render.FileName))
	if err != nil {
		return nil, fmt.Errorf("reading the experiment: %w", err)
	}
	return &runner.Planned{
		Requirement: catalogue.Requirement{ID: source.Name, Name: source.Name, Level: catalogue.Extended, Path: file, Raw: raw, Must: l.Title},
		Test:        test,
	}, nil
}

// tree has the file systems that an experiment needs, side by side as in the repository.
type tree map[string]fs.FS

func (t tree) Open(name string) (fs.File, error) {
	first, rest, _ := strings.Cut(name, "/")
	if under, ok := t[first]; ok {
		return under.Open(rest)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// measurable returns the kinds of objects that measures may use.
func measurable() []schema.GroupVersionResource {
	all := []schema.GroupVersionResource{
		{Group: "apps.kubedojo.io", Version: "v1beta1", Resource: "webapps"},
		{Group: "apps", Version: "v1", Resource: "deployments"},
		{Version: "v1", Resource: "services"},
		{Version: "v1", Resource: "events"},
	}
	for _, resource := range []string{"faults", "disruptions", "traffics", "observations", "snapshots", "loads"} {
		all = append(all, v1alpha1.GroupVersion.WithResource(resource))
	}
	return all
}

// record collects what the recorder, the cluster and the logs know about an experiment.
func record(ctx context.Context, session *runner.Session, namespace string) (*Trace, error) {
	account := session.Recorder.Account(namespace)
	r := &Trace{Requests: account.Requests, Events: account.Events, Objects: map[string]any{}}
	client, err := dynamic.NewForConfig(session.Config)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	for _, resource := range measurable() {
		list, err := client.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("listing %s: %w", resource.Resource, err)
		}
		for _, object := range list.Items {
			r.Objects[object.GetKind()+"/"+object.GetName()] = object.Object
		}
	}
	for _, replica := range []string{"subject-0", "subject-1"} {
		text, err := os.ReadFile(session.Log(namespace, replica))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading the log of %s: %w", replica, err)
		}
		for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			r.Log = append(r.Log, Line{replica, line})
		}
	}
	return r, nil
}
