package play

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/runner"
)

const (
	// patience is how long to wait for a line, and leastPatience the least of it, whatever
	// the scale.
	patience      = 15 * time.Second
	leastPatience = 5 * time.Second
	// starting is the least time that a controller may take to be ready.
	starting = 15 * time.Second
	look     = 30 * time.Millisecond
)

var webApps = schema.GroupVersionResource{Group: "apps.kubedojo.io", Version: "v1beta1", Resource: "webapps"}

// stage is a namespace with a controller in it.
type stage struct {
	profile   *profile.Profile
	kube      kubernetes.Interface
	client    dynamic.Interface
	recorder  *history.Recorder
	log       string // the file with what the controller prints
	namespace string
	factor    float64 // of the times that it waits
	patience  time.Duration
	starting  time.Duration

	disruptions int           // how many there were
	settled     int           // how often it has waited until the controller sends nothing
	longest     time.Duration // pause that was seen
	begun       int           // reconciles that began after the process was told to end; or unknown
	told        time.Time     // when the process was told to end
	idled       time.Duration // from the end of the last reconcile to the end of the process
}

// NotStarted says that a controller did not become ready.
type NotStarted struct{ words string }

func (e *NotStarted) Error() string { return "the controller did not start; " + e.words }

// Run performs a play with the controller of a profile in a namespace of the session, which
// must be one of the play's profile. asked tells which rules are of interest. scale
// multiplies the time that it waits. doing is told which rule is tried.
func Run(ctx context.Context, session *runner.Session, name string, p *profile.Profile, namespace string, asked func(id string) bool,
	scale float64, doing func(id, must string),
) ([]Result, error) {
	played := plays()[name]
	client, err := dynamic.NewForConfig(session.Config)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	kube, err := kubernetes.NewForConfig(session.Config)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	s := &stage{
		profile: p, kube: kube, client: client, recorder: session.Recorder, log: session.Log(namespace, "subject-0"), namespace: namespace, factor: scale,
		patience: max(leastPatience, expectation.Scaled(patience, scale)), starting: expectation.Scaled(starting, max(1, scale)),
	}
	if err := s.start(ctx, played); err != nil {
		return nil, err
	}
	if !played.unready {
		if err := s.ready(ctx); err != nil {
			return nil, err
		}
	}
	results, err := s.perform(ctx, played.asked(asked), asked, doing)
	if err != nil {
		return nil, err
	}
	err = client.Resource(benchKind("subjects")).Namespace(namespace).Delete(ctx, "subject", metav1.DeleteOptions{})
	if err != nil {
		return nil, fmt.Errorf("ending the controller: %w", err)
	}
	return results, nil
}

// perform tries rules one after the other, until one that is of interest fails.
func (s *stage) perform(ctx context.Context, rules []rule, asked func(id string) bool, doing func(id, must string)) ([]Result, error) {
	var results []Result
	blocked := "" // by this rule, if it is of interest
	var before error
	for _, r := range rules {
		result := Result{ID: r.id, Must: r.must, Needs: blocked}
		if blocked == "" {
			err := before
			if err == nil {
				doing(r.id, r.must)
				err = r.try(ctx, s)
			}
			var not *unmet
			// If the controller does not become ready when it is started again, its first rules
			// have been judged already.
			result.Unsure = errors.Is(err, errTooSlow) || errors.As(err, new(*NotStarted))
			if err != nil && !result.Unsure && !errors.As(err, &not) {
				return nil, fmt.Errorf("looking at %s: %w", r.id, err)
			}
			switch result.Passed = err == nil; {
			case err != nil && asked(r.id):
				result.Found, result.Early, blocked = err.Error(), not != nil && not.early, r.id
			case err != nil && before == nil: // This result is not shown: the next one that is shown says it.
				before = fmt.Errorf("before that, it must be so: %s. It is not: %w", r.must, err)
			}
		}
		if asked(r.id) {
			results = append(results, result)
		}
	}
	return results, nil
}

// unmet says that the controller does not do what the rule asks for, or, if it is early,
// what the rule begins with.
type unmet struct {
	found string
	early bool
}

// first is what a rule begins with: it marks as early what is unmet.
func first(err error) error {
	if not := (*unmet)(nil); errors.As(err, &not) {
		not.early = true
	}
	return err
}

func (e *unmet) Error() string { return e.found }

// errTooSlow says that the machine was too slow to tell.
var errTooSlow = errors.New("the machine was too slow to tell: try again when it has less other work")

func benchKind(resource string) schema.GroupVersionResource {
	return v1alpha1.GroupVersion.WithResource(resource)
}

