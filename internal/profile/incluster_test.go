package profile

import (
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestDeployment: a controller that is shipped in another form than one Deployment is told
// what there is, and what to do.
func TestDeployment(t *testing.T) {
	workload := func(kind, name string) string {
		return "---\napiVersion: apps/v1\nkind: " + kind + "\nmetadata: {name: " + name + "}\n" +
			"spec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: main, image: a}]}\n"
	}
	for name, tc := range map[string]struct {
		manifests string
		shipped   v1alpha1.LaunchInCluster
		want      string // the Deployment, or the end of the error
	}{
		"one":              {workload("Deployment", "manager"), v1alpha1.LaunchInCluster{}, "manager"},
		"a webhook beside": {workload("Deployment", "manager") + workload("Deployment", "webhook"), v1alpha1.LaunchInCluster{Deployment: "manager"}, "manager"},
		"which of two":     {workload("Deployment", "manager") + workload("Deployment", "webhook"), v1alpha1.LaunchInCluster{}, "the manifests have several Deployments: name one of manager, webhook"},
		"a StatefulSet": {
			workload("StatefulSet", "manager") + workload("DaemonSet", "agent"),
			v1alpha1.LaunchInCluster{},
			"the manifests have no Deployment; they have: StatefulSet manager, DaemonSet agent. Only a Deployment can be started as Pods; without --in-cluster, the controller runs as a process",
		},
		"another name": {workload("Deployment", "manager"), v1alpha1.LaunchInCluster{Deployment: "operator"}, "the manifests have no Deployment operator; they have: manager"},
	} {
		t.Run(name, func(t *testing.T) {
			p := inDir(t, map[string]string{"mine.yaml": minimal, "all.yaml": tc.manifests})
			p.Spec.Launch.InCluster = &tc.shipped
			p.Spec.Launch.InCluster.Manifests = []string{"all.yaml"}
			deployment, _, err := p.Deployment()
			switch {
			case err != nil && !strings.HasSuffix(err.Error(), ": "+tc.want):
				t.Errorf("got error %v\nwant %s", err, tc.want)
			case err == nil && deployment.Name != tc.want:
				t.Errorf("got %s, want %s", deployment.Name, tc.want)
			}
		})
	}
}
