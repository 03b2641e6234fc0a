// Package envtest runs a whole Kubernetes control plane on this machine, without
// containers. It starts etcd, kube-apiserver (as controller-runtime's envtest does), and
// the real kube-controller-manager, kube-scheduler and kwok with three fake Nodes. So
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
// # Pods
//
// Pods run and are ready as soon as they are scheduled, and are gone as soon as they are
// deleted. The Pods of a Job succeed at once. Image tags and annotations of a Pod change
// this:
//
//   - A container image with the tag never-ready keeps it from becoming ready. The
//     annotation reconform.dev/ready with the value "true" or "false" grants readiness or
//     withdraws it, at any time.
//   - A container image with the tag fails, or the annotation reconform.dev/ends with the
//     value Failed, lets its containers fail. With the value Succeeded they succeed, with
//     Never they run on. Then the restartPolicy decides: the Pod ends, or its containers are
//     started again and again, with pauses. The value can be changed at any time.
//   - The annotation reconform.dev/exit-code is the exit code of containers that fail.
//   - The annotation reconform.dev/restarts is how often its containers have been started
//     again. If it is raised, they are.
//   - The annotations reconform.dev/cpu and reconform.dev/memory are what it uses, for the
//     horizontal autoscaler.
//   - An init container with the tag fails keeps the others from starting, until it has
//     another image. It is started again and again if its restartPolicy says so.
//
// A Pod with readiness gates is ready once their conditions are true, which somebody else
// has to write.
//
// # Nodes
//
// Each of the three Nodes is in a zone of its own. docs/cluster.md says which labels they
// have, how a Node becomes not ready, and which controllers run. [ControlPlane.LoseNode] lets
// a Node fall silent.
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
