package profile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestLackingOfShipped: what the shipped container is started with, and the command of the
// profile is not, is named, and nothing else.
func TestLackingOfShipped(t *testing.T) {
	workload := func(kind, name, containers string) string {
		return "---\napiVersion: apps/v1\nkind: " + kind + "\nmetadata: {name: " + name + "}\nspec: {template: {spec: {containers: [" + containers + "]}}}\n"
	}
	const start = " starts its container "
	const lacks = " with what this command does not have: "
	for name, tc := range map[string]struct{ manifests, want string }{
		"nothing is shipped": {"", ""},
		"the same":           {workload("Deployment", "a", "{name: m, args: ['--leader-elect=false', --metrics, ':1'], env: [{name: MODE, value: x}, {name: POD_NAME}]}"), ""},
		"everything": {
			workload("StatefulSet", "a", "{name: m, command: [/manager], args: [--leader-elect, --webhook-port=1, -v, '2'], envFrom: [{configMapRef: {name: c}}, {prefix: S_, secretRef: {name: s}}], "+
				"env: [{name: NS, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}, {name: MEM, valueFrom: {resourceFieldRef: {resource: limits.memory}}}, {name: KEY, valueFrom: {secretKeyRef: {name: s, key: k}}}, {name: PLAIN, value: x}], "+
				"volumeMounts: [{name: tmp, mountPath: /tmp}, {name: certs, mountPath: /certs}]}"),
			"StatefulSet a" + start + "m" + lacks + "the flags --webhook-port, -v; the variables NS (metadata.namespace), MEM (limits.memory), KEY (of Secret s), PLAIN, all of ConfigMap c, all of Secret s with the prefix S_; " +
				"the files in /certs. Give what it needs: variables by launch.env, which is --env of init",
		},
		"a shell":                   {workload("DaemonSet", "a", "{name: m, command: [/bin/sh, -c, 'exec /manager --leader-elect --mode=x']}"), "DaemonSet a" + start + "m" + lacks + "the flags --mode. Give what it needs: variables by launch.env, which is --env of init"},
		"a webhook and a side-car":  {workload("Deployment", "hook", "{name: h, args: [--port=1]}") + workload("Deployment", "a", "{name: proxy, args: [--upstream=x]}, {name: m, args: [--leader-elect, --more]}"), "Deployment a" + start + "m" + lacks + "the flags --more. Give what it needs: variables by launch.env, which is --env of init"},
		"what scenarios add":        {workload("Deployment", "a", "{name: m, args: [--elect, --no-elect, --only=x, --more]}"), "Deployment a" + start + "m" + lacks + "the flags --more. Give what it needs: variables by launch.env, which is --env of init"},
		"what is of another type":   {workload("Deployment", "a", "{name: m, args: 1}"), ""},
		"the other one has nothing": {workload("Deployment", "a", "{name: m, args: [--leader-elect]}") + workload("Deployment", "b", "{name: o, args: [--port=1]}"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := inDir(t, map[string]string{"mine.yaml": minimal, "rbac.yaml": scaffold + tc.manifests})
			p.Spec.Launch.Command = []string{"bin/manager", "--leader-elect", "--metrics=:8080"}
			p.Spec.Launch.Env = map[string]string{"MODE": ""}
			p.Spec.Launch.LeaderElection = &v1alpha1.LaunchLeaderElection{Enabled: []string{"--elect"}, Disabled: []string{"--no-elect"}}
			p.Spec.Launch.Namespaced = &v1alpha1.LaunchNamespaced{Args: []string{"--only={{ .served }}"}}
			got, err := p.lackingOfShipped()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("lacking (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLackingCertificates: the certificate of the webhook server is not lacking if launch gives
// that of the bench; other files are.
func TestLackingCertificates(t *testing.T) {
	const manifests = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec:
  template:
    spec:
      containers:
      - name: m
        args: [--cert-dir=/certs, --tls, /pki]
        volumeMounts:
        - {name: hook, mountPath: /tmp/k8s-webhook-server/serving-certs}
        - {name: certs, mountPath: /certs}
        - {name: pki, mountPath: /pki}
        - {name: other, mountPath: /client-certs}
        - {name: settings, mountPath: /webhook-settings}
      volumes:
      - {name: hook, secret: {secretName: hook}}
      - {name: certs, secret: {secretName: certs}}
      - {name: pki, secret: {secretName: pki}}
      - {name: other, secret: {secretName: other}}
      - {name: settings, configMap: {name: settings}}
`
	for name, tc := range map[string]struct {
		command []string
		want    string
	}{
		"where controller-runtime looks": {[]string{"bin/m", "--webhook"}, "/certs, /pki, /client-certs, /webhook-settings"},
		"another flag":                   {[]string{"bin/m", "--certs={{ .certificates }}"}, "/certs, /pki, /client-certs, /webhook-settings"},
		"the same flag":                  {[]string{"bin/m", "--cert-dir={{ .certificates }}"}, "/pki, /client-certs, /webhook-settings"},
		"a flag and its value":           {[]string{"bin/m", "--tls", "{{ .certificates }}"}, "/certs, /client-certs, /webhook-settings"},
		"no certificates":                {[]string{"bin/m", "--cert-dir=certs"}, "/tmp/k8s-webhook-server/serving-certs, /certs, /pki, /client-certs, /webhook-settings"},
	} {
		t.Run(name, func(t *testing.T) {
			p := inDir(t, map[string]string{"mine.yaml": minimal, "rbac.yaml": scaffold + manifests})
			p.Spec.Launch.Command = tc.command
			if name != "no certificates" {
				p.Spec.Launch.Webhook = &v1alpha1.LaunchWebhook{Port: "webhook"}
			}
			lacking, err := p.lackingOfShipped()
			if err != nil {
				t.Fatal(err)
			}
			_, got, _ := strings.Cut(lacking, "the files in ")
			got, _, _ = strings.Cut(got, ". Give")
			if got != tc.want {
				t.Errorf("lacking files: got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestNotReplaced: a variable in an argument is told, because nothing replaces it here.
func TestNotReplaced(t *testing.T) {
	for name, tc := range map[string]struct {
		command []string
		want    []string
	}{
		"a variable":        {[]string{"bin/m", "--ns=$(POD_NAMESPACE)", "-v"}, []string{"--ns=$(POD_NAMESPACE)"}},
		"two":               {[]string{"bin/m", "$(A)", "--b=x$(B)"}, []string{"$(A)", "--b=x$(B)"}},
		"of a shell":        {[]string{"/bin/sh", "-c", "exec bin/m --host=$(hostname)"}, nil},
		"escaped":           {[]string{"bin/m", "$$(A)", "--b=$$$(B)$$(C)"}, []string{"--b=$$$(B)$$(C)"}},
		"behind a group":    {[]string{"bin/m", "^a$(b|c)$(A)"}, []string{"^a$(b|c)$(A)"}},
		"no variable":       {[]string{"bin/m", "--match=^a$(b|c)", "--ns={{ .namespace }}"}, nil},
		"no command as yet": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Profile{}
			p.Spec.Launch.Command = tc.command
			notes := p.notReplaced()
			var got []string
			for _, note := range notes {
				argument, _, _ := strings.Cut(strings.TrimPrefix(note, "the argument "), " reaches")
				got = append(got, argument)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}
