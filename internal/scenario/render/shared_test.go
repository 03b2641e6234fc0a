package render

import (
	"fmt"
	"testing"
)

// TestShared: what all objects share may be left, and what belongs to it, too. Nothing else may.
func TestShared(t *testing.T) {
	sharing := func(shared string) []string {
		return []string{"service: {", "shared: [" + shared + "]\n      service: {"}
	}
	const (
		gone      = "- error: {timeout: 15s, resource: {apiVersion: %s, kind: %s%s}}\n"
		none      = "- create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, spec: {resource: %s, %seventually: all.size() == 0}}}\n"
		store     = "{kind: StatefulSet, name: store}"
		pod       = "(!(metadata.ownerReferences[?kind == 'StatefulSet' && name == 'store'])): true"
		ofHash    = "(!(metadata.ownerReferences[?kind == 'ReplicaSet' && regex_match('^a[.]b-[0-9a-z]+$', name)])): true"
		ofNumber  = "(!(metadata.ownerReferences[?kind == 'Job' && regex_match('^night-[0-9a-z]+$', name)])): true"
		ofTheOnes = "(metadata.name != 'first' && metadata.name != 'second'): true"
	)
	is := func(version, kind, more string) string { return fmt.Sprintf(gone, version, kind, more) }
	for name, tc := range map[string]rendering{
		"Pods of a StatefulSet": {
			operations: create + is("v1", "Pod", "") + is("apps/v1", "ReplicaSet", "") + is("v1", "Service", ""), edits: sharing(store),
			want: created + is("v1", "Pod", ", "+pod) + is("apps/v1", "ReplicaSet", "") + is("v1", "Service", ""),
		},
		"a Deployment, its ReplicaSets and their Pods": {
			operations: create + is("apps/v1", "Deployment", "") + is("apps/v1", "ReplicaSet", "") + is("v1", "Pod", ""), edits: sharing("{kind: Deployment, name: a.b}"),
			want: created + is("apps/v1", "Deployment", ", (metadata.name != 'a.b'): true") +
				is("apps/v1", "ReplicaSet", ", (!(metadata.ownerReferences[?kind == 'Deployment' && name == 'a.b'])): true") + is("v1", "Pod", ", "+ofHash),
		},
		"Pods of a CronJob": {
			operations: create + is("v1", "Pod", ""), edits: sharing("{kind: CronJob, name: night}"), want: created + is("v1", "Pod", ", "+ofNumber),
		},
		"two Services": {
			operations: create + is("v1", "Service", ""), edits: sharing("{kind: Service, name: first}, {kind: Service, name: second}"),
			want: created + is("v1", "Service", ", "+ofTheOnes),
		},
		"what is named, and what must be there": {
			operations: create + is("v1", "Service", ", metadata: {name: demo}") + "- assert: {resource: {apiVersion: v1, kind: Pod}}\n", edits: sharing(store + ", {kind: Service, name: first}"),
			want: created + is("v1", "Service", ", metadata: {name: demo-svc}") + "- assert: {resource: {apiVersion: v1, kind: Pod}}\n",
		},
		"Observations": {
			operations: create + check + fmt.Sprintf(none, "services", "") + fmt.Sprintf(none, "deployments.apps", `where: "new.metadata.uid != ''", `) +
				fmt.Sprintf(none, "webapps.apps.kubedojo.io", "") + fmt.Sprintf(none, "services", "name: demo, "),
			edits: sharing("{kind: Service, name: first}, {kind: Deployment, name: second}"),
			want: created + check + fmt.Sprintf(none, "services", `where: "new.metadata.name != 'first'", `) +
				fmt.Sprintf(none, "deployments.apps", `where: "(new.metadata.uid != '') && new.metadata.name != 'second'", `) +
				fmt.Sprintf(none, "sites.example.com", "") + fmt.Sprintf(none, "services", "name: demo-svc, "),
		},
		"another workload": {
			operations: create + is("apps/v1", "Deployment", "") + fmt.Sprintf(none, "deployments.apps", ""),
			edits:      append(sharing(store), "container: web}", "container: web, workload: {group: apps, version: v1, kind: StatefulSet, plural: statefulsets}}"),
			want:       created + is("apps/v1", "StatefulSet", ", (metadata.name != 'store'): true") + fmt.Sprintf(none, "statefulsets.apps", `where: "new.metadata.name != 'store'", `),
		},
	} {
		t.Run(name, func(t *testing.T) { tc.check(t) })
	}
}
