package visit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

// Given is what the user tells about a controller: its CRD, an object, and its command.
type Given struct {
	CRD     *apiextensionsv1.CustomResourceDefinition
	Version *apiextensionsv1.CustomResourceDefinitionVersion
	Sample  *unstructured.Unstructured
	Beside  []*unstructured.Unstructured
	// others are those of Beside whose CRD was given, too.
	others []other
	// cluster are those of Beside that were seen to have no namespace.
	cluster []*unstructured.Unstructured
	// NamespaceLabels are the labels of the namespace that came with the sample.
	NamespaceLabels map[string]string
	// LeftOut says what came with the sample and is not used, and why.
	LeftOut []string
	// Notes are about the file of the sample.
	Notes []string
	// Command and Env are as in a profile.
	Command []string
	Env     map[string]string
}

// Read reads the CRDs and the sample. The values are for Helm charts.
func Read(crdFiles []string, sampleFile string, values, command []string) (*Given, error) {
	crds, err := readCRDs(crdFiles, values)
	if err != nil {
		return nil, err
	}
	samples, notes, err := readSamples(sampleFile, values)
	if err != nil {
		return nil, err
	}
	given := &Given{Command: slices.Clone(command), Notes: notes}
	for i := 1; i < len(command); i++ {
		given.Command[i] = profile.EscapeCommand(command[i])
	}
	var defined, have []string
	for _, crd := range crds {
		defined = append(defined, crd.Spec.Group+" "+crd.Spec.Names.Kind)
	}
	for _, sample := range samples {
		given.match(sample, crds)
		have = append(have, strings.TrimSpace(sample.GroupVersionKind().Group+" "+sample.GetKind()))
	}
	switch {
	case given.Sample == nil:
		return nil, fmt.Errorf("the sample has no object of the CRD: %s defines %s, and %s has %s",
			strings.Join(crdFiles, ", "), orNothing(defined), sampleFile, orNothing(have))
	case given.Version == nil:
		return nil, fmt.Errorf("the sample is of version %s, which the CRD %s does not serve; it serves: %s",
			given.Sample.GroupVersionKind().Version, given.CRD.Name, orNothing(servedVersions(given.CRD)))
	}
	if spec, isThere := given.Sample.Object["spec"]; isThere && spec != nil {
		if _, isMapping := spec.(map[string]any); !isMapping {
			return nil, inFlag("--sample", sampleFile, fmt.Errorf("%s %s: spec: %s", given.Sample.GetKind(), given.Sample.GetName(),
				strictyaml.WrongType(spec, "", strictyaml.AMapping)))
		}
	}
	if unknown := profile.UnknownFields(given.Version, given.Sample.Object); len(unknown) > 0 {
		return nil, inFlag("--sample", sampleFile, fmt.Errorf("%s %s: %s; kubectl refuses that, too: correct the sample, or take the field out",
			given.Sample.GetKind(), given.Sample.GetName(), strings.Join(unknown, "; ")))
	}
	own := given.ofSample(samples, crds)
	for _, object := range own {
		if object.GroupVersionKind().GroupKind() == given.Sample.GroupVersionKind().GroupKind() || isCore(object, "Namespace") {
			continue
		}
		if object.GetName() == "" {
			return nil, inFlag("--sample", sampleFile, fmt.Errorf("%s: metadata.name is required: what the sample needs beside it is created under its name", object.GetKind()))
		}
		given.addBeside(object, crds)
	}
	if named := given.namedNamespaces(); len(named) > 0 {
		given.Notes = append(given.Notes, fmt.Sprintf("the sample names a namespace in %s: scenarios create their objects in namespaces of their own, and the controller sees no other. "+
			"Leave out what is not needed", strings.Join(named, ", ")))
	}
	given.NamespaceLabels = labelsOf(own, given.Sample.GetNamespace())
	given.LeftOut = append(given.leftOut(own), given.LeftOut...)
	return given, nil
}

