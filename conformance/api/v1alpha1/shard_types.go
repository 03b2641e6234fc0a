package v1alpha1

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Selection of requirements, in the words of the command line.
type Selection struct {
	// run is a regular expression for IDs and paths.
	Run string `json:"run,omitempty"`
	// skip is one for those that are left out.
	Skip string `json:"skip,omitempty"`
	// selector of labels.
	Selector string `json:"selector,omitempty"`
	// rerunFailed leaves out what had passed in the run before.
	RerunFailed bool `json:"rerunFailed,omitempty"`
}

// Shard is one of several equal parts of a selection.
type Shard struct {
	// index of it, from 1.
	Index int `json:"index"`
	// count of them.
	Count int `json:"count"`
}

// String is the shard as on the command line.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Valid says whether there is such a shard.
func (s Shard) Valid() bool { return 1 <= s.Index && s.Index <= s.Count }

// Part is a run whose report was merged with others.
type Part struct {
	// shard that it judged. Left out where it was told to judge everything.
	Shard *Shard `json:"shard,omitempty"`
	// date of it, RFC 3339.
	Date metav1.Time `json:"date"`
	// platform that it ran on.
	Platform string `json:"platform"`
	// verdict on what it judged.
	Verdict Verdict `json:"verdict"`
	// summary counts its results.
	Summary Summary `json:"summary"`
	// total time of it.
	Total metav1.Duration `json:"total"`
}

// Rights that the manifests of an implementation ask for, and that are too many.
type Rights struct {
	// broad rules name everything, or Secrets.
	Broad []string `json:"broad,omitempty"`
	// unused are the rights to write that no request used.
	Unused []UnusedRights `json:"unused,omitempty"`
}

// UnusedRights of one rule of a role.
type UnusedRights struct {
	// rule, with the role that has it.
	Rule string `json:"rule"`
	// rights such as: create of services.
	Rights []string `json:"rights"`
}
