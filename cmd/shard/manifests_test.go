package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// TestJob: the Pods of the Job have no rights in their cluster or on their node, and
// each is told how many there are.
func TestJob(t *testing.T) {
	for _, name := range []string{"restricted", "namespaces"} {
		t.Run(name, func(t *testing.T) {
			var job batchv1.Job
			decode(t, kustomized(t, "../../e2e/job/"+name, "Job"), &job)
			template := job.Spec.Template
			confined(t, template)
			if mode := job.Spec.CompletionMode; mode == nil || *mode != batchv1.IndexedCompletion {
				t.Errorf("completionMode is %v", mode)
			}
			want := fmt.Sprintf("-of=%d", *job.Spec.Completions)
			if args := template.Spec.Containers[0].Args; args[0] != want || *job.Spec.Parallelism != *job.Spec.Completions {
				t.Errorf("args are %v, want %s first; parallelism %d", args, want, *job.Spec.Parallelism)
			}
			var namespace corev1.Namespace
			decode(t, kustomized(t, "../../e2e/job/"+name, "Namespace"), &namespace)
			if level := namespace.Labels[api.EnforceLevelLabel]; level != string(api.LevelRestricted) || namespace.Name != job.Namespace {
				t.Errorf("namespace %s, whose Pods are %s", namespace.Name, level)
			}
		})
	}
}

// TestSonobuoyPlugin: the Pod of the plugin has no rights, either.
func TestSonobuoyPlugin(t *testing.T) {
	data, err := os.ReadFile("../../e2e/sonobuoy/reconform.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var plugin struct {
		Config  map[string]any   `json:"sonobuoy-config"`
		PodSpec corev1.PodSpec   `json:"podSpec"`
		Volumes []corev1.Volume  `json:"extra-volumes"`
		Spec    corev1.Container `json:"spec"`
	}
	if err := yaml.UnmarshalStrict(data, &plugin); err != nil {
		t.Fatal(err)
	}
	plugin.PodSpec.Containers = []corev1.Container{plugin.Spec}
	plugin.PodSpec.Volumes = append(plugin.PodSpec.Volumes, plugin.Volumes...)
	confined(t, corev1.PodTemplateSpec{Spec: plugin.PodSpec})
	if !slices.Contains(plugin.Spec.Args, "-done=/tmp/sonobuoy/results/done") {
		t.Errorf("args are %v", plugin.Spec.Args)
	}
}

// confined checks that a Pod may do nothing but compute.
func confined(t *testing.T, template corev1.PodTemplateSpec) {
	t.Helper()
	checks, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	if result := policy.AggregateCheckResults(checks.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec)); !result.Allowed {
		t.Errorf("the Pod is not restricted: %s", result.ForbiddenDetail())
	}
	if mounts := template.Spec.AutomountServiceAccountToken; mounts == nil || *mounts {
		t.Error("the Pod has a token for its cluster")
	}
	c := template.Spec.Containers[0]
	if readOnly := c.SecurityContext.ReadOnlyRootFilesystem; readOnly == nil || !*readOnly {
		t.Error("the root file system can be written to")
	}
	if c.Resources.Requests.Cpu().IsZero() || c.Resources.Limits.Memory().IsZero() {
		t.Errorf("resources are %+v", c.Resources)
	}
}

// kustomized is the one object of a kind that a kustomization makes.
func kustomized(t *testing.T, dir, kind string) []byte {
	t.Helper()
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Clean(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range made.Resources() {
		if object.GetKind() == kind {
			data, err := object.AsYAML()
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
	t.Fatalf("%s makes no %s", dir, kind)
	return nil
}

// decode strictly, so that no misspelt field goes unseen.
func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict(data, into); err != nil {
		t.Fatal(err)
	}
}

// TestSeccompProfile: the file is a valid seccomp profile, and allows the system calls
// that make namespaces.
func TestSeccompProfile(t *testing.T) {
	data, err := os.ReadFile("../../e2e/job/namespaces/seccomp.json")
	if err != nil {
		t.Fatal(err)
	}
	var profile struct {
		DefaultAction string `json:"defaultAction"`
		Syscalls      []struct {
			Names  []string `json:"names"`
			Action string   `json:"action"`
		} `json:"syscalls"`
	}
	if err := json.Unmarshal(data, &profile); err != nil {
		t.Fatal(err)
	}
	if profile.DefaultAction != "SCMP_ACT_ALLOW" || len(profile.Syscalls) != 1 || !slices.IsSorted(profile.Syscalls[0].Names) {
		t.Errorf("profile: %+v", profile)
	}
	for _, name := range []string{"clone", "clone3", "unshare", "mount", "umount2", "mount_setattr", "sethostname"} {
		if slices.Contains(profile.Syscalls[0].Names, name) {
			t.Errorf("%s is refused", name)
		}
	}
}
