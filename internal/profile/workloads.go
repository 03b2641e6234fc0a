package profile

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Ends tells whether the objects of a workload come to an end: those of a Job do. As its
// Pods succeed at once, a controller rightly finds it finished, and does nothing more about
// it.
func Ends(w v1alpha1.Workload) bool { return w.Group == "batch" && w.Kind == "Job" }

// KnownWorkloads returns the resources of Kubernetes that have a Pod template and that
// controllers make. Each says what it lacks of a Deployment. If a controller makes several,
// an earlier one in this list is more likely its main child.
func KnownWorkloads() []v1alpha1.Workload {
	const template, ofJob = "spec.template", "spec.jobTemplate.spec.template"
	base := func(text string) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: []byte(text)} }
	return []v1alpha1.Workload{
		deployments(),
		{
			Group: "apps", Version: "v1", Kind: "StatefulSet", Plural: "statefulsets", PodTemplate: template, Replicas: "spec.replicas",
			// Its status has conditions, but nobody writes them.
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
