// Package release installs the control plane's binaries from the archive of a release,
// so that nobody has to compile Kubernetes.
//
// The archive is a file or a URL. Its SHA-256 is known before it is opened: the user has
// pinned it, or it is in the file SHA256SUMS beside the archive. The latter shows that the
// archive is complete, and that it is the one that the owner of that place offers. So that
// file is read only over https.
//
// A folder is installed completely or not at all: the archive is fetched to a temporary
// folder beside it, compared, and unpacked there. Only then the temporary folder takes its
// place. Only the files of k8s/VERSION are taken from the archive. They must have proper
// names, and may link only to each other.
package release
