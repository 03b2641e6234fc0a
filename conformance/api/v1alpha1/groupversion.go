package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the API group and version of everything in this package.
var GroupVersion = schema.GroupVersion{Group: "reconform.dev", Version: "v1alpha1"}

// AdmissionName is the name of the admission webhook that the API server asks whether
// an object of this package may be created. The error of a refusal contains it.
const AdmissionName = "bench.reconform.dev"

// AddToScheme registers the served kinds. Profile and ConformanceReport are
// files, never served, and so are not among them.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&Subject{}, &SubjectList{},
		&Traffic{}, &TrafficList{},
		&Observation{}, &ObservationList{},
		&Fault{}, &FaultList{},
		&Disruption{}, &DisruptionList{},
		&Snapshot{}, &SnapshotList{},
		&Load{}, &LoadList{},
		&Drift{}, &DriftList{},
		&Trial{}, &TrialList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// LabelBystander marks objects that the bench made in a scenario to look like children of
// the controller. They belong to nobody, and are left out of what is compared and counted.
const LabelBystander = "reconform.dev/bystander"

// LabelBench marks what the bench made on a cluster, so that it can be found and removed.
const LabelBench = "reconform.dev/bench"

// LabelOwnNodes marks a namespace that has Nodes of its own. Its value on such a Node, and in
// the Node's taint of that name, is the name of the namespace.
const LabelOwnNodes = "reconform.dev/own-nodes"

// Values of LabelBench.
const (
	// BenchMade goes at the end of the run.
	BenchMade = "true"
	// BenchKept stays for somebody to look at, until reconform clean.
	BenchKept = "kept"
)