// start makes the namespaces of a play, and starts the controller in the first.
func (s *stage) start(ctx context.Context, played play) error {
	all, more := []string{s.namespace}, []any{}
	if played.second {
		all, more = append(all, s.second().namespace), append(more, s.second().namespace)
	}
	for _, name := range all {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade},
		}}
		if _, err := s.kube.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("making a namespace: %w", err)
		}
	}
	subject := map[string]any{"replicas": int64(1), "restart": "Never", "leaderElection": played.elects, "namespaces": more}
	return s.bench(ctx, "subjects", "Subject", "subject", subject)
}

// second is the same stage in its second namespace. The name of that begins with the name of
// the first.
func (s *stage) second() *stage {
	second := *s
	second.namespace += "-b"
	return &second
}

// ready waits until the controller is ready.
func (s *stage) ready(ctx context.Context) error {
	err := s.await(ctx, s.starting, func() (bool, error) {
		subject, err := s.client.Resource(benchKind("subjects")).Namespace(s.namespace).Get(ctx, "subject", metav1.GetOptions{})
		if err != nil {
			return false, fmt.Errorf("looking at the controller: %w", err)
		}
		ready, _, err := unstructured.NestedInt64(subject.Object, "status", "ready")
		return ready > 0, err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &NotStarted{s.lastWords(10)}
	}
	return err
}

// bench creates one of the bench's objects.
func (s *stage) bench(ctx context.Context, resource, kind, name string, spec map[string]any) error {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": kind, "metadata": map[string]any{"name": name}, "spec": spec,
	}}
	if _, err := s.client.Resource(benchKind(resource)).Namespace(s.namespace).Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating %s %s: %w", kind, name, err)
	}
	return nil
}

// createRefused creates a WebApp, and a Fault of that name before it, which answers each create
// of its Deployment: respond has the code, and a message if there is one.
func (s *stage) createRefused(ctx context.Context, name string, respond map[string]any) error {
	if err := s.onCreate(ctx, "deployments.apps", name, map[string]any{"respond": respond}); err != nil {
		return err
	}
	return s.create(ctx, name)
}

// onCreate makes a Fault that acts on each create of a child, and has its name. The resource is
// plural.group.
func (s *stage) onCreate(ctx context.Context, resource, name string, action map[string]any) error {
	return s.bench(ctx, "faults", "Fault", name, map[string]any{
		"match":  map[string]any{"verbs": []any{"create"}, "resources": []any{resource}, "names": []any{name}},
		"action": action,
	})
}

// get reads one of the bench's objects.
func (s *stage) get(ctx context.Context, resource, name string, into any) error {
	object, err := s.client.Resource(benchKind(resource)).Namespace(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("looking at %s: %w", name, err)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, into); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	return nil
}

func (s *stage) await(ctx context.Context, long time.Duration, done func() (bool, error)) error {
	return wait.PollUntilContextTimeout(ctx, look, long, true, func(context.Context) (bool, error) { return done() })
}

// create creates a WebApp with 2 replicas, and with finalizers.
func (s *stage) create(ctx context.Context, name string, finalizers ...any) error {
	return s.createOf(ctx, name, "registry.example/demo:v1", finalizers...)
}

// createOf creates a WebApp of an image.
func (s *stage) createOf(ctx context.Context, name, image string, finalizers ...any) error {
	return s.createWith(ctx, name, map[string]any{"image": image, "replicas": int64(2), "port": int64(8080)}, finalizers...)
}

// createWith creates a WebApp with a spec.
func (s *stage) createWith(ctx context.Context, name string, spec map[string]any, finalizers ...any) error {
	app := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": webApps.GroupVersion().String(), "kind": "WebApp",
		"metadata": map[string]any{"name": name, "finalizers": finalizers},
		"spec":     spec,
	}}
	if _, err := s.client.Resource(webApps).Namespace(s.namespace).Create(ctx, app, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating WebApp %s: %w", name, err)
	}
	return nil
}

func (s *stage) scale(ctx context.Context, name string, replicas int) error {
	return s.patch(ctx, name, fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas))
}

func (s *stage) patch(ctx context.Context, name, patch string, subresources ...string) error {
	_, err := s.client.Resource(webApps).Namespace(s.namespace).Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresources...)
	if err != nil {
		return fmt.Errorf("changing WebApp %s: %w", name, err)
	}
	return nil
}

func (s *stage) remove(ctx context.Context, name string) error {
	if err := s.client.Resource(webApps).Namespace(s.namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("deleting WebApp %s: %w", name, err)
	}
	return nil
}

// lines returns the lines that the controller has printed so far. The last one counts only
// if it is complete.
func (s *stage) lines() []string {
	data, err := os.ReadFile(s.log)
	if err != nil {
		return nil
	}
	text := string(data)
	return strings.Split(strings.TrimSuffix(text[:strings.LastIndexByte(text, '\n')+1], "\n"), "\n")
}
