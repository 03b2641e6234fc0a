package page

import (
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// SpokenFor returns the requirements in the words of a report: with the kinds of its controller in
// the place of WebApp and Deployment. The report does not name these kinds, but what its
// results say must hold does.
func SpokenFor(r *v1alpha1.ConformanceReport, all []catalogue.Requirement) []catalogue.Requirement {
	of := &profile.Profile{}
	resource, workload := &of.Spec.Contract.Resource, &v1alpha1.Workload{}
	fill := func(field *string, found string) {
		if *field == "" {
			*field = found
		}
	}
	for n := range r.Results {
		known, err := catalogue.Find(all, r.Results[n].ID)
		if err != nil {
			continue
		}
		served, child := profile.KindsIn(known.Must, r.Results[n].Must)
		fill(&resource.Kind, served.Kind)
		fill(&resource.Plural, strings.ToLower(served.Plural))
		fill(&workload.Kind, child.Kind)
		fill(&workload.Plural, strings.ToLower(child.Plural))
	}
	if workload.Kind != "" && workload.Kind != "Deployment" {
		of.Spec.Contract.Children.Deployment.Workload = workload
		workload.Group, workload.Version = versionOf(workload.Kind)
	}
	if resource.Kind == "" && workload.Kind == "" {
		return all
	}
	all = slices.Clone(all)
	for n := range all {
		all[n] = all[n].Spoken(of.InItsWords)
	}
	return all
}

// versionOf returns the group and the version of a kind of Kubernetes that has Pods. Those of
// other kinds are not known here.
func versionOf(kind string) (group, version string) {
	switch kind {
	case "Job", "CronJob":
		return "batch", "v1"
	case "Pod", "ReplicationController":
		return "", "v1"
	default:
		return "apps", "v1"
	}
}
