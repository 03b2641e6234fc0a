// Package envtest runs a whole Kubernetes control plane on this machine, without
// containers. It starts etcd, kube-apiserver (as controller-runtime's envtest does), and
// the real kube-controller-manager, kube-scheduler and kwok with one fake Node. So
// Deployments get Pods that become ready, deletions cascade, and deleted namespaces
// disappear.
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
// component runs under a supervisor: no component outlives this process, even if the
// process is killed.
//
// # Readiness of Pods
//
// Pods run and are ready as soon as they are scheduled, and are gone as soon as they are
// deleted. A container image with the tag never-ready keeps its Pod from becoming ready.
// The annotation reconform.dev/ready with the value "true" or "false" on a Pod grants
// readiness or withdraws it, at any time.
//
// This holds for the Pods of Deployments, StatefulSets and DaemonSets.
//
// The Pods of a Job succeed at once. They fail if a container image has the tag fails, or
// if the Pod has the annotation reconform.dev/ends with the value Failed. With the value
// Never they run until the value changes.
//
// # Volumes
//
// Claims of the default StorageClass, and of others whose provisioner is
// [reconform.dev/reconform/envtest/storage.Provisioner], are bound. A driver in this
// process makes, expands and deletes their volumes. A volume has no content.
//
// # What differs from a cluster
//
// API priority and fairness is off, and no request is throttled. If custom resource
// definitions are installed later than by [Options], the garbage collector needs up to 30
// seconds to discover them. Deleting a namespace takes 5 seconds, as on every cluster.
package envtest
