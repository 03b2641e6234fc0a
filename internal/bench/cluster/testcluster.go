package cluster

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// local matches the contexts that tools for local clusters create.
var local = regexp.MustCompile(`^(kind|k3d|k0s|minikube|microk8s|docker-desktop|rancher-desktop|colima|orbstack)(-|$)`)

// LooksLikeProduction says why a context of a kubeconfig (or the current one) does not
// look like a test cluster. It returns nil if the server is on this machine, or if the
// name is one that a tool for such clusters gives, unless "prod" is in the name. It
// also returns nil if there is no such context, because connecting reports that.
func LooksLikeProduction(kubeconfig, named string) error {
	config, err := contextOf(kubeconfig, named)
	if err != nil {
		return err
	}
	name := config.CurrentContext
	context, ok := config.Contexts[name]
	if !ok {
		return nil
	}
	server := ""
	if cluster, ok := config.Clusters[context.Cluster]; ok {
		server = cluster.Server
	}
	if strings.Contains(strings.ToLower(name), "prod") {
		return fmt.Errorf("context %s of %s has a name like production", name, kubeconfig)
	}
	if local.MatchString(name) || onThisMachine(server) {
		return nil
	}
	return fmt.Errorf("context %s of %s does not look like a cluster for tests: its server is %s, not on this machine", name, kubeconfig, server)
}

func onThisMachine(server string) bool {
	at, err := url.Parse(server)
	if err != nil {
		return false
	}
	ip := net.ParseIP(at.Hostname())
	return at.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
