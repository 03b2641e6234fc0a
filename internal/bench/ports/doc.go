// Package ports finds ports on which programs of this machine can listen: replicas, and
// controllers that are measured.
package ports
