package play

import (
	"context"
)

// namespaces checks whether what is in one namespace is taken for what is in another.
func namespaces() play {
	return play{second: true, rules: []rule{
		{"namespaces/own", "makes a Deployment for each of two WebApps that have the same name, in two namespaces", ownNamespace},
	}}
}

// ownNamespace creates a WebApp in each namespace. The second namespace is the first one to
// have a Deployment: its name begins with the name of the other.
func ownNamespace(ctx context.Context, s *stage) error {
	second := s.second()
	if err := second.createServed(ctx, "demo"); err != nil {
		return err
	}
	if err := s.create(ctx, "demo"); err != nil {
		return err
	}
	return told(s.served(ctx, "demo", s.patience), "a WebApp demo in another namespace has its Deployment")
}
