package manifest

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// isBundle tells whether an object is a ClusterServiceVersion: what the bundle of an operator
// has in place of its roles and its Deployment.
func isBundle(object Object) bool {
	kind := object.GroupVersionKind()
	return kind.Group == "operators.coreos.com" && kind.Kind == "ClusterServiceVersion"
}

// openBundle returns the objects that the Operator Lifecycle Manager makes of a
// ClusterServiceVersion: a role and a binding for each account and its rights, the
// Deployments, and the configurations of its admission webhooks. If the operator may serve
// all namespaces, its namespaced rights count in all of them, too. The CRD of the bundle
// says itself how it is converted.
func openBundle(version Object, from origin) []Object {
	b := bundle{version: version, from: from}
	install := func(list string) []string { return []string{"spec", "install", "spec", list} }
	b.each(install("clusterPermissions"), func(i int, fields map[string]any) { b.grant("ClusterRole", "cluster", i, fields) })
	kind := "Role"
	if b.servesAll() {
		kind = "ClusterRole"
	}
	b.each(install("permissions"), func(i int, fields map[string]any) { b.grant(kind, "namespaced", i, fields) })
	b.each(install("deployments"), func(_ int, fields map[string]any) {
		b.add("apps/v1", "Deployment", fmt.Sprint(fields["name"]), map[string]any{"spec": fields["spec"]})
	})
	b.each([]string{"spec", "webhookdefinitions"}, func(_ int, fields map[string]any) { b.serve(fields) })
	return b.made
}

// bundle is a ClusterServiceVersion, with what was made of it so far.
type bundle struct {
	version Object
	from    origin // of the entry that is looked at
	made    []Object
}

// each calls a function with each entry of a list.
func (b *bundle) each(list []string, do func(i int, fields map[string]any)) {
	entries, _, _ := unstructured.NestedFieldNoCopy(b.version.Object, list...)
	all, _ := entries.([]any)
	around := b.from.within
	var path []any
	for _, key := range list {
		path = append(path, key)
	}
	for i, entry := range all {
		if fields, ok := entry.(map[string]any); ok {
			b.from.within = slices.Concat(around, path, []any{i})
			do(i, fields)
		}
	}
	b.from.within = around
}

// servesAll tells whether the operator may be installed for all namespaces.
func (b *bundle) servesAll() bool {
	modes, _, _ := unstructured.NestedFieldNoCopy(b.version.Object, "spec", "installModes")
	all, _ := modes.([]any)
	for _, mode := range all {
		if fields, ok := mode.(map[string]any); ok && fields["type"] == "AllNamespaces" && fields["supported"] == true {
			return true
		}
	}
	return false
}

// grant adds a role with the rules of an entry, and its binding to the account.
func (b *bundle) grant(kind, rights string, i int, fields map[string]any) {
	name := fmt.Sprintf("%s-%s-%d", b.version.GetName(), rights, i)
	b.add("rbac.authorization.k8s.io/v1", kind, name, map[string]any{"rules": fields["rules"]})
	b.add("rbac.authorization.k8s.io/v1", kind+"Binding", name, map[string]any{
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": fields["serviceAccountName"]}},
	})
}

// ofManager are the fields of a webhook in a bundle that say how the manager makes it
// reachable. All others are those of a webhook in Kubernetes.
var ofManager = []string{"type", "generateName", "deploymentName", "containerPort", "targetPort", "webhookPath", "conversionCRDs"}

// serve adds the configuration of an admission webhook. The manager makes one for each, with
// a Service before the Deployment.
func (b *bundle) serve(fields map[string]any) {
	kind := map[any]string{
		"ValidatingAdmissionWebhook": "ValidatingWebhookConfiguration",
		"MutatingAdmissionWebhook":   "MutatingWebhookConfiguration",
	}[fields["type"]]
	if kind == "" {
		return
	}
	service := map[string]any{"name": fmt.Sprintf("%v-service", fields["deploymentName"]), "namespace": b.version.GetNamespace()}
	for key, from := range map[string]string{"path": "webhookPath", "port": "containerPort"} {
		if value := fields[from]; value != nil {
			service[key] = value
		}
	}
	webhook := map[string]any{"name": fields["generateName"], "clientConfig": map[string]any{"service": service}}
	for key, value := range fields {
		if !slices.Contains(ofManager, key) {
			webhook[key] = value
		}
	}
	b.add("admissionregistration.k8s.io/v1", kind, fmt.Sprint(fields["generateName"]), map[string]any{"webhooks": []any{webhook}})
}

func (b *bundle) add(apiVersion, kind, name string, fields map[string]any) {
	fields["apiVersion"], fields["kind"] = apiVersion, kind
	fields["metadata"] = map[string]any{"name": name}
	b.made = append(b.made, Object{&unstructured.Unstructured{Object: fields}, b.from})
}