// ofSample returns the objects that belong to the sample. A file with a definition is what
// installs the controller: of that, objects of the CRDs do, and the namespace of the sample. The
// configuration of a webhook never does, because nobody would serve it.
func (g *Given) ofSample(samples []*unstructured.Unstructured, crds []*apiextensionsv1.CustomResourceDefinition) (own []*unstructured.Unstructured) {
	installs := slices.ContainsFunc(samples, func(o *unstructured.Unstructured) bool { return o.GroupVersionKind().GroupKind() == definition })
	var left []string
	for _, object := range samples {
		kind := object.GroupVersionKind()
		defined := slices.ContainsFunc(crds, func(crd *apiextensionsv1.CustomResourceDefinition) bool { return crd.Spec.Group == kind.Group })
		switch {
		case kind.Group == "admissionregistration.k8s.io" && strings.HasSuffix(kind.Kind, "WebhookConfiguration") && !installs:
			g.LeftOut = append(g.LeftOut, fmt.Sprintf("%s %s: it is no part of a sample: if the controller serves it, give it by --webhooks", kind.Kind, object.GetName()))
		case installs && !defined && !(isCore(object, "Namespace") && object.GetName() == g.Sample.GetNamespace()):
			left = append(left, strings.TrimSpace(kind.Kind+" "+object.GetName()))
		default:
			own = append(own, object)
		}
	}
	if len(left) > 0 {
		g.LeftOut = append(g.LeftOut, fmt.Sprintf("%s: the file has definitions of resources, so these install the controller. What the sample needs beside it stands in a file without definitions", strings.Join(left, ", ")))
	}
	return own
}

// definition is the kind of a CRD.
var definition = apiextensionsv1.Kind("CustomResourceDefinition")

// isCore tells whether an object is of this kind of the core group. Other groups may have a kind
// of the same name.
func isCore(object *unstructured.Unstructured, kind string) bool {
	return object.GroupVersionKind().GroupKind() == corev1.SchemeGroupVersion.WithKind(kind).GroupKind()
}

// namedNamespaces returns the fields of the sample that name a namespace, with their values.
// For a cluster-scoped object it returns none: there, scenarios write their own namespace.
func (g *Given) namedNamespaces() (named []string) {
	if g.isClusterScoped() {
		return nil
	}
	for _, leaf := range infer.Leaves(g.Sample.Object["spec"], "spec") {
		field, _, _ := strings.Cut(leaf.Path[strings.LastIndex(leaf.Path, ".")+1:], "[")
		field = strings.TrimSuffix(strings.ToLower(field), "s")
		if text, isText := leaf.Value.(string); isText && text != "" && strings.HasSuffix(field, "namespace") {
			named = append(named, fmt.Sprintf("%s (%s)", leaf.Path, text))
		}
	}
	return named
}

// servedVersions returns the versions that a CRD serves.
func servedVersions(crd *apiextensionsv1.CustomResourceDefinition) (names []string) {
	for _, version := range crd.Spec.Versions {
		if version.Served {
			names = append(names, version.Name)
		}
	}
	return names
}

// addBeside adds an object that the sample needs. All of them will be in one namespace, so
// only one of each name can be there: the first, or the one in the sample's namespace.
func (g *Given) addBeside(object *unstructured.Unstructured, crds []*apiextensionsv1.CustomResourceDefinition) {
	if len(object.GetFinalizers()) > 0 {
		object.SetFinalizers(nil)
		g.LeftOut = append(g.LeftOut, fmt.Sprintf("metadata.finalizers of %s %s: nobody here would take them off", object.GetKind(), object.GetName()))
	}
	if len(object.GetOwnerReferences()) > 0 {
		object.SetOwnerReferences(nil)
		g.LeftOut = append(g.LeftOut, fmt.Sprintf("metadata.ownerReferences of %s %s: its owner is not there, and the garbage collector would delete it", object.GetKind(), object.GetName()))
	}
	home := g.Sample.GetNamespace()
	leave := func(object *unstructured.Unstructured) {
		g.LeftOut = append(g.LeftOut, fmt.Sprintf("%s: there is another %s of that name, and all of them are in one namespace", described(object), object.GetKind()))
	}
	n := slices.IndexFunc(g.Beside, func(o *unstructured.Unstructured) bool {
		return o.GroupVersionKind().GroupKind() == object.GroupVersionKind().GroupKind() && o.GetName() == object.GetName()
	})
	switch {
	case n < 0:
		g.Beside = append(g.Beside, object)
	case object.GetNamespace() == home && g.Beside[n].GetNamespace() != home:
		leave(g.Beside[n])
		replaced := g.Beside[n]
		g.others = slices.DeleteFunc(g.others, func(o other) bool { return o.object == replaced })
		g.Beside[n] = object
	default:
		leave(object)
		return
	}
	g.addOther(object, crds)
}

// described returns the kind of an object with its version, and its name with its namespace.
func described(object *unstructured.Unstructured) string {
	name := object.GetName()
	if object.GetNamespace() != "" {
		name = object.GetNamespace() + "/" + name
	}
	return fmt.Sprintf("%s %s %s", object.GetAPIVersion(), object.GetKind(), name)
}

