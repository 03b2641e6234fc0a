package bystander

import "k8s.io/apimachinery/pkg/runtime/schema"

// kind of bystanders.
type kind struct {
	schema.GroupVersionResource
	kind string
	// content beside the metadata, for an object of this name; nil for none.
	content func(name string) map[string]any
}

// kinds that controllers of web apps are known to make. Each is made in a way that it
// does nothing.
func kinds() []kind {
	core, apps, batch := at("", "v1"), at("apps", "v1"), at("batch", "v1")
	networking := at("networking.k8s.io", "v1")
	return []kind{
		{apps.WithResource("deployments"), "Deployment", func(name string) map[string]any {
			// A paused one gets no ReplicaSet.
			return spec(workload(name, map[string]any{"replicas": int64(0), "paused": true}))
		}},
		{apps.WithResource("statefulsets"), "StatefulSet", func(name string) map[string]any {
			return spec(workload(name, map[string]any{"replicas": int64(0), "serviceName": name}))
		}},
		{batch.WithResource("cronjobs"), "CronJob", func(name string) map[string]any {
			job := map[string]any{"template": podTemplate(name, "Never")}
			return spec(map[string]any{"schedule": "0 0 1 1 *", "suspend": true, "jobTemplate": map[string]any{"spec": job}})
		}},
		{core.WithResource("services"), "Service", func(string) map[string]any {
			// It selects nothing, and has no address.
			return spec(map[string]any{"clusterIP": "None", "ports": []any{map[string]any{"port": int64(80)}}})
		}},
		{core.WithResource("configmaps"), "ConfigMap", nil},
		{core.WithResource("secrets"), "Secret", nil},
		{core.WithResource("serviceaccounts"), "ServiceAccount", nil},
		{networking.WithResource("ingresses"), "Ingress", func(name string) map[string]any {
			service := map[string]any{"name": name, "port": map[string]any{"number": int64(80)}}
			return spec(map[string]any{"defaultBackend": map[string]any{"service": service}})
		}},
		{networking.WithResource("networkpolicies"), "NetworkPolicy", func(name string) map[string]any {
			return spec(map[string]any{"podSelector": selector(name)})
		}},
		{at("policy", "v1").WithResource("poddisruptionbudgets"), "PodDisruptionBudget", func(name string) map[string]any {
			return spec(map[string]any{"minAvailable": int64(0), "selector": selector(name)})
		}},
		{at("autoscaling", "v2").WithResource("horizontalpodautoscalers"), "HorizontalPodAutoscaler", func(name string) map[string]any {
			target := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": name + "-none"}
			return spec(map[string]any{"maxReplicas": int64(3), "scaleTargetRef": target})
		}},
	}
}

func at(group, version string) schema.GroupVersion {
	return schema.GroupVersion{Group: group, Version: version}
}

func spec(content map[string]any) map[string]any { return map[string]any{"spec": content} }

// workload adds to a spec the selector of the Pods that a bystander would have.
func workload(name string, content map[string]any) map[string]any {
	content["selector"], content["template"] = selector(name), podTemplate(name, "Always")
	return content
}

func selector(name string) map[string]any {
	return map[string]any{"matchLabels": map[string]any{labelName: name}}
}

func podTemplate(name, restart string) map[string]any {
	container := map[string]any{"name": "bystander", "image": "registry.example/bystander:v1"}
	return map[string]any{
		"metadata": map[string]any{"labels": map[string]any{labelName: name}},
		"spec":     map[string]any{"restartPolicy": restart, "containers": []any{container}},
	}
}
