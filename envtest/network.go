package envtest

import (
	"net/netip"
	"slices"
)

// serviceRange has the addresses of Services. The default range of the API server in envtest has
// only 254 addresses.
const serviceRange = "10.96.0.0/16"

// apiServerAddress is the address that the API server writes into the Endpoints of the Service
// kubernetes. It is that of the first Node, which is of the control plane, and nothing answers
// there: the API server would refuse the address at which it really listens, a loopback one.
const apiServerAddress = "192.0.2.1"

// podRange has the addresses of Pods. It is that of kwok/config.yaml.
const podRange = "10.244.0.0/16"

// InCluster tells whether an address is one that the control plane gives to Pods or Services.
// Nothing answers there, because no Pod really runs.
func InCluster(address netip.Addr) bool {
	return slices.ContainsFunc([]string{serviceRange, podRange}, func(text string) bool {
		return netip.MustParsePrefix(text).Contains(address.Unmap())
	})
}
