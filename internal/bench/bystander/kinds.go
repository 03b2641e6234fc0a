package bystander

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// kind is a kind of bystanders.
type kind struct {
	schema.GroupVersionResource
	kind string
	// content returns the fields besides the metadata for an object with this name; nil if
	// there are none.
	content func(name string) map[string]any
	// status is what is written into the status after the creation; nil if there is nothing.
	status map[string]any
	// switched is true for kinds that a field of the primary object switches on and off. No
	// scenario does that, so a name that the controller asks for while the kind is off can be
	// taken. A Trial that edits the object may do that: there, no such name is taken.
	switched bool
	// workload is true for kinds of which a controller makes one for an object, or another. Under
	// the name of its workload it never makes a second one, so there such a name can be taken.
	workload bool
	// onlyNamed is true for kinds whose only bystanders have a name that the controller asks
	// for.
	onlyNamed bool
	// adopted is true for kinds of which the cluster's own controllers take over those that belong
	// to nobody and have the labels of a selector. There, each bystander has an owner.
	adopted bool
}

// kinds returns kinds that controllers of web apps are known to create. Each is created in
// such a way that it does nothing.
func kinds() []kind {
	core, apps, batch := at("", "v1"), at("apps", "v1"), at("batch", "v1")
	networking := at("networking.k8s.io", "v1")
	return []kind{
		{GroupVersionResource: apps.WithResource("deployments"), kind: "Deployment", workload: true, content: func(name string) map[string]any {
			// A paused Deployment gets no ReplicaSet.
			return spec(workload(name, map[string]any{"replicas": int64(0), "paused": true}))
		}},
		{GroupVersionResource: apps.WithResource("statefulsets"), kind: "StatefulSet", workload: true, content: func(name string) map[string]any {
			return spec(workload(name, map[string]any{"replicas": int64(0), "serviceName": name}))
		}},
		{GroupVersionResource: batch.WithResource("cronjobs"), kind: "CronJob", content: func(name string) map[string]any {
			job := map[string]any{"template": podTemplate(name, "Never")}
			return spec(map[string]any{"schedule": "0 0 1 1 *", "suspend": true, "jobTemplate": map[string]any{"spec": job}})
		}},
		{GroupVersionResource: core.WithResource("pods"), kind: "Pod", adopted: true, content: pod, status: ready()},
		{GroupVersionResource: core.WithResource("services"), kind: "Service", content: func(string) map[string]any {
			// It selects nothing, and has no address.
			return spec(map[string]any{"clusterIP": "None", "ports": []any{map[string]any{"port": int64(80)}}})
		}},
		{GroupVersionResource: core.WithResource("configmaps"), kind: "ConfigMap"},
		{GroupVersionResource: core.WithResource("secrets"), kind: "Secret"},
		{GroupVersionResource: core.WithResource("serviceaccounts"), kind: "ServiceAccount"},
		{GroupVersionResource: networking.WithResource("ingresses"), kind: "Ingress", switched: true, content: func(name string) map[string]any {
			service := map[string]any{"name": name, "port": map[string]any{"number": int64(80)}}
			return spec(map[string]any{"defaultBackend": map[string]any{"service": service}})
		}},
		{GroupVersionResource: networking.WithResource("networkpolicies"), kind: "NetworkPolicy", switched: true, content: func(name string) map[string]any {
			return spec(map[string]any{"podSelector": selector(name)})
		}},
		{GroupVersionResource: at("policy", "v1").WithResource("poddisruptionbudgets"), kind: "PodDisruptionBudget", switched: true, content: func(name string) map[string]any {
			return spec(map[string]any{"minAvailable": int64(0), "selector": selector(name)})
		}},
		{GroupVersionResource: at("autoscaling", "v2").WithResource("horizontalpodautoscalers"), kind: "HorizontalPodAutoscaler", switched: true, content: func(name string) map[string]any {
			target := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": name + "-none"}
			return spec(map[string]any{"maxReplicas": int64(3), "scaleTargetRef": target})
		}},
		{GroupVersionResource: core.WithResource("persistentvolumeclaims"), kind: "PersistentVolumeClaim", switched: true, onlyNamed: true, content: func(string) map[string]any {
			// Without a class, nobody creates a volume for it.
			storage := map[string]any{"requests": map[string]any{"storage": "1Mi"}}
			return spec(map[string]any{"accessModes": []any{"ReadWriteOnce"}, "storageClassName": "", "resources": storage})
		}},
	}
}

func at(group, version string) schema.GroupVersion {
	return schema.GroupVersion{Group: group, Version: version}
}

func spec(content map[string]any) map[string]any { return map[string]any{"spec": content} }

// workload adds to a spec the selector and the template of the Pods that a bystander would
// have.
func workload(name string, content map[string]any) map[string]any {
	content["selector"], content["template"] = selector(name), podTemplate(name, "Always")
	return content
}

func selector(name string) map[string]any {
	return map[string]any{"matchLabels": map[string]any{labelName: name}}
}

func podTemplate(name, restart string) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"labels": map[string]any{labelName: name}},
		"spec":     map[string]any{"restartPolicy": restart, "containers": []any{container()}},
	}
}

func container() map[string]any {
	return map[string]any{"name": "bystander", "image": "registry.example/bystander:v1"}
}

// pod returns the content of a Pod that no node runs, because the scheduler waits for its gate.
// Where a namespace takes only restricted Pods, it is one.
func pod(string) map[string]any {
	restricted := container()
	restricted["securityContext"] = map[string]any{"allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []any{"ALL"}}}
	return spec(map[string]any{
		"containers": []any{restricted}, "schedulingGates": []any{map[string]any{"name": v1alpha1.LabelBystander}},
		"securityContext": map[string]any{"runAsNonRoot": true, "seccompProfile": map[string]any{"type": "RuntimeDefault"}},
	})
}

// ready returns the status of a Pod that is ready, and that no Service leads to, because it has
// no address.
func ready() map[string]any {
	condition := map[string]any{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
	return map[string]any{"phase": "Running", "conditions": []any{condition}}
}
