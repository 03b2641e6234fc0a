package e2e

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/action"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
)

// helm is Helm, in the namespace of a system.
func helm(t *testing.T, config *envconf.Config, s system) *action.Configuration {
	t.Helper()
	flags := genericclioptions.NewConfigFlags(false)
	namespace, file := s.namespace, config.KubeconfigFile()
	flags.Namespace, flags.KubeConfig = &namespace, &file
	helm := action.NewConfiguration()
	if err := helm.Init(flags, namespace, "secret"); err != nil {
		t.Fatal("preparing Helm:", err)
	}
	return helm
}

// chartOf is the chart of a system. Its release has the name of the chart.
func chartOf(t *testing.T, s system) *chart.Chart {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join(s.folder, "chart"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := loader.LoadDir(dir)
	if err != nil {
		t.Fatal("reading the chart:", err)
	}
	return c
}

func installChart(t *testing.T, config *envconf.Config, s system) {
	t.Helper()
	c, install := chartOf(t, s), action.NewInstall(helm(t, config, s))
	install.ReleaseName, install.Namespace, install.CreateNamespace = c.Name(), s.namespace, true
	install.WaitStrategy = kube.HookOnlyStrategy
	if _, err := install.RunWithContext(t.Context(), c, nil); err != nil {
		t.Fatal("installing the chart:", err)
	}
}

// upgradeChart upgrades the release to other values, by which the controller still does its
// work, and rolls it back: it is then as it was.
func upgradeChart(t *testing.T, config *envconf.Config, s system) {
	t.Helper()
	c := chartOf(t, s)
	first := only(t, config, s)

	upgrade := action.NewUpgrade(helm(t, config, s))
	upgrade.Namespace, upgrade.WaitStrategy = s.namespace, kube.HookOnlyStrategy
	if _, err := upgrade.RunWithContext(t.Context(), c.Name(), c, s.upgraded); err != nil {
		t.Fatal("upgrading the release:", err)
	}
	second := only(t, config, s)
	if *second.Spec.Replicas == *first.Spec.Replicas || cmp.Equal(first.Spec.Template, second.Spec.Template) {
		t.Errorf("the values %v changed too little of the Deployment: %+v", s.upgraded, second.Spec)
	}
	become(t, config, second, rolledOut)
	child := deployment("default", s.deployment)
	patch(t, config, child, `{"spec": {"replicas": 1}}`)
	become(t, config, child, scaled(2))

	rollback := action.NewRollback(helm(t, config, s))
	rollback.Version, rollback.WaitStrategy = 1, kube.HookOnlyStrategy
	if err := rollback.Run(c.Name()); err != nil {
		t.Fatal("rolling the release back:", err)
	}
	third := only(t, config, s)
	if diff := cmp.Diff(first.Spec, third.Spec); diff != "" {
		t.Errorf("the Deployment is not as it was before the upgrade (-before +after):\n%s", diff)
	}
	become(t, config, third, rolledOut)
	patch(t, config, child, `{"spec": {"replicas": 1}}`)
	become(t, config, child, scaled(2))
}

// only is the one Deployment of a system.
func only(t *testing.T, config *envconf.Config, s system) *appsv1.Deployment {
	t.Helper()
	all := deployments(t, config, s).Items
	if len(all) != 1 {
		t.Fatalf("%d Deployments in %s, want one", len(all), s.namespace)
	}
	return &all[0]
}

// removeChart removes what Helm leaves, too: definitions and the namespace.
func removeChart(t *testing.T, config *envconf.Config, s system) {
	t.Helper()
	c, uninstall := chartOf(t, s), action.NewUninstall(helm(t, config, s))
	uninstall.WaitStrategy = kube.HookOnlyStrategy
	if _, err := uninstall.Run(c.Name()); err != nil {
		t.Fatal("removing the release:", err)
	}
	kubectl(t, config, "delete", "-f", filepath.Join(s.folder, "chart", "crds"))
	kubectl(t, config, "delete", "namespace", s.namespace)
}
