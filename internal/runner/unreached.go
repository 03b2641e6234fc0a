package runner

import (
	"net/netip"
	"slices"
	"strings"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/internal/process/capture"
)

// unreached has, for each implementation, the Services and Pods of its scenarios that it tried to
// reach without success. What cannot be reached in one scenario cannot be reached in the others either,
// but not all of them last until the log says so.
type unreached map[*Implementation][]string

// unreachedIn reads the logs of scenarios. On a cluster of the user, Pods really run, so it
// returns nothing.
func (r *run) unreachedIn(scenarios ...scenario) unreached {
	if r.options.Kubeconfig != "" {
		return nil
	}
	all := unreached{}
	for _, s := range scenarios {
		all[s.implementation] = append(all[s.implementation], unreachedOf(r.logDir(s.namespace), s.namespace)...)
	}
	return all
}

// of returns the addresses for a scenario: those in its own namespace first.
func (u unreached) of(s scenario) []string {
	var own, others []string
	for _, address := range u[s.implementation] {
		if isIn(s.namespace, address) {
			own = append(own, address)
		} else {
			others = append(others, address)
		}
	}
	return append(own, others...)
}

// unreachedOf returns the Services and Pods of a namespace that the logs in a folder tell of, and
// IP addresses of Services and Pods. What else the subject cannot reach may be something that it can do without.
func unreachedOf(dir, namespace string) []string {
	var lines []string
	for _, file := range logsIn(dir) {
		if data, err := capture.ReadEnd(file, logEnd); err == nil {
			lines = append(lines, strings.Split(data, "\n")...)
		}
	}
	return slices.DeleteFunc(capture.Unreached(lines), func(address string) bool {
		if ip, err := netip.ParseAddrPort(address); err == nil {
			return !envtest.InCluster(ip.Addr())
		}
		return !isIn(namespace, address)
	})
}

// isIn says whether an address is the name of a Service or a Pod in a namespace.
func isIn(namespace, address string) bool {
	return strings.Contains(address, "."+namespace+".svc")
}
