package proxy

import (
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/internal/history"
)

// Options say whose proxy it is, and what is behind it.
type Options struct {
	// Authority that issues its certificate.
	Authority *Authority
	// Upstream is the API server, with an administrator's credentials for the proxy's
	// own requests. A replica's requests are sent without them.
	Upstream *rest.Config
	// Scope that the replica sees.
	Scope Scope
	// User that the replica acts as, such as system:serviceaccount:NAMESPACE:NAME.
	User string

	// Scenario, Subject and Replica as they stand in the record.
	Scenario string
	Subject  string
	Replica  string
	// OwnNetwork says that the replica has a network of its own, where the proxy has no
	// listener until Serve is called.
	OwnNetwork bool
	Recorder   *history.Recorder

	// Interceptor of its requests; nil for none.
	Interceptor Interceptor
}
