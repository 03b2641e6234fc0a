package infer

import (
	"regexp"
	"strings"
)

var (
	// inCluster matches an address that only a cluster has: of a Service, or of a Pod behind
	// one.
	inCluster = regexp.MustCompile(`[a-z0-9][a-z0-9.-]*\.svc(?:\.[a-z0-9.-]*[a-z0-9])?(?::\d+)?\b`)
	// noConnection matches what clients say if nothing answers.
	noConnection = regexp.MustCompile(`(?i)\bdial |no such host|connection refused|i/o timeout|deadline ?exceeded|unreachable|no route to host|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|getaddrinfo`)
)

// Unreached returns an address in the cluster that a controller tried to reach without
// success, as its log says, or "". No Pod runs on the local control plane, so nothing
// answers there.
func Unreached(log []string) string {
	for _, line := range log {
		if !noConnection.MatchString(line) {
			continue
		}
		for _, address := range inCluster.FindAllString(line, -1) {
			if !strings.HasPrefix(address, "kubernetes.default.") {
				return address
			}
		}
	}
	return ""
}
