// Package release installs the control plane's binaries from the archive of a release,
// so that nobody has to compile Kubernetes.
//
// The archive is a file or a URL. Its SHA-256 is known before it is opened: the user has
// pinned it, or it is in the file SHA256SUMS beside the archive. That file shows that the
// archive is complete, and that the owner of the server published it. So it is read only
// over https.
//
// A folder is installed completely or not at all: the archive is fetched to a temporary
// folder beside it, compared with its SHA-256, and unpacked there. Then the temporary folder
// is renamed. Only the files of k8s/VERSION are taken from the archive. Their names must be
// plain file names, and links may lead only to these files.
package release
