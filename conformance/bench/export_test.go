package bench

import (
	"context"
	"errors"

	"reconform.dev/reconform/conformance/profile"
)

// Crash is what a Fault has done to a replica.
func (b *Bench) Crash(ctx context.Context, namespace, replica string) error {
	return b.subjects.Crash(ctx, namespace, replica)
}

// ProfileIn is the profile of a namespace.
func (o *Options) ProfileIn(namespace string) *profile.Profile { return o.profile(namespace) }

// Agree says what profiles contradict each other in.
func Agree(profiles ...*profile.Profile) error {
	_, crds := CRDs(profiles...)
	_, setup := setupOf(profiles)
	return errors.Join(crds, setup)
}

// ClusterRoles are the names of the role that each profile's Subjects are bound to,
// and of all that are made.
func ClusterRoles(profiles []*profile.Profile) (bound, made []string, err error) {
	byProfile, all, err := rolesOf(profiles)
	for _, p := range profiles {
		for _, role := range byProfile[p].Cluster {
			bound = append(bound, role.Name)
		}
	}
	for _, role := range all {
		made = append(made, role.Name)
	}
	return bound, made, err
}
