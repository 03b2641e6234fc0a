package profile

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// KnownWorkloads are the resources with a Pod template that Kubernetes has and that
// controllers make, with what every Deployment has and they have not. Where a controller makes
// several, one that comes earlier is more likely to be what its other objects go by.
func KnownWorkloads() []v1alpha1.Workload {
	const template, ofJob = "spec.template", "spec.jobTemplate.spec.template"
	base := func(text string) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: []byte(text)} }
	return []v1alpha1.Workload{
		deployments(),
		{
			Group: "apps", Version: "v1", Kind: "StatefulSet", Plural: "statefulsets", PodTemplate: template, Replicas: "spec.replicas",
			// Its status has conditions, which nobody writes.
			Lacks: []string{"status.conditions", "status.unavailableReplicas"},
		},
		{
			Group: "apps", Version: "v1", Kind: "DaemonSet", Plural: "daemonsets", PodTemplate: template,
			Lacks: []string{
				"spec.replicas", "status.availableReplicas", "status.conditions", "status.readyReplicas", "status.replicas",
				"status.unavailableReplicas", "status.updatedReplicas",
			},
		},
		{
			Group: "batch", Version: "v1", Kind: "CronJob", Plural: "cronjobs", PodTemplate: ofJob, Replicas: "spec.schedule",
			Lacks: []string{"spec.selector", "status"},
			Base:  base(`{"jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never"}}}}}`),
		},
		{
			Group: "batch", Version: "v1", Kind: "Job", Plural: "jobs", PodTemplate: template, Replicas: "spec.parallelism",
			Lacks: []string{"spec.selector", "status"},
			Base:  base(`{"template": {"spec": {"restartPolicy": "Never"}}}`),
		},
	}
}
