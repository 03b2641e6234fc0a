// Package conformance judges a controller within `go test`: each requirement of the
// suite is a subtest, so that a repository has its conformance in one function.
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
// The suite is a program, and so is the controller: neither runs within the test. The
// module of the test has the program as a tool, and Go builds it on first use:
//
//	go get -tool reconform.dev/reconform/cmd/reconform
//
// That makes `go tool reconform` a command, too: `go tool reconform init` writes the
// profile. The suite then shares the versions of your modules. Where that is unwanted,
// put the test into a module of its own, or name a program from a release
// ([Options].Command): that needs no tool.
//
// The control plane's binaries are found in this order:
//
//  1. RECONFORM_ASSETS names the archive of a release, a file or an URL. It is unpacked
//     into the user's cache, once. RECONFORM_ASSETS_SHA256 pins it.
//  2. KUBEBUILDER_ASSETS names a folder that has all of them.
//  3. They lie in the folder k8s/VERSION beside the program, as in a release.
//  4. Where go.mod replaces the module of the suite by a checkout, they are built there,
//     once, in about a quarter of an hour.
//
// The controller's own binary is for the test to build, before it calls [Run].
package conformance
