package bench

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/proxy"
)

// Crash is what a Fault has done to a replica.
func (b *Bench) Crash(ctx context.Context, namespace, replica string) error {
	return b.subjects.Crash(ctx, namespace, replica)
}

// Register has the API server ask a hook at a URL.
func Register(ctx context.Context, cluster client.Client, url string) error {
	authority, err := proxy.NewAuthority()
	if err != nil {
		return err
	}
	return (&webhook{url: url, bundle: authority.Bundle()}).register(ctx, cluster)
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
		for _, grant := range byProfile[p] {
			bound = append(bound, grant.ClusterRole.Name)
		}
	}
	for _, role := range all {
		made = append(made, role.Name)
	}
	return bound, made, err
}
