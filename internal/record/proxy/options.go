package proxy

import (
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/internal/record/history"
)

// Options of a proxy: whose proxy it is, and what is behind it.
type Options struct {
	// Authority that issues the proxy's certificate.
	Authority *Authority
	// Upstream is the API server, with an administrator's credentials for the proxy's own
	// requests. The replica's requests are sent without these credentials.
	Upstream *rest.Config
	// Scope that the replica sees.
	Scope Scope
	// User that the replica acts as, such as system:serviceaccount:NAMESPACE:NAME.
	User string

	// Scenario, Subject and Replica are the names that the record gets.
	Scenario string
	Subject  string
	Replica  string
	// OwnNetwork says that the replica has a network of its own. The proxy has no listener
	// there until Serve is called.
	OwnNetwork bool
	Recorder   *history.Recorder

	// Interceptor of the replica's requests, or nil.
	Interceptor Interceptor
}
