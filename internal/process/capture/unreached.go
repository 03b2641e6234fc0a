package capture

import (
	"net/netip"
	"regexp"
	"strings"
)

var (
	// inCluster matches the name of a Service, or of a Pod behind one, as only a cluster
	// knows it.
	inCluster = regexp.MustCompile(`[a-z0-9][a-z0-9.-]*\.svc(?:\.[a-z0-9.-]*[a-z0-9])?(?::\d+)?\b`)
	// dialled matches the IP address and the port that a client could not connect to, as Go
	// and Node.js write them.
	dialled = regexp.MustCompile(`(?:\bdial (?:tcp|udp)[46]? |\bconnect E[A-Z]+ )(\S+:\d+)`)
	// noConnection matches what clients say if nothing answers.
	noConnection = regexp.MustCompile(`(?i)\bdial |no such host|connection refused|i/o timeout|deadline ?exceeded|unreachable|no route to host|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|getaddrinfo`)
)

// Unreached returns the addresses in the cluster that a process tried to reach without
// success, as the lines of its log say: names of Services and Pods, and private IP addresses
// with a port. Each comes once, in the order of the lines. The address of the API server is left out.
func Unreached(lines []string) []string {
	var all []string
	seen := map[string]bool{}
	add := func(address string) {
		if !seen[address] {
			seen[address] = true
			all = append(all, address)
		}
	}
	for _, line := range lines {
		if !strings.Contains(line, ".svc") && !dialled.MatchString(line) || !noConnection.MatchString(line) {
			continue
		}
		for _, name := range inCluster.FindAllString(line, -1) {
			if !strings.HasPrefix(name, "kubernetes.default.") {
				add(name)
			}
		}
		for _, match := range dialled.FindAllStringSubmatch(line, -1) {
			if address, err := netip.ParseAddrPort(strings.TrimRight(match[1], ":,;")); err == nil && address.Addr().IsPrivate() {
				add(address.String())
			}
		}
	}
	return all
}
