// Package temporary ends a program that can write neither to the user's caches nor to
// the folder for temporary files, and says so. Without it, controller-runtime's
// envtest, which makes a folder there while it is initialised, would end the program
// with a panic.
//
// It is enough to link this package. Go initialises packages in the order of their
// import paths, each as soon as its imports are ready. This one imports only packages
// of the standard library, so it comes before those whose paths begin with sigs.k8s.io.
package temporary
