// Package pods makes the Pods of scenarios behave on real nodes as they do on the local
// control plane, with kwok's Stages (envtest/kwok): they run, whatever their images are,
// and they are ready, or not, as the scenario says.
//
// A scenario says so in the same way everywhere: by the image tag never-ready, or by the
// annotation reconform.dev/ready of a Pod. On real nodes a [Keeper] does what it says. The
// Keeper changes each Pod when it is created, and nothing else: the Deployment stays as the
// controller under test wrote it.
//
//   - One small program (fixtures/images) stands in for every container. So a cluster needs
//     one image only, also for images that a controller names by itself, and what it
//     answers to probes, or needs of the node, decides nothing.
//   - A readiness gate is added, whose condition the Keeper keeps. The kubelet does the
//     rest: a Pod is ready once its containers run and the gate is open.
//
// [Preflight] tries both on one Pod, before anything is judged.
package pods
