package disruption

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Nodes are the Nodes of the cluster, which all scenarios share, and those that scenarios
// have of their own.
type Nodes struct {
	// Cluster has the Nodes and the Pods.
	Cluster kubernetes.Interface
	// Theirs is true if the Nodes are the user's: they are not cordoned, and nobody gets
	// Nodes of its own.
	Theirs bool

	mu sync.Mutex
	// cordons says how many Drains keep a Node cordoned.
	cordons map[string]int
}

// action returns what an action does to Nodes with Pods of a namespace, or nil if it is about
// processes. The message says what was done.
func (n *Nodes) action(action v1alpha1.DisruptionAction) func(ctx context.Context, namespace string) (message string, err error) {
	return map[v1alpha1.DisruptionAction]func(context.Context, string) (string, error){
		v1alpha1.ActionDrain:        n.drain,
		v1alpha1.ActionOwnNodes:     n.own,
		v1alpha1.ActionCordonNode:   n.cordonOwn,
		v1alpha1.ActionFailNode:     n.fail,
		v1alpha1.ActionLoseNode:     n.lose,
		v1alpha1.ActionRetireNode:   n.retire,
		v1alpha1.ActionRestoreNodes: n.restore,
	}[action]
}

// disturb carries out a Disruption of Nodes.
func disturb(
	ctx context.Context, namespace string, within time.Duration, does func(context.Context, string) (string, error),
) (v1alpha1.DisruptionStatus, error) {
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	began := time.Now()
	message, err := does(limited, namespace)
	status := v1alpha1.DisruptionStatus{Phase: v1alpha1.DisruptionDone, Message: message}
	if err != nil {
		status = failed(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	status.TookMs = time.Since(began).Milliseconds()
	return status, err
}

// check looks at a Disruption whose action is about Nodes. It returns an error if the
// Disruption also has fields that are about processes, or if the Nodes must be left alone
// because they are the user's.
func (n *Nodes) check(spec v1alpha1.DisruptionSpec) error {
	switch {
	case n.action(spec.Action) == nil:
		return nil
	case spec.Target != "" && spec.Target != v1alpha1.TargetAll:
		return fmt.Errorf("spec.target: %q is a replica, and the action %s is about Nodes: leave it out", spec.Target, spec.Action)
	case spec.While != nil || spec.Expect != nil:
		return fmt.Errorf("spec.while and spec.expect are about processes, and the action %s is about Nodes: leave them out", spec.Action)
	case n.Theirs && spec.Action != v1alpha1.ActionDrain:
		return fmt.Errorf("spec.action: %s makes and changes Nodes, and those of this cluster are yours: use the local control plane", spec.Action)
	}
	return nil
}

// errNoOwn says that a namespace has no Node of its own to which something could happen.
var errNoOwn = errors.New("this namespace has no sound Node of its own with Pods on it: first create a Disruption with the action OwnNodes")
