// Package environment takes the place of controller-runtime's envtest in a test suite that
// exists: one import changes, and the tests run on a whole control plane.
//
//	import envtest "reconform.dev/reconform/envtest/environment"
//
// in place of
//
//	import "sigs.k8s.io/controller-runtime/pkg/envtest"
//
// An [Environment] has the fields that suites use, with the same meaning. It starts
// [reconform.dev/reconform/envtest]: objects are garbage-collected, Deployments get Pods,
// namespaces go away, volumes are bound.
//
// A program that imports this package needs no call of envtest.Main: the package calls
// it when it is initialised.
package environment
