package profile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// LaunchNotes says what may be wrong with how the controller is started: what the shipped
// container has and launch lacks, and what Kubernetes would replace in an argument.
func (p *Profile) LaunchNotes() ([]string, error) {
	lacking, err := p.lackingOfShipped()
	if err != nil {
		return nil, err
	}
	notes := p.notReplaced()
	if lacking != "" {
		notes = append(notes, lacking)
	}
	return notes, nil
}

// inArguments matches a variable as Kubernetes replaces it in the arguments of a container. Two
// dollar signs stand for one, which begins no variable.
var inArguments = regexp.MustCompile(`^(?:[^$]|\$\$|\$[^$])*?(\$\(([A-Za-z_][A-Za-z0-9_]*)\))`)

// notReplaced tells of the arguments in which Kubernetes would replace a variable. In the text
// that a shell runs, it may be a command.
func (p *Profile) notReplaced() (notes []string) {
	command := p.Spec.Launch.Command
	if len(command) == 0 || strings.HasSuffix(command[0], "sh") {
		return nil
	}
	for _, argument := range command[1:] {
		if m := inArguments.FindStringSubmatch(argument); m != nil {
			notes = append(notes, fmt.Sprintf("the argument %s reaches the program as it is: a Pod gets the value of the variable %s for %s, and a process here does not. "+
				"Write the value, or {{ .namespace }} for the controller's own namespace", argument, m[2], m[1]))
		}
	}
	return notes
}

// lackingOfShipped says what the container of the controller has in the manifests of
// install.rbac, and launch does not: flags, variables, files. Nothing of it is taken over,
// because the process runs elsewhere. What is added for some scenarios counts as there. If
// there are several containers, it is the one that has the most of the command's flags. It
// returns "" if there is none, or nothing is lacking.
func (p *Profile) lackingOfShipped() (string, error) {
	objects, err := p.shipped("spec.install.rbac", p.Spec.Install.RBAC)
	if err != nil {
		return "", err
	}
	launch := p.Spec.Launch
	command := slices.Clone(launch.Command)
	if election := launch.LeaderElection; election != nil {
		command = slices.Concat(command, election.Enabled, election.Disabled)
	}
	if launch.Namespaced != nil {
		command = append(command, launch.Namespaced.Args...)
	}
	own := flagsOf(command)
	best, found := -1, ""
	for _, object := range objects {
		if object.GroupVersionKind().Group != "apps" {
			continue
		}
		var workload struct {
			Spec struct {
				Template corev1.PodTemplateSpec `json:"template"`
			} `json:"spec"`
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object.Object, &workload); err != nil {
			continue // what its type has wrong is told where it is needed
		}
		for _, c := range workload.Spec.Template.Spec.Containers {
			flags := flagsOf(slices.Concat(c.Command, c.Args))
			shared := len(slices.DeleteFunc(slices.Clone(flags), func(flag string) bool { return !slices.Contains(own, flag) }))
			if shared <= best {
				continue
			}
			best, found = shared, ""
			if lacking := p.lacking(c, workload.Spec.Template.Spec.Volumes, flags, own); lacking != "" {
				found = fmt.Sprintf("%s %s starts its container %s with what this command does not have: %s. Give what it needs: variables by launch.env, which is --env of init",
					object.GetKind(), object.GetName(), c.Name, lacking)
			}
		}
	}
	return found, nil
}

