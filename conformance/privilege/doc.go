// Package privilege compares the rights that a controller's manifests ask for with the requests that it made.
package privilege
