package visit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// Place has the paths of the files that a profile names.
type Place struct {
	// Profile is the file that is written. The paths in it are relative to its folder.
	Profile string
	// CRDs and RBAC are files of manifests. Values are files with values for the Helm charts
	// among them.
	CRDs, RBAC, Values []string
	// ServiceAccount that it runs as; empty if there is only one.
	ServiceAccount string
	// ClusterWrites are the cluster-scoped resources that it writes itself.
	ClusterWrites []string
	// Webhooks are manifests of its admission webhooks; empty if it serves none. It serves them,
	// and the conversion that its CRD names, at WebhookPort.
	Webhooks    string
	WebhookPort int32
	// Setup has what came with the sample and must exist; empty if there is nothing.
	Setup string
	// Directory that the controller is started in, and may read; empty if there is none.
	Directory string
	// Readable are other folders that it may read.
	Readable []string
	// Lease, if it is in its own namespace; otherwise nil.
	Lease *v1alpha1.LeaseName
	// AtHome is true if it serves the namespace that it lives in.
	AtHome bool
}

// Draft returns the profile with which the controller is started for the first time. What
// is not known yet is as little as a profile may say.
func (g *Given) Draft(place Place) (*profile.Profile, error) {
	spec := v1alpha1.ProfileSpec{}
	resource := v1alpha1.ServedResource{
		Group: g.CRD.Spec.Group, Version: g.Version.Name, Kind: g.CRD.Spec.Names.Kind, Plural: g.CRD.Spec.Names.Plural, Scope: string(g.CRD.Spec.Scope),
	}
	if g.isClusterScoped() {
		sample, err := g.clusterSample()
		if err != nil {
			return nil, err
		}
		spec.Serves = []v1alpha1.Served{{Resource: resource, Sample: sample}}
	} else {
		spec.Contract.Resource = v1alpha1.PrimaryResource(resource)
		spec.Contract.Children.Service = &v1alpha1.ServiceChild{} // so that the Services of its home do not count
	}
	spec.Claims = v1alpha1.Claims{Unowned: v1alpha1.OwnershipRefuse, Cleanup: "gc"}
	spec.Claims.Times.LongestRetryPause = metav1.Duration{Duration: time.Second}
	spec.Claims.Times.ShutdownGrace = metav1.Duration{Duration: 30 * time.Second}
	if err := g.Install(&spec, place); err != nil {
		return nil, err
	}
	if g.servesWebhooks(place) {
		spec.Launch.FixedPorts = map[string]int32{infer.WebhookPort: place.WebhookPort}
	}
	if place.Lease != nil {
		spec.Launch.Serial = true
		spec.Launch.LeaderElection = &v1alpha1.LaunchLeaderElection{Lease: *place.Lease}
	}
	data, err := json.Marshal(v1alpha1.Profile{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Profile"},
		ObjectMeta: metav1.ObjectMeta{Name: "draft"}, Spec: spec,
	})
	if err != nil {
		return nil, fmt.Errorf("encoding a draft: %w", err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, fmt.Errorf("decoding a draft: %w", err)
	}
	delete(fields["metadata"].(map[string]any), "creationTimestamp")
	if data, err = json.Marshal(fields); err != nil {
		return nil, fmt.Errorf("encoding a draft: %w", err)
	}
	draft, err := profile.Parse(place.Profile, data)
	if err != nil {
		return nil, place.inFlags(err)
	}
	return draft, place.inFlags(draft.CheckFiles())
}

// clusterSample returns the sample of a resource without a namespace, as a profile has it. A field
// in it may name the namespace of a scenario.
func (g *Given) clusterSample() (*apiextensionsv1.JSON, error) {
	sample := aroundSpec(g.Sample)
	if spec, given := g.Sample.Object["spec"]; given {
		sample["spec"] = spec
	}
	raw, err := json.Marshal(profile.EachText(sample, func(text string) string { return profile.EscapeTemplates(text, ".namespace") }))
	if err != nil {
		return nil, fmt.Errorf("writing the sample: %w", err)
	}
	return &apiextensionsv1.JSON{Raw: raw}, nil
}

// apart tells whether the folder of a profile and a path have no folder in common, such as
// /bin/sh and a profile below /home. The path is then as good as it was given.
func apart(relative, path string) bool {
	return filepath.IsAbs(path) && strings.ReplaceAll(relative, "../", "") == strings.TrimPrefix(filepath.Clean(path), "/")
}

// scripts are the extensions of files that another program runs, as an interpreter does.
var scripts = []string{".cjs", ".dll", ".jar", ".js", ".mjs", ".php", ".pl", ".py", ".rb", ".sh", ".ts"}

// nameOf returns a name for what a command starts: that of the program, or of the script that
// the program runs.
func nameOf(command []string) string {
	base := filepath.Base(command[0])
	for _, argument := range command[1:] {
		if slices.Contains(scripts, filepath.Ext(argument)) && !strings.HasPrefix(argument, "-") {
			base = filepath.Base(argument)
			break
		}
	}
	return cmp.Or(strings.TrimSuffix(base, filepath.Ext(base)), base) // of .manager, all is what Ext calls the extension
}

// FileHere returns the first argument of a command that is a file or a folder, relative to the
// folder that the command was given in, such as the script that an interpreter runs, or the value
// of a flag. It returns "" if there is none. A word without a dot or a slash is none, because it
// may have its name by chance. The program itself does not count: it needs no folder.
func FileHere(command []string) string {
	for _, argument := range command[1:] {
		path := argument[strings.LastIndex(argument, "=")+1:]
		if !strings.ContainsAny(path, "./") || filepath.IsAbs(path) {
			continue
		}
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// Install writes into a profile how the controller is installed and started.
func (g *Given) Install(spec *v1alpha1.ProfileSpec, place Place) error {
	dir, err := filepath.Abs(filepath.Dir(place.Profile))
	if err != nil {
		return fmt.Errorf("finding the folder of %s: %w", place.Profile, err)
	}
	relative := func(path string) (string, error) {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return "", fmt.Errorf("finding %s: %w", path, err)
		}
		below, err := filepath.Rel(dir, absolute)
		if err != nil || apart(below, path) {
			return absolute, err
		}
		return below, nil
	}
	program := g.Command[0]
	spec.Implementation.Name = nameOf(g.Command)
	if strings.ContainsRune(program, '/') {
		below, err := relative(program)
		if err != nil {
			return err
		}
		program = below
		if !strings.ContainsRune(program, '/') {
			program = "./" + program
		}
	}
	if spec.Launch.Command == nil {
		spec.Launch.Command = slices.Clone(g.Command)
	}
	spec.Launch.Command[0] = program
	spec.Launch.Env = g.Env
	if len(spec.Serves) == 0 {
		spec.Contract.NamespaceLabels = g.NamespaceLabels
	} else {
		spec.Serves[0].NamespaceLabels = g.NamespaceLabels
	}
	if place.Directory != "" {
		if spec.Launch.Directory, err = relative(place.Directory); err != nil {
			return err
		}
	}
	spec.Install = v1alpha1.Install{ServiceAccount: place.ServiceAccount, InServedNamespace: place.AtHome, ClusterWrites: place.ClusterWrites}
	for _, named := range []struct {
		field *[]string
		paths []string
	}{
		{&spec.Install.CRDs, place.CRDs},
		{&spec.Install.RBAC, place.RBAC},
		{&spec.Install.Values, place.Values},
		{&spec.Install.Setup, atMostOne(place.Setup)},
		{&spec.Install.Webhooks, atMostOne(place.Webhooks)},
		{&spec.Launch.Readable, place.Readable},
	} {
		*named.field = nil
		for _, path := range named.paths {
			below, err := relative(path)
			if err != nil {
				return err
			}
			*named.field = append(*named.field, below)
		}
	}
	if !g.servesWebhooks(place) {
		return nil
	}
	spec.Launch.Webhook = &v1alpha1.LaunchWebhook{Port: infer.WebhookPort, Conversion: infer.ConversionPath(g.CRD)}
	return nil
}

// atMostOne returns the path, unless it is empty.
func atMostOne(path string) []string {
	if path == "" {
		return nil
	}
	return []string{path}
}

// servesWebhooks tells whether the controller is to serve webhooks: those of the place, or the
// conversion that the CRD names, if a flag or a variable names the folder of the certificate.
func (g *Given) servesWebhooks(place Place) bool {
	if place.Webhooks != "" {
		return true
	}
	texts := slices.AppendSeq(slices.Clone(g.Command), maps.Values(g.Env))
	named := slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, ".certificates") })
	return named && infer.ConversionPath(g.CRD) != ""
}

