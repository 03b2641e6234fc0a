package envtest

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Version is the Kubernetes version of a control plane, unless [Options.Kubernetes] names
// another one.
const Version = "v1.37.2"

// Versions returns the Kubernetes versions that a control plane can have, oldest first: one
// for each minor version that is supported.
func Versions() []string { return []string{"v1.34.4", "v1.35.4", "v1.36.3", Version} }

// ParseVersion returns the version of [Versions] that a text names: 1.35, v1.35, 1.35.4 and
// v1.35.4 name the same one. An empty text names [Version].
func ParseVersion(text string) (string, error) {
	if text == "" {
		return Version, nil
	}
	wanted := "v" + strings.TrimPrefix(text, "v")
	for _, version := range Versions() {
		if wanted == version || wanted == minorOf(version) {
			return version, nil
		}
	}
	return "", fmt.Errorf("there is no control plane of Kubernetes %q; there is: %s", text, strings.Join(Versions(), ", "))
}

// minorOf returns v1.35 for v1.35.4.
func minorOf(version string) string { return version[:strings.LastIndexByte(version, '.')] }

// mutatingPolicies returns the flags with which the kube-apiserver in a folder serves
// MutatingAdmissionPolicies. From 1.36 on it does that by default. If the options ask for no
// version, the folder is known by its name, because to ask the program would make each start
// longer.
func (o *Options) mutatingPolicies(dir string) map[string]string {
	for _, version := range Versions() {
		is := strings.Contains(filepath.Base(dir), version)
		if asked, err := ParseVersion(o.Kubernetes); o.Kubernetes != "" && err == nil {
			is = version == asked
		}
		if minor := minorOf(version); is && (minor == "v1.34" || minor == "v1.35") {
			return map[string]string{
				"feature-gates":  "MutatingAdmissionPolicy=true",
				"runtime-config": "admissionregistration.k8s.io/v1beta1=true",
			}
		}
	}
	return nil
}

// BuildCommand returns the command that builds the binaries of a version, in the repository
// of Reconform.
func BuildCommand(version string) string {
	if version == Version {
		return "make assets"
	}
	return "make assets KUBERNETES=" + strings.TrimPrefix(minorOf(version), "v")
}

// VersionIn asks the kube-apiserver in a folder for its version.
func VersionIn(ctx context.Context, dir string) (string, error) {
	// A name without a folder would be looked for on the PATH.
	program, err := filepath.Abs(filepath.Join(dir, apiServer))
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", apiServer, err)
	}
	out, err := exec.CommandContext(ctx, program, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", program, err)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(out), "Kubernetes ")), nil
}
