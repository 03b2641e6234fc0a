package e2e

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/e2e-framework/klient/k8s"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"
	"sigs.k8s.io/e2e-framework/klient/wait/conditions"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"
)

// shippedReady is how soon the shipped manifests must have a ready controller.
const shippedReady = time.Minute

// way is a way to install a system, and what is changed while it does its work.
type way struct {
	install, change, remove func(*testing.T, *envconf.Config, system)
}

// TestSystems installs each system in each way that it is shipped, checks what its
// README promises, and removes it again.
func TestSystems(t *testing.T) {
	all := systems()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		ways := map[string]way{"kustomize": kustomization("config/default")}
		if name == "reference" {
			ways["kustomize, with metrics"] = kustomization("config/metrics")
		}
		if _, err := os.Stat(filepath.Join(s.folder, "chart")); err == nil {
			ways["Helm"] = way{installChart, upgradeChart, removeChart}
		}
		for _, by := range slices.Sorted(maps.Keys(ways)) {
			way := ways[by]
			feature := features.New(name+", by "+by).
				WithLabel("system", name).
				Assess("does its work", func(ctx context.Context, t *testing.T, config *envconf.Config) context.Context {
					before := everything(t, config)
					removeVolumes := func() {}
					if s.claims {
						removeVolumes = offerVolumes(t, config, s.namespace)
					}
					way.install(t, config, s)
					ready(t, config, s)
					undo := s.start(t, config)
					way.change(t, config, s)
					undo()
					way.remove(t, config, s)
					removeVolumes()
					await(t, config, before)
					return ctx
				})
			testenv.Test(t, feature.Feature())
		}
	}
}

// ready waits until all that a system consists of is ready.
func ready(t *testing.T, config *envconf.Config, s system) {
	t.Helper()
	began := time.Now()
	all := deployments(t, config, s)
	for _, d := range all.Items {
		if err := within(t, shippedReady, conditions.New(config.Client().Resources()).DeploymentAvailable(d.Name, d.Namespace)); err != nil {
			t.Fatalf("Deployment %s is not available: %v", d.Name, err)
		}
	}
	t.Logf("%d Deployments ready after %s", len(all.Items), time.Since(began).Round(time.Second))
}

// deployments of a system: at least one.
func deployments(t *testing.T, config *envconf.Config, s system) *appsv1.DeploymentList {
	t.Helper()
	all := &appsv1.DeploymentList{}
	if err := list(t, config, s.namespace, all); err != nil || len(all.Items) == 0 {
		t.Fatalf("%d Deployments in %s (error: %v)", len(all.Items), s.namespace, err)
	}
	return all
}

// list what a namespace has.
func list(t *testing.T, config *envconf.Config, namespace string, into k8s.ObjectList) error {
	r, err := resources.New(config.Client().RESTConfig()) // a namespace is for ever
	if err != nil {
		return err
	}
	return r.WithNamespace(namespace).List(t.Context(), into)
}

// kustomization is a way by kustomize. What changes is that the leader's Pod is deleted, and
// that all Pods of the system are replaced.
func kustomization(path string) way {
	do := func(verb string) func(*testing.T, *envconf.Config, system) {
		return func(t *testing.T, c *envconf.Config, s system) {
			kubectl(t, c, verb, "-k", filepath.Join(s.folder, path))
		}
	}
	change := func(t *testing.T, c *envconf.Config, s system) {
		failOver(t, c, s)
		restart(t, c, s)
	}
	return way{do("apply"), change, do("delete")}
}

// failOver deletes the leader's Pod: another one acts, and heals what is changed.
func failOver(t *testing.T, config *envconf.Config, s system) {
	t.Helper()
	began := time.Now()
	holder := func() string {
		leases := &coordinationv1.LeaseList{}
		if err := list(t, config, s.namespace, leases); err != nil || len(leases.Items) != 1 || leases.Items[0].Spec.HolderIdentity == nil {
			return ""
		}
		return *leases.Items[0].Spec.HolderIdentity
	}
	first := holder()
	name, _, _ := strings.Cut(first, "_")
	kubectl(t, config, "delete", "pod", name, "--namespace", s.namespace, "--wait=false")
	err := within(t, patience, func(context.Context) (bool, error) {
		now := holder()
		return now != "" && now != first, nil
	})
	if err != nil {
		t.Errorf("no other replica leads than %s: %v", first, err)
	}
	t.Logf("another leader after %s", time.Since(began).Round(time.Second))
	if s.deployment != "" {
		child := deployment("default", s.deployment)
		patch(t, config, child, `{"spec": {"replicas": 1}}`)
		become(t, config, child, scaled(2))
	}
}

// restart replaces all Pods of a system, as a new version would: that changes nothing that is
// at rest, and a change made in the meantime is not lost.
func restart(t *testing.T, config *envconf.Config, s system) {
	t.Helper()
	if s.deployment != "" {
		become(t, config, deployment("default", s.deployment), rolledOut)
	}
	again := func(value string) {
		for _, d := range deployments(t, config, s).Items {
			patch(t, config, &d, `{"spec": {"template": {"metadata": {"annotations": {"restarted": "`+value+`"}}}}}`)
		}
	}
	all := func() {
		for _, d := range deployments(t, config, s).Items {
			become(t, config, &d, rolledOut)
		}
	}
	before := atRest(t, config)
	again("once")
	all()
	if diff := cmp.Diff(before, atRest(t, config)); diff != "" {
		t.Errorf("new Pods of the controller changed what was at rest (-before +after):\n%s", diff)
	}
	again("twice")
	if s.deployment != "" {
		object := s.object(t)
		patch(t, config, object, `{"spec": {"replicas": 3}}`)
		become(t, config, deployment("default", s.deployment), scaled(3))
	}
	all()
}

// atRest is what the namespace default has and what changes only if a controller changes it.
func atRest(t *testing.T, config *envconf.Config) map[string]string {
	t.Helper()
	found := objects(t, config)
	maps.DeleteFunc(found, func(name, _ string) bool {
		kind, of, _ := strings.Cut(name, " ")
		return !strings.HasPrefix(of, "default/") || !slices.Contains([]string{"deployments.apps", "services.", "cronjobs.batch"}, kind)
	})
	return found
}
