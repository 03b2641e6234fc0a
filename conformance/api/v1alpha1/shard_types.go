package v1alpha1

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Selection of requirements, in the words of the command line.
type Selection struct {
	// run is a regular expression for IDs and paths.
	Run string `json:"run,omitempty"`
	// skip is a regular expression for IDs and paths that are left out.
	Skip string `json:"skip,omitempty"`
	// selector is a label selector.
	Selector string `json:"selector,omitempty"`
	// rerunFailed leaves out what had passed in the run before.
	RerunFailed bool `json:"rerunFailed,omitempty"`
}

// Shard is one of several equal parts of a selection.
type Shard struct {
	// index of the shard, from 1.
	Index int `json:"index"`
	// count of all shards.
	Count int `json:"count"`
}

// String returns the shard as it is written on the command line, such as 1/3.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Valid tells whether the index is between 1 and the count.
func (s Shard) Valid() bool { return 1 <= s.Index && s.Index <= s.Count }

// Part is a run whose report was merged with others.
type Part struct {
	// shard that it judged. Left out if it was told to judge everything.
	Shard *Shard `json:"shard,omitempty"`
	// date of the run, RFC 3339.
	Date metav1.Time `json:"date"`
	// platform that it ran on.
	Platform string `json:"platform"`
	// verdict on what it judged.
	Verdict Verdict `json:"verdict"`
	// summary counts its results.
	Summary Summary `json:"summary"`
	// total time of the run.
	Total metav1.Duration `json:"total"`
}
