package envtest

// controllers returns the controllers of kube-controller-manager that run: all that are on
// by default and can do something here. docs/cluster.md has the others, with the reasons; a
// test compares both with what the binary has.
func controllers() []string {
	return []string{
		"certificatesigningrequest-approving-controller",
		"certificatesigningrequest-cleaner-controller",
		"certificatesigningrequest-signing-controller",
		"clusterrole-aggregation-controller", // fills the roles admin, edit and view
		"cronjob-controller",
		"daemonset-controller",
		"deployment-controller",
		"device-taint-eviction-controller",
		"disruption-controller", // the status of PodDisruptionBudgets, without which each eviction is refused
		"endpoints-controller",
		"endpointslice-controller",
		"endpointslice-mirroring-controller",
		"ephemeral-volume-controller", // makes the claims of Pods with ephemeral volumes
		"garbage-collector-controller",
		"horizontal-pod-autoscaler-controller",
		"job-controller",
		"namespace-controller",
		"node-lifecycle-controller", // removes the taint that every new Node has
		"persistentvolume-binder-controller",
		"persistentvolume-protection-controller",
		"persistentvolumeclaim-protection-controller",
		"pod-garbage-collector-controller", // deletes the Pods of a Node that is gone
		"replicaset-controller",
		"replicationcontroller-controller",
		"resourceclaim-controller",
		"resourcequota-controller",
		"root-ca-certificate-publisher-controller",
		"service-cidr-controller",
		"serviceaccount-controller",
		"serviceaccount-token-controller", // fills Secrets of the type service-account-token
		"statefulset-controller",
		"taint-eviction-controller", // deletes Pods that do not tolerate a Node's taint NoExecute
		"ttl-after-finished-controller",
		"ttl-controller",
		"validatingadmissionpolicy-status-controller", // says what is wrong with a policy's expressions
		"volumeattributesclass-protection-controller",
	}
}
