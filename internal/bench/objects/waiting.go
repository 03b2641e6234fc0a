package objects

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Waiting is an object that waits for something before it has a verdict.
type Waiting struct {
	// NamespacedName and Kind of the object.
	types.NamespacedName
	Kind string
	// Resource and Of are the resource and the name of what it looks at, if that is one thing.
	Resource, Of string
	// Left is how long it still waits, at most.
	Left time.Duration
	// Message and Details are what it would say if that time were over now.
	Message string
	Details []string
}
