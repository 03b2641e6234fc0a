package labs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/check"
	"reconform.dev/reconform/internal/lab/steps"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/labs"
)

func TestMain(m *testing.M) {
	supervisor.Main()
	log.SetLogger(logr.Discard()) // envtest has nothing to say here
	os.Exit(m.Run())
}

// text is one that shows terminals.
type text struct{ file, solution string }

// texts of the labs. The exercise is last: it ends with a cluster that knows no WebApps.
func texts(t *testing.T) (all []text) {
	t.Helper()
	known, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range known {
		file := l.Folder + "/README.md"
		if l.Kind == lab.Build || l.Kind == lab.Beyond && len(stepsIn(t, file)) > 0 {
			all = append(all, text{file, l.Folder})
		}
	}
	return append(all, text{steps.Exercise + ".md", "11-graceful-shutdown"})
}

// TestTexts does what each text says, with the lab's solution as the controller, one after
// the other on one control plane.
func TestTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	work := t.TempDir()
	var builds errgroup.Group
	builds.SetLimit(runtime.GOMAXPROCS(0))
	all := texts(t)
	folders := map[string]string{} // by the solution that is in there
	for _, x := range all {
		if folders[x.solution] == "" {
			dir := filepath.Join(work, x.solution)
			folders[x.solution] = dir
			builds.Go(func() error { return build(t.Context(), x.solution, dir) })
		}
	}
	plane, err := envtest.Start(t.Context(), envtest.Options{CRDPaths: []string{"student/crd.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	kubeconfig := filepath.Join(work, "kubeconfig")
	if err := plane.WriteKubeconfig(kubeconfig); err != nil {
		t.Fatal(err)
	}
	if err := builds.Wait(); err != nil {
		t.Fatal(err)
	}
	// As a reader has it who has pasted the line that reconform up prints.
	env := append(os.Environ(), "HOME="+work, "KUBECONFIG="+kubeconfig, "PATH="+plane.AssetsDir()+":"+os.Getenv("PATH"))
	for _, x := range all {
		t.Run(x.file, func(t *testing.T) {
			r := &reader{dir: folders[x.solution], env: env}
			defer r.cleanUp(t)
			defer r.endAll(t)
			all := stepsIn(t, x.file)
			if len(all) == 0 {
				t.Error("it does not say how to see it with kubectl")
			}
			for _, s := range all {
				r.follow(t, s)
				if t.Failed() {
					t.Fatalf("at %s:%d", x.file, s.line)
				}
			}
		})
	}
}

// build the solution of a lab in a folder as a student has it.
func build(ctx context.Context, lab, dir string) error {
	files, err := student.Files(labs.FS, lab, "solution")
	if err != nil {
		return err
	}
	if err := student.Write(dir, files); err != nil {
		return err
	}
	if err := check.Build(ctx, dir); err != nil {
		return fmt.Errorf("the solution of %s: %w", lab, err)
	}
	return nil
}

// cleanUp removes what a text has left, and waits until it is gone.
func (r *reader) cleanUp(t *testing.T) {
	t.Helper()
	r.output(t.Context(), "kubectl delete webapps,deployments,leases,events --all; kubectl delete services --selector app.kubernetes.io/instance")
	r.run(t, step{
		command: "kubectl get deployments,replicasets,pods", want: []string{"No resources found in default namespace."},
	})
}
