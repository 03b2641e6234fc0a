package chainsaw

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Measured says what an object of the bench looked at, and what it found.
type Measured struct {
	// Kind of the object of the bench; empty if an operation failed by itself.
	Kind string `json:"kind,omitempty"`
	// Resource and Name of what it looked at, if that is one thing.
	Resource string `json:"resource,omitempty"`
	Name     string `json:"name,omitempty"`
	// Mode of a Drift. If it is about what the controller made for an object, Name is that object,
	// and each of the Details begins with the resource and the name of what was made.
	Mode v1alpha1.DriftMode `json:"mode,omitempty"`
	// AwaitsAttempt is true if its time limit counts pauses between attempts at what failed.
	AwaitsAttempt bool `json:"awaitsAttempt,omitempty"`
	// Details are what it found: each is a path, or an object, and a note of a Drift, or a difference of a
	// Snapshot.
	Details []string `json:"details,omitempty"`
	// Violation is the first version that an Observation must never have seen.
	Violation *v1alpha1.ObservedViolation `json:"violation,omitempty"`
	// Order are the versions that an Observation has seen in the wrong order.
	Order *v1alpha1.ObservedOrder `json:"order,omitempty"`
}

// measurement has the fields of an object of the bench that its verdict needs.
type measurement struct {
	Kind     string            `json:"kind"`
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Resource string             `json:"resource"`
		Name     string             `json:"name"`
		Mode     v1alpha1.DriftMode `json:"mode"`
		Within   v1alpha1.TimeBound `json:"within"`
	} `json:"spec"`
	Status struct {
		Verdict     v1alpha1.Judgement    `json:"verdict"`
		Message     string                `json:"message"`
		Proved      bool                  `json:"proved"`
		Fields      []v1alpha1.DriftField `json:"fields"`
		Differences []string              `json:"differences"`
		// Violations of an Observation have other fields than those of a Subject.
		Violations []v1alpha1.ObservedViolation `json:"violations"`
		Order      *v1alpha1.ObservedOrder      `json:"order"`
	} `json:"status"`
}

func (m *measurement) measured() Measured {
	of := Measured{
		Kind: m.Kind, Resource: m.Spec.Resource, Name: m.Spec.Name, Mode: m.Spec.Mode,
		Details:       m.Status.Differences,
		AwaitsAttempt: m.Spec.Within.LongestPauses > 0 || m.Spec.Within.Attempts > 0,
	}
	if m.Kind == "Observation" {
		of.Order = m.Status.Order
		if len(m.Status.Violations) > 0 {
			of.Violation = &m.Status.Violations[0]
		}
	}
	for _, field := range m.Status.Fields {
		if field.Result == v1alpha1.DriftLost {
			of.Details = append(of.Details, field.Path+" ("+field.Note+")")
		}
	}
	return of
}
