// Package pods has the Pods of scenarios run on real nodes as kwok's Stages (envtest/kwok)
// have them run on the local control plane: whatever their images are they run, and they
// are ready, or not, as the scenario says.
//
// A scenario says so in one way, wherever it runs: by the image tag never-ready, or the
// annotation reconform.dev/ready of a Pod. On real nodes a [Keeper] makes it true. It
// changes each Pod when that is created, and nothing else: the Deployment stays as the
// controller under test wrote it.
//
//   - One small program (fixtures/images) stands in for every container. So a cluster needs
//     one image only, also for images that a controller names by itself, and what it
//     answers to probes, or needs of the node, decides nothing.
//   - A readiness gate is added, whose condition the Keeper keeps. The kubelet does the
//     rest: a Pod is ready once its containers run and the gate is open.
//
// [Preflight] tries both on one Pod, before anything is judged by them.
package pods