// lacking returns what a container has, and launch does not.
func (p *Profile) lacking(c corev1.Container, volumes []corev1.Volume, flags, own []string) string {
	var parts []string
	add := func(what string, names []string) {
		if len(names) > 0 {
			parts = append(parts, what+" "+strings.Join(names, ", "))
		}
	}
	add("the flags", slices.DeleteFunc(flags, func(flag string) bool { return slices.Contains(own, flag) }))
	var variables, files []string
	for _, variable := range c.Env {
		_, given := p.Spec.Launch.Env[variable.Name]
		if !given && variable.Name != "POD_NAME" && variable.Name != "POD_NAMESPACE" { // which the bench sets
			variables = append(variables, variable.Name+sourceOf(variable))
		}
	}
	for _, from := range c.EnvFrom {
		switch {
		case from.ConfigMapRef != nil:
			variables = append(variables, "all of ConfigMap "+from.ConfigMapRef.Name+prefixed(from))
		case from.SecretRef != nil:
			variables = append(variables, "all of Secret "+from.SecretRef.Name+prefixed(from))
		}
	}
	add("the variables", variables)
	for _, mount := range c.VolumeMounts {
		given := mount.MountPath == "/tmp" || strings.HasPrefix(mount.MountPath, "/var/run/secrets/kubernetes.io/serviceaccount") || p.givesCertificates(c, volumes, mount)
		if !given {
			files = append(files, mount.MountPath)
		}
	}
	add("the files in", files)
	return strings.Join(parts, "; ")
}

// givesCertificates tells whether a mounted Secret is the certificate of the webhook server, for
// which launch gives the one of the bench: it is where controller-runtime looks for it, or, if the
// command names .certificates, the shipped container has the same flag with its path, or its
// path speaks of a webhook.
func (p *Profile) givesCertificates(c corev1.Container, volumes []corev1.Volume, mount corev1.VolumeMount) bool {
	secret := slices.ContainsFunc(volumes, func(v corev1.Volume) bool { return v.Name == mount.Name && v.Secret != nil })
	at := slices.IndexFunc(p.Spec.Launch.Command, func(argument string) bool { return strings.Contains(argument, ".certificates") })
	if !secret || at < 0 {
		return secret && p.Spec.Launch.Webhook != nil && mount.MountPath == "/tmp/k8s-webhook-server/serving-certs"
	}
	flag, _, _ := strings.Cut(p.Spec.Launch.Command[at], "=")
	shipped := slices.Concat(c.Command, c.Args)
	return strings.Contains(mount.MountPath, "webhook") ||
		slices.Contains(shipped, flag+"="+mount.MountPath) ||
		at > 0 && slices.Contains(shipped, mount.MountPath) && slices.Contains(shipped, p.Spec.Launch.Command[at-1])
}

// prefixed says with which prefix the keys become variables, or returns "".
func prefixed(from corev1.EnvFromSource) string {
	if from.Prefix == "" {
		return ""
	}
	return " with the prefix " + from.Prefix
}

// sourceOf says where the value of a variable comes from, if not from the container.
func sourceOf(variable corev1.EnvVar) string {
	switch from := variable.ValueFrom; {
	case from == nil:
		return ""
	case from.FieldRef != nil:
		return " (" + from.FieldRef.FieldPath + ")"
	case from.ResourceFieldRef != nil:
		return " (" + from.ResourceFieldRef.Resource + ")"
	case from.ConfigMapKeyRef != nil:
		return " (of ConfigMap " + from.ConfigMapKeyRef.Name + ")"
	case from.SecretKeyRef != nil:
		return " (of Secret " + from.SecretKeyRef.Name + ")"
	default:
		return ""
	}
}

// flagsOf returns the flags in a command, without their values, each once. In the text that
// a shell runs, each word may be one.
func flagsOf(command []string) (flags []string) {
	for _, argument := range command {
		for _, word := range strings.Fields(argument) {
			flag, _, _ := strings.Cut(word, "=")
			if strings.HasPrefix(flag, "-") && strings.Trim(flag, "-") != "" && !isShellOption(command, word) && !slices.Contains(flags, flag) {
				flags = append(flags, flag)
			}
		}
	}
	return flags
}

// isShellOption tells whether a word is the -c of a shell.
func isShellOption(command []string, word string) bool {
	return word == "-c" && len(command) > 0 && strings.HasSuffix(command[0], "sh")
}
