// Package conformance judges a controller in `go test`: each requirement of the suite is a
// subtest, so a repository can check its conformance with one function.
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, conformance.Options{Profile: "reconform.yaml"})
//	}
//
//	go test -v -run TestConformance            # everything; -v shows what is being done
//	go test -v -run TestConformance/SH-003     # one requirement, and nothing else is run
//	go test -timeout 30m                       # go test allows 10 minutes, if not told
//
// # What it needs
//
// The suite is a program, and so is the controller: neither runs inside the test. The
// module of the test has the program as a tool, and Go builds it at its first use:
//
//	go get -tool reconform.dev/reconform/cmd/reconform
//
// With that, `go tool reconform` is a command, too: `go tool reconform init` writes the
// profile. The suite then uses the versions of your modules. If you do not want that, put
// the test into its own module, or name a program from a release ([Options].Command), which
// needs no tool.
//
// The control plane's binaries are found in this order:
//
//  1. RECONFORM_ASSETS names the archive of a release, a file or a URL. It is unpacked
//     into the user's cache, once. RECONFORM_ASSETS_SHA256 pins it.
//  2. KUBEBUILDER_ASSETS names a folder that has all of them.
//  3. They are in the folder k8s/VERSION beside the program, as in a release.
//  4. If go.mod replaces the module of the suite by a checkout, they are built there,
//     once, in about a quarter of an hour.
//
// The test must build the controller's own binary before it calls [Run].
package conformance
