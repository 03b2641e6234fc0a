package render

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestWorkload renders for implementations that make something else than Deployments.
func TestWorkload(t *testing.T) {
	const observation = "- create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, spec: {resource: %s, name: %s, never: %q}}}\n"
	cronJobs := []string{
		"container: web}", `container: web, workload: {group: batch, version: v1, kind: CronJob, plural: cronjobs, podTemplate: spec.jobTemplate.spec.template, ` +
			`replicas: spec.schedule, lacks: [spec.selector, status], base: {jobTemplate: {spec: {template: {spec: {restartPolicy: Never}}}}}}}`,
		"replicas: {path: spec.size}", `replicas: {path: spec.schedule, format: "{{ .value }} 0 1 1 *"}`,
	}
	statefulSets := []string{"container: web}", "container: web, workload: {group: apps, version: v1, kind: StatefulSet, plural: statefulsets}}"}
	standsIn := []string{
		"container: web}", "container: web, workload: {group: apps, version: v1, kind: Deployment, plural: deployments, replicas: spec.template.metadata.annotations.number}}",
		"replicas: {path: spec.size}", `replicas: {path: spec.annotations.number, format: "n{{ .value }}"}`,
	}
	jobs := []string{
		"container: web}", `container: web, workload: {group: batch, version: v1, kind: Job, plural: jobs, podTemplate: spec.template, ` +
			`replicas: spec.parallelism, lacks: [spec.selector, status]}}`,
	}
	const finished = "it %s a Job, and a Job that has finished, as it does here at once, need not be made again or put right"
	const stays = "its rule is that a Job stays as it is, and a Job that has finished, as it does here at once, may be suspended or deleted"
	const beside = "it %s the Service of a Job, and a controller need do nothing more about a Job that has finished, as it does here at once"
	const staysBeside = "its rule is that the Service of a Job stays as it is, and when the Job has finished, as it does here at once, it may be deleted"
	annotated := "- create: {resource: {" + mySite + ", spec: {owner: team-demo, container: {pull: Always, image: a:1}, annotations: {number: n3}}}}\n"
	made := "- create: {resource: {" + mySite + ", spec: {owner: team-demo, container: {pull: Always, image: a:1}, schedule: 3 0 1 1 *}}}\n"
	const cronJob = "apiVersion: batch/v1, kind: CronJob, metadata: {name: team-demo-web}"

	for name, tc := range map[string]rendering{
		"an object, its number and its image": {
			operations: create + "- patch: {resource: {" + webapp + ", spec: {replicas: 5}}}\n" +
				"- assert: {resource: {" + deployment + ", spec: {replicas: 5, template: {spec: {(containers[?name == 'app']): [{image: a:1}]}}}}}\n", edits: cronJobs,
			want: made + "- patch: {resource: {" + mySite + ", spec: {schedule: 5 0 1 1 *}}}\n" +
				"- assert: {resource: {" + cronJob + ", spec: {schedule: 5 0 1 1 *, jobTemplate: {spec: {template: {spec: {(containers[?name == 'web']): [{image: a:1}]}}}}}}}\n",
		},
		"what a Deployment tells of its Pods": {
			operations: create + "- assert: {resource: {" + deployment + ", (metadata.generation == status.observedGeneration): true, (spec.replicas == status.readyReplicas): true, status: {readyReplicas: 3}}}\n", edits: cronJobs,
			want: made + "- assert: {resource: {" + cronJob + "}}\n",
		},
		"a Deployment of the scenario's own": {
			operations: create + "- create: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {replicas: 1, selector: {matchLabels: {a: b}}, template: {spec: {containers: [{name: y}]}}}}}\n" + check, edits: cronJobs,
			want: made + "- create: {resource: {apiVersion: batch/v1, kind: CronJob, metadata: {name: x}, spec: {jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: y}]}}}}, schedule: 1 0 1 1 *}}}\n" + check,
		},
		"commands": {
			operations: create + "- command: {entrypoint: kubectl, args: [scale, deployment/demo, --replicas=7, --namespace=$NAMESPACE]}\n" +
				"- command: {entrypoint: kubectl, args: [delete, deployment/demo]}\n" + check, edits: cronJobs,
			want: made + `- command: {entrypoint: kubectl, args: [patch, cronjobs.batch/team-demo-web, --type=merge, '--patch={"spec":{"schedule":"7 0 1 1 *"}}', --namespace=$NAMESPACE]}` + "\n" +
				"- command: {entrypoint: kubectl, args: [delete, cronjobs.batch/team-demo-web]}\n" + check,
		},
		"requests, rules and look-ups": {
			operations: create + "- create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Fault, metadata: {name: f}, spec: {match: {resources: [deployments.apps], names: [demo]}}}}\n" +
				fmt.Sprintf(observation, "deployments.apps", "demo", `new != null && new.spec.replicas == 5 && new.spec.replicas != old.spec.replicas`) +
				"- assert: {resource: {(length(x_k8s_list($client, 'apps/v1', 'Deployment', $namespace).items[?spec.replicas == `2`])): 1}}\n", edits: cronJobs,
			want: made + "- create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Fault, metadata: {name: f}, spec: {match: {resources: [cronjobs.batch], names: [team-demo-web]}}}}\n" +
				fmt.Sprintf(observation, "cronjobs.batch", "team-demo-web", `new != null && new.spec.schedule == "5 0 1 1 *" && new.spec.schedule != old.spec.schedule`) +
				"- assert: {resource: {(length(x_k8s_list($client, 'batch/v1', 'CronJob', $namespace).items[?spec.schedule == '2 0 1 1 *'])): 1}}\n",
		},
		"more or less of what is a text": {
			operations: create + check + fmt.Sprintf(observation, "deployments.apps", "demo", `new.spec.replicas > 5`), edits: cronJobs,
			skip: "it computes with replicas, which are written as a text in this implementation",
		},
		"a rule about the Pods of what has none": {
			operations: create + check + fmt.Sprintf(observation, "deployments.apps", "demo", `new.status.readyReplicas == 5`), edits: cronJobs,
			skip: "its rule is about status, which a CronJob does not have as a Deployment has it",
		},
		"another kind with the same fields": {
			operations: create + "- assert: {resource: {" + deployment + ", spec: {replicas: 3}, status: {readyReplicas: 3}}}\n" +
				"- delete: {ref: {apiVersion: apps/v1, kind: Deployment, name: demo}}\n", edits: statefulSets,
			want: created + "- assert: {resource: {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: team-demo-web}, spec: {replicas: 3}, status: {readyReplicas: 3}}}\n" +
				"- delete: {ref: {apiVersion: apps/v1, kind: StatefulSet, name: team-demo-web}}\n",
		},
		"a Job that is deleted": {
			operations: create + "- command: {entrypoint: kubectl, args: [delete, deployment/demo]}\n" + check, edits: jobs,
			skip: fmt.Sprintf(finished, "deletes"),
		},
		"a Job that Chainsaw deletes": {
			operations: create + "- delete: {ref: {apiVersion: apps/v1, kind: Deployment, name: demo}}\n" + check, edits: jobs,
			skip: fmt.Sprintf(finished, "deletes"),
		},
		"a Job with another image": {
			operations: create + "- command: {entrypoint: kubectl, args: [set, image, deployment/demo, app=b:1]}\n" + check, edits: jobs,
			skip: fmt.Sprintf(finished, "changes"),
		},
		"a Job that is scaled": {
			operations: create + "- patch: {resource: {" + deployment + ", spec: {replicas: 7}}}\n" + check, edits: jobs,
			skip: fmt.Sprintf(finished, "changes"),
		},
		"a Drift of a Job": {
			operations: create + "- create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Drift, metadata: {name: d}, spec: {resource: deployments.apps, name: demo, mode: Change}}}\n" + check,
			edits:      jobs, skip: fmt.Sprintf(finished, "changes"),
		},
		"a Job that must not go": {
			operations: create + check + fmt.Sprintf(observation, "deployments.apps", "demo", `null == new`), edits: jobs, skip: stays,
		},
		"a Job that must keep its generation": {
			operations: create + check + fmt.Sprintf(observation, "deployments.apps", "demo", `old != null && new != null && new.metadata.generation != old.metadata.generation`),
			edits:      jobs, skip: stays,
		},
		"a Job that must stay the same object": {
			operations: create + check + fmt.Sprintf(observation, "deployments.apps", "demo", `old != null && (new == null || new.metadata.uid != first.metadata.uid)`),
			edits:      jobs, skip: stays,
		},
		"the Service of a Job that is deleted": {
			operations: create + "- command: {entrypoint: kubectl, args: [delete, service/demo]}\n" + check, edits: jobs, skip: fmt.Sprintf(beside, "deletes"),
		},
		"the Service of a Job that Chainsaw changes": {
			operations: create + "- patch: {resource: {apiVersion: v1, kind: Service, metadata: {name: demo}, spec: {selector: {a: b}}}}\n" + check,
			edits:      jobs, skip: fmt.Sprintf(beside, "changes"),
		},
		"a Drift of the Service of a Job": {
			operations: create + "- create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Drift, metadata: {name: d}, spec: {resource: services, name: demo, mode: Change}}}\n" + check,
			edits:      jobs, skip: fmt.Sprintf(beside, "changes"),
		},
		"the Service of a Job that must not go": {
			operations: create + check + fmt.Sprintf(observation, "services", "demo", `null == new`), edits: jobs, skip: staysBeside,
		},
		"ready Pods behind the Service of a Job": {
			operations: create + "- assert: {resource: {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {labels: {kubernetes.io/service-name: demo}}}}\n",
			edits:      jobs, skip: "it looks at the Pods behind a Service, and those of a Job end by themselves",
		},
		"a Service of the scenario's own, beside a Job": {
			operations: create + "- create: {resource: {apiVersion: v1, kind: Service, metadata: {name: x}, spec: {ports: [{port: 1}]}}}\n" +
				"- command: {entrypoint: kubectl, args: [delete, service/x]}\n" + check, edits: jobs,
			want: created + "- create: {resource: {apiVersion: v1, kind: Service, metadata: {name: x}, spec: {ports: [{port: 1}]}}}\n" +
				"- command: {entrypoint: kubectl, args: [delete, service/x]}\n" + check,
		},
		"a rule about a Job as it is, and one about a Job of the scenario's own": {
			operations: create + "- create: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {replicas: 1}}}\n" +
				fmt.Sprintf(observation, "deployments.apps", "demo", `new != null && new.metadata.uid == old.metadata.uid`) +
				fmt.Sprintf(observation, "deployments.apps", "x", `new == null`) + check, edits: jobs,
			want: created + "- create: {resource: {apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {parallelism: 1}}}\n" +
				fmt.Sprintf(observation, "jobs.batch", "team-demo-web", `new != null && new.metadata.uid == old.metadata.uid`) +
				fmt.Sprintf(observation, "jobs.batch", "x", `new == null`) + check,
		},
		"a StatefulSet, which does not end": {
			operations: create + check + fmt.Sprintf(observation, "deployments.apps", "demo", `new == null`), edits: statefulSets,
			want: created + check + fmt.Sprintf(observation, "statefulsets.apps", "team-demo-web", `new == null`),
		},
		"a Job that is let go, and one of the scenario's own": {
			operations: create + `- command: {entrypoint: kubectl, args: [patch, deployment/demo, --type=merge, '--patch={"metadata":{"finalizers":null}}']}` + "\n" +
				"- create: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {replicas: 1}}}\n" +
				"- patch: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {replicas: 2}}}\n" +
				"- command: {entrypoint: kubectl, args: [delete, deployment/x]}\n" + check, edits: jobs,
			want: created + `- command: {entrypoint: kubectl, args: [patch, jobs.batch/team-demo-web, --type=merge, '--patch={"metadata":{"finalizers":null}}']}` + "\n" +
				"- create: {resource: {apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {parallelism: 1}}}\n" +
				"- patch: {resource: {apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {parallelism: 2}}}\n" +
				"- command: {entrypoint: kubectl, args: [delete, jobs.batch/x]}\n" + check,
		},
		"another field that stands in for the replicas": {
			operations: create + "- patch: {resource: {" + webapp + ", spec: {replicas: 5}}}\n" +
				"- assert: {resource: {" + deployment + ", spec: {replicas: 5}, status: {readyReplicas: 5}}}\n" +
				"- command: {entrypoint: kubectl, args: [scale, deployment/demo, --replicas=7, --namespace=$NAMESPACE]}\n" +
				fmt.Sprintf(observation, "deployments.apps", "demo", `new != null && new.spec.replicas == 5`), edits: standsIn,
			want: annotated + "- patch: {resource: {" + mySite + ", spec: {annotations: {number: n5}}}}\n" +
				"- assert: {resource: {" + myChild + ", spec: {template: {metadata: {annotations: {number: n5}}}}, status: {}}}\n" +
				`- command: {entrypoint: kubectl, args: [patch, deployments.apps/team-demo-web, --type=merge, '--patch={"spec":{"template":{"metadata":{"annotations":{"number":"n7"}}}}}', --namespace=$NAMESPACE]}` + "\n" +
				fmt.Sprintf(observation, "deployments.apps", "team-demo-web", `new != null && new.spec.template.metadata.annotations.number == "n5"`),
		},
		"a count of Pods, where a field stands in for it": {
			operations: create + check + "- assert: {resource: {" + webapp + ", status: {readyReplicas: 3}}}\n", edits: standsIn,
			skip: "it looks at status.readyReplicas, which this implementation does not have",
		},
		"a rule about a count of Pods, where a field stands in for it": {
			operations: create + check + fmt.Sprintf(observation, "deployments.apps", "demo", `new.status.readyReplicas == 5`), edits: standsIn,
			skip: "its rule is about status.readyReplicas, which this implementation does not have",
		},
		"a word in place of a number, where a text stands in for it": {
			operations: create + check + "- create: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: other}, spec: {replicas: many}}}\n", edits: standsIn,
			skip: "it gives replicas a value that is not a number, and another field stands in for them in this implementation",
		},
	} {
		t.Run(name, tc.check)
	}
}

// TestPodsThatEnd: what is about the loss of running Pods, or about their answers, is not judged for
// those that end by themselves. The Pods of the controller itself run on.
func TestPodsThatEnd(t *testing.T) {
	for profile, want := range map[string]string{
		"backup": "it needs Pods that run on, and those of a CronJob end by themselves", "stateful": "",
	} {
		p := builtin(t, profile)
		for id, lost := range map[string]bool{
			"drained-pods-are-left-to-the-workload": true, "lost-pods-are-left-to-the-workload": true, "pods-of-a-lost-node-do-not-count": true,
			"service-answers":           true,
			"evicted-pod-loses-nothing": false, "rollout-loses-nothing": false,
		} {
			s, err := load(filepath.Join(scenariosDir, "nodes", id, "chainsaw-test.yaml"), os.ReadFile)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Render(s, p)
			var skip *Skip
			switch {
			case errors.As(err, &skip) && lost && skip.Reason == want:
			case err != nil || lost && want != "":
				t.Errorf("%s for %s: %v", id, profile, err)
			}
		}
	}
}
