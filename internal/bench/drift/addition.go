package drift

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// foreign is the name of everything that a Drift adds.
const foreign = "example.com/foreign"

// addition is something that somebody else may add to an object.
type addition struct {
	path  path
	value any
}

func (a addition) there(object map[string]any) bool {
	now, ok := a.path.find(object)
	return ok && within(now, a.value)
}

// metadataAdditions returns what others may add to any object. The owner must be an
// existing object: the garbage collector removes a reference to a missing one.
func metadataAdditions(owner string, uid types.UID) []addition {
	metadata := keys("metadata")
	return []addition{
		{path: metadata.key("labels").key(foreign), value: "label"},
		{path: metadata.key("annotations").key(foreign), value: "annotation"},
		{path: metadata.key("finalizers").with(step{what: toElement, element: foreign}), value: foreign},
		{path: metadata.key("ownerReferences").named("uid", string(uid)), value: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": string(uid),
		}},
	}
}

// additionsTo returns what else others may add to the objects of a resource.
func (r *run) additionsTo(resource string) []addition {
	switch resource {
	case "deployments.apps":
		return slices.Concat(podAdditions(r.template, r.container, !r.first), []addition{
			{path: keys("spec", "minReadySeconds"), value: int64(1)},
			{path: keys("spec", "revisionHistoryLimit"), value: int64(7)},
			{path: keys("spec", "progressDeadlineSeconds"), value: int64(700)},
		})
	case r.workload:
		return podAdditions(r.template, r.container, !r.first)
	case "services":
		return []addition{
			{path: keys("spec", "sessionAffinity"), value: "ClientIP"},
			{path: keys("spec", "publishNotReadyAddresses"), value: true},
			{path: keys("spec", "internalTrafficPolicy"), value: "Local"},
			{path: keys("spec", "ports").with(step{what: toPlace}).key("appProtocol"), value: "http"},
			{path: keys("spec", "externalIPs").with(step{what: toElement, element: "192.0.2.1"}), value: "192.0.2.1"},
		}
	}
	return nil
}

// podAdditions returns what others may add to a Pod template, as injectors, policies and
// people do. A sidecar may come before the other containers: an injector puts it there that
// wants it to be started first.
func podAdditions(template path, container string, front bool) []addition {
	pod := template.key("spec")
	own := pod.key("containers").named("name", container)
	return []addition{
		{path: template.key("metadata").key("labels").key(foreign), value: "label"},
		{path: template.key("metadata").key("annotations").key(foreign), value: "annotation"},
		{path: pod.key("containers").with(step{what: toEntry, entry: map[string]any{"name": "foreign"}, front: front}), value: map[string]any{
			"name": "foreign", "image": "registry.example/foreign:v1",
			"env":   []any{map[string]any{"name": "FOREIGN", "value": "variable"}},
			"ports": []any{map[string]any{"containerPort": int64(15000), "name": "foreign", "protocol": "TCP"}},
		}},
		{path: pod.key("initContainers").named("name", "foreign-init"), value: map[string]any{
			"name": "foreign-init", "image": "registry.example/foreign:v1",
		}},
		{path: pod.key("volumes").named("name", "foreign"), value: map[string]any{"name": "foreign", "emptyDir": map[string]any{}}},
		{path: own.key("volumeMounts").named("mountPath", "/foreign"), value: map[string]any{"name": "foreign", "mountPath": "/foreign"}},
		{path: own.key("resources").key("requests").key("cpu"), value: "1m"},
		{path: pod.key("tolerations").named("key", foreign), value: map[string]any{"key": foreign, "operator": "Exists"}},
		{path: pod.key("hostAliases").named("ip", "192.0.2.1"), value: map[string]any{"ip": "192.0.2.1", "hostnames": []any{"foreign"}}},
		{path: pod.key("terminationGracePeriodSeconds"), value: foreignGrace},
	}
}

// foreignGrace is a grace period that differs from the default.
const foreignGrace = int64(33)

// among says whether the controller itself sets this path, or something below it.
func (a addition) among(own []field) bool {
	return slices.ContainsFunc(own, func(f field) bool { return begins(f.path, a.path) })
}

// begins says whether a path begins with another path.
func begins(p, start path) bool {
	return len(p) >= len(start) && p[:len(start)].String() == start.String()
}