// Setup returns what came with the sample and must exist in each namespace. It leaves out a
// ConfigMap that a field names, because scenarios create that themselves.
func (g *Given) Setup(found *infer.Findings) []*unstructured.Unstructured {
	var setup []*unstructured.Unstructured
	for _, object := range g.Beside {
		if len(found.Spec.Serves) > 0 && !g.isCluster(object) {
			continue // it stands beside the sample
		}
		if isCore(object, "ConfigMap") && object.GetName() == g.namedConfigMap(found) {
			continue
		}
		object := object.DeepCopy()
		object.SetNamespace("")
		setup = append(setup, object)
	}
	return setup
}

// namedConfigMap returns the ConfigMap that the sample names in the field that is mapped to
// configMapRef, or "".
func (g *Given) namedConfigMap(found *infer.Findings) string {
	field := found.Spec.Contract.Spec.ConfigMapRef
	if field == nil {
		return ""
	}
	name, _ := infer.At(g.Sample.Object, infer.NameIn(*field)).(string)
	return name
}

// AddBeside writes what came with the sample into a profile without a contract, except for what
// has no namespace, which is set up once. What of it the controller serves, too, is added as
// such.
func (g *Given) AddBeside(found *infer.Findings, account history.Account) error {
	spec := &found.Spec
	if len(spec.Serves) == 0 {
		return nil
	}
	if err := g.addServed(found, account); err != nil {
		return err
	}
	for _, object := range g.Beside {
		if g.isCluster(object) {
			continue
		}
		object := object.DeepCopy()
		object.SetNamespace("")
		raw, err := json.Marshal(profile.EscapeAll(object.Object))
		if err != nil {
			return fmt.Errorf("writing %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		spec.Serves[0].Beside = append(spec.Serves[0].Beside, v1alpha1.BesideObject{JSON: apiextensionsv1.JSON{Raw: raw}})
	}
	return nil
}
