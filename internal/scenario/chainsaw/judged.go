package chainsaw

import (
	"time"

	"github.com/kyverno/chainsaw/pkg/apis/v1alpha1"
	"github.com/kyverno/chainsaw/pkg/engine/clusters"
	enginecontext "github.com/kyverno/chainsaw/pkg/runner/context"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
	"k8s.io/utils/ptr"
)

// judgedCluster is Chainsaw's name for the cluster as asserts read it: if an object's
// verdict is final and not Met, the read fails.
const judgedCluster = "judged"

// readJudged makes the asserts of a test read judgedCluster, or waitingCluster if they wait
// for Pods. All other operations read the cluster as it is, because they look at an object
// before they delete or change it, whatever its verdict. The steps of templates are already
// in the test.
func readJudged(test *v1alpha1.Test) {
	for _, step := range test.Spec.Steps {
		for _, operation := range step.Try {
			if operation.Assert == nil || operation.Assert.Cluster != nil {
				continue
			}
			operation.Assert.Cluster = ptr.To(judgedCluster)
			if waitsForPods(operation.Assert) {
				operation.Assert.Cluster = ptr.To(waitingCluster)
			}
		}
	}
}

// withClusters makes three clusters known to Chainsaw: the cluster as it is, as asserts read
// it, and as those read it that wait for Pods. The reads of asserts pass through asserts, too.
func withClusters(
	tc enginecontext.TestContext, config *rest.Config, pollInterval time.Duration, pods *scheduling, gate *gate, asserts ...transport.WrapperFunc,
) (enginecontext.TestContext, error) {
	plain := rest.CopyConfig(config)
	// All tests share the client, and Chainsaw polls every 50 ms. So identical reads are
	// slowed down, instead of putting all requests into one queue.
	plain.QPS = -1
	plain.Wrap(gate.wrap)
	judged := rest.CopyConfig(plain)
	judged.Wrap(pods.told.wrap)
	waiting := rest.CopyConfig(judged)
	judged.Wrap(pods.noting)
	waiting.Wrap(pods.ending)
	for _, config := range []*rest.Config{plain, judged, waiting} {
		config.Wrap(pacer(pollInterval))
		config.Wrap(unseen)
	}
	for _, wrap := range asserts {
		judged.Wrap(wrap)
		waiting.Wrap(wrap)
	}
	tc = tc.WithCluster(clusters.DefaultClient, clusters.NewClusterFromConfig(plain))
	tc = tc.WithCluster(judgedCluster, clusters.NewClusterFromConfig(judged))
	tc = tc.WithCluster(waitingCluster, clusters.NewClusterFromConfig(waiting))
	return enginecontext.WithCurrentCluster(tc, clusters.DefaultClient)
}
