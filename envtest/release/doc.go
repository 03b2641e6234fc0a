// Package release installs the control plane's binaries from the archive of a release,
// so that nobody has to compile Kubernetes.
//
// The archive is a file or an URL. What its bytes must be is known before it is opened:
// by a SHA-256 that the user has pinned, or else by the file SHA256SUMS beside the
// archive. The latter shows that the archive is whole, and that it is what whoever
// keeps that place means to offer; so it is asked for over https only.
//
// A folder is installed whole or not at all: the archive is fetched to a temporary
// folder beside it, compared, unpacked there, and only then takes its place. From the
// archive nothing is taken but the files of k8s/VERSION, which need have no right names
// and no links but to each other.
package release