// leftOut says what of the objects in the sample's file is not used, and why.
func (g *Given) leftOut(samples []*unstructured.Unstructured) (words []string) {
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	metadata, _ := g.Sample.Object["metadata"].(map[string]any)
	for _, key := range []string{"finalizers", "generateName", "ownerReferences"} {
		if _, given := metadata[key]; given {
			add("metadata.%s of %s: an object of a scenario has none", key, strings.TrimSpace(g.Sample.GetKind()+" "+g.Sample.GetName()))
		}
	}
	if status, ok := g.Sample.Object["status"].(map[string]any); ok && len(status) > 0 {
		add("the status of %s %s: the controller writes it", g.Sample.GetKind(), g.Sample.GetName())
	}
	for _, object := range g.Beside {
		if namespace := object.GetNamespace(); namespace != "" && namespace != g.Sample.GetNamespace() && !g.isCluster(object) {
			add("the namespace %s of %s %s: it will be in the namespace of the sample", namespace, object.GetKind(), object.GetName())
		}
	}
	for _, object := range samples {
		switch {
		case object == g.Sample:
		case object.GroupVersionKind().GroupKind() == g.Sample.GroupVersionKind().GroupKind():
			if object.GetName() == g.Sample.GetName() { // in another version or namespace
				add("%s: all objects are like one sample, and that is %s", described(object), described(g.Sample))
				continue
			}
			add("%s %s: all objects are like one sample, and that is %s", object.GetKind(), object.GetName(), g.Sample.GetName())
		case !isCore(object, "Namespace"):
		case g.Sample.GetNamespace() != "" && object.GetName() != g.Sample.GetNamespace():
			add("Namespace %s: the sample is in %s", object.GetName(), g.Sample.GetNamespace())
		default:
			for _, label := range slices.Sorted(maps.Keys(object.GetLabels())) {
				if ofKubernetes(label) {
					add("label %s of Namespace %s: it is for the cluster, not for the controller", label, object.GetName())
				}
			}
			if len(object.GetAnnotations()) > 0 {
				add("the annotations of Namespace %s: a profile has none for a namespace", object.GetName())
			}
		}
	}
	return words
}

// labelsOf returns the labels of a sample's namespace, if it is among the objects that come
// with the sample. Kubernetes' own labels are left out, because they tell the cluster what
// to do there, such as which Pods to refuse.
func labelsOf(objects []*unstructured.Unstructured, namespace string) map[string]string {
	for _, object := range objects {
		if !isCore(object, "Namespace") || namespace != "" && object.GetName() != namespace {
			continue
		}
		labels := object.GetLabels()
		maps.DeleteFunc(labels, func(label, _ string) bool { return ofKubernetes(label) })
		return labels
	}
	return nil
}

// ofKubernetes tells whether a label is one of Kubernetes' own.
func ofKubernetes(label string) bool {
	domain, _, _ := strings.Cut(label, "/")
	return domain == "kubernetes.io" || domain == "k8s.io" || strings.HasSuffix(domain, ".kubernetes.io") || strings.HasSuffix(domain, ".k8s.io")
}

func orNothing(words []string) string {
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// match takes the first sample that belongs to a CRD: a namespaced one, and one of a version that
// is served, if there is one. The other samples are objects that it needs.
func (g *Given) match(sample *unstructured.Unstructured, crds []*apiextensionsv1.CustomResourceDefinition) {
	kind := sample.GroupVersionKind()
	n := slices.IndexFunc(crds, func(crd *apiextensionsv1.CustomResourceDefinition) bool {
		return crd.Spec.Group == kind.Group && crd.Spec.Names.Kind == kind.Kind
	})
	namespaced := func(crd *apiextensionsv1.CustomResourceDefinition) bool {
		return crd.Spec.Scope == apiextensionsv1.NamespaceScoped
	}
	if n < 0 {
		return
	}
	var served *apiextensionsv1.CustomResourceDefinitionVersion
	for i, version := range crds[n].Spec.Versions {
		if version.Served && version.Name == kind.Version {
			served = &crds[n].Spec.Versions[i]
		}
	}
	better := g.Sample == nil || namespaced(crds[n]) && !namespaced(g.CRD) ||
		namespaced(crds[n]) == namespaced(g.CRD) && g.Version == nil && served != nil
	if better {
		g.CRD, g.Version, g.Sample = crds[n], served, sample
	}
}

// isClusterScoped says whether the objects of the resource have no namespace.
func (g *Given) isClusterScoped() bool { return g.CRD.Spec.Scope == apiextensionsv1.ClusterScoped }
