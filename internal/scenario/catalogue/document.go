package catalogue

// Document is a text that explains an area, with its address.
type Document struct {
	Title, Address string
}

const (
	kubernetes = "https://kubernetes.io/docs/"
	community  = "https://github.com/kubernetes/community/blob/master/contributors/devel/"

	concepts           = kubernetes + "reference/using-api/api-concepts/"
	definitions        = kubernetes + "tasks/extend-kubernetes/custom-resources/custom-resource-definitions/"
	writingControllers = community + "sig-api-machinery/controllers.md"
	conventions        = community + "sig-architecture/api-conventions.md"
)

// Documents returns texts of Kubernetes itself that explain an area, or nil if the area is
// not known.
func Documents(area string) []Document {
	return map[string][]Document{
		"reconcile": {
			{"Controllers", kubernetes + "concepts/architecture/controller/"},
			{"Writing controllers", writingControllers},
		},
		"self-healing": {
			{"Writing controllers", writingControllers},
			{"Server-side apply", kubernetes + "reference/using-api/server-side-apply/"},
		},
		"cascade-delete": {
			{"Garbage collection", kubernetes + "concepts/architecture/garbage-collection/"},
			{"Finalizers", kubernetes + "concepts/overview/working-with-objects/finalizers/"},
		},
		"retries": {
			{"Writing controllers", writingControllers},
			{"API priority and fairness", kubernetes + "concepts/cluster-administration/flow-control/"},
		},
		"cache-sync": {
			{"Efficient detection of changes", concepts + "#efficient-detection-of-changes"},
			{"Writing controllers", writingControllers},
		},
		"level-triggered": {
			{"Writing controllers", writingControllers},
			{"Spec and status", conventions + "#spec-and-status"},
		},
		"leader-failover": {
			{"Leases", kubernetes + "concepts/architecture/leases/"},
		},
		"status": {
			{"Typical status properties", conventions + "#typical-status-properties"},
		},
		"steady-state": {
			{"Writing controllers", writingControllers},
			{"Concurrency control and consistency", conventions + "#concurrency-control-and-consistency"},
		},
		"events": {
			{"Events", conventions + "#events"},
		},
		"validation": {
			{"Validation of custom resources", definitions + "#validation"},
		},
		"isolation": {
			{"Owners and dependents", kubernetes + "concepts/overview/working-with-objects/owners-dependents/"},
		},
		"shutdown": {
			{"Termination of Pods", kubernetes + "concepts/workloads/pods/pod-lifecycle/#pod-termination"},
		},
		"rbac": {
			{"RBAC good practices", kubernetes + "concepts/security/rbac-good-practices/"},
		},
		"observability": {
			{"Liveness, readiness and startup probes", kubernetes + "concepts/configuration/liveness-readiness-startup-probes/"},
			{"System logs", kubernetes + "concepts/cluster-administration/system-logs/"},
		},
		"scale": {
			{"Retrieving large results sets in chunks", concepts + "#retrieving-large-results-sets-in-chunks"},
			{"Writing controllers", writingControllers},
		},
		"nodes": {
			{"Pod security standards", kubernetes + "concepts/security/pod-security-standards/"},
			{"API-initiated eviction", kubernetes + "concepts/scheduling-eviction/api-eviction/"},
			{"Termination of Pods", kubernetes + "concepts/workloads/pods/pod-lifecycle/#pod-termination"},
		},
	}[area]
}
