// Package envtest runs a whole Kubernetes control plane on this machine, without
// containers: kube-apiserver as controller-runtime's envtest starts it, with etcd, and
// beside them the real kube-controller-manager, kube-scheduler and kwok with one fake
// Node. So Deployments get Pods that become ready, deletions cascade and deleted
// namespaces disappear.
//
//	func TestMain(m *testing.M) {
//		supervisor.Main()
//		os.Exit(m.Run())
//	}
//
//	func TestSomething(t *testing.T) {
//		cp, err := envtest.Start(t.Context(), envtest.Options{})
//		if err != nil {
//			t.Fatal(err)
//		}
//		defer cp.Stop(context.Background())
//		c, err := client.New(cp.Config(), client.Options{})
//		// …
//	}
//
// A program that uses this package must call [supervisor.Main] first, because every
// component runs under a supervisor: no component outlives this process, however the
// process ends.
//
// # Readiness of Pods
//
// Pods run and are ready as soon as they are scheduled, and are gone as soon as their
// deletion is asked for. A container image with the tag never-ready keeps its Pod from
// being ready; the annotation reconform.dev/ready with the value "true" or "false" on a
// Pod grants readiness or withdraws it, at any time.
//
// This holds for the Pods of Deployments, StatefulSets and DaemonSets. Nothing binds the
// volumes that a StatefulSet claims, so give it none.
//
// The Pods of a Job succeed at once. They fail where a container image has the tag fails, or
// where the Pod has the annotation reconform.dev/ends with the value Failed; with the value
// Never they run on, until it changes.
//
// # What differs from a cluster
//
// API priority and fairness is off and no request is throttled. Custom resource
// definitions that are installed later than by [Options] are known to the garbage
// collector only after up to 30 seconds. Deleting a namespace takes 5 seconds, as
// everywhere.
package envtest
