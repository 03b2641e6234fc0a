package profile

import (
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ownEnv matches the variables that the launcher sets itself. A profile must not set them,
// so that no replica can find a cluster other than its own: what a Pod is told of the API
// server, and what some libraries read instead. Other names may begin in this way, too, such
// as KUBERNETES_CLUSTER_DOMAIN.
var ownEnv = regexp.MustCompile(`^(KUBECONFIG|HOME|KUBERNETES_(SERVICE|PORT)(_.*)?|KUBERNETES_MASTER)$`)

func (c *checker) checkLaunch() {
	launch := c.Spec.Launch
	keys := []string{".namespace", ".served"}
	c.checkPorts()
	for _, port := range c.PortNames() {
		keys = append(keys, ".ports."+port)
	}
	if webhook := launch.Webhook; webhook != nil {
		keys = append(keys, ".certificates")
		c.checkPort("spec.launch.webhook.port", webhook.Port)
	} else if len(c.Spec.Install.Webhooks) > 0 {
		c.add("spec.install.webhooks", "needs launch.webhook, which says at which port they are served")
	}
	asProcess := append(slices.Clone(keys), ".kubeconfig")
	c.checkCommand(asProcess)
	c.checkEnv("spec.launch.env", launch.Env, asProcess)
	for i, address := range launch.Network {
		if problem := checkAddress(address); problem != "" {
			c.add(fmt.Sprintf("spec.launch.network[%d]", i), "%q: %s", address, problem)
		}
	}
	if namespaced := launch.Namespaced; namespaced != nil {
		c.checkArgs("spec.launch.namespaced.args", namespaced.Args, keys)
		c.checkEnv("spec.launch.namespaced.env", namespaced.Env, keys)
	}
	c.checkInCluster(keys)
	if probe := launch.Ready.HTTPGet; probe != nil {
		c.checkPort("spec.launch.ready.httpGet.port", probe.Port)
	}
	if endpoint := launch.Endpoints.Metrics; endpoint != nil {
		c.checkPort("spec.launch.endpoints.metrics.port", endpoint.Port)
	}
	if endpoint := launch.Endpoints.Health; endpoint != nil {
		c.checkPort("spec.launch.endpoints.health.port", endpoint.Port)
	}
	if election := launch.LeaderElection; election != nil {
		c.checkArgs("spec.launch.leaderElection.enabled", election.Enabled, keys)
		c.checkArgs("spec.launch.leaderElection.disabled", election.Disabled, keys)
		c.checkName("spec.launch.leaderElection.lease.name", election.Lease.Name, validation.IsDNS1123Subdomain, nil)
		if election.Lease.Namespace != "" && !launch.Serial {
			c.add("spec.launch.leaderElection.lease.namespace", "scenarios that run at the same time would share this Lease: leave it out, or set launch.serial")
		}
	}
}

// checkCommand checks the command. It may be missing only if the controller runs as Pods.
func (c *checker) checkCommand(keys []string) {
	command := c.Spec.Launch.Command
	if len(command) == 0 {
		if c.Spec.Launch.InCluster == nil {
			c.add("spec.launch.command", "is required")
		}
		return
	}
	if command[0] == "" {
		c.add("spec.launch.command[0]", "the program is required")
	}
	if strings.Contains(command[0], "{{") {
		c.add("spec.launch.command[0]", "the program cannot be a template")
	}
	for i, arg := range command {
		c.checkPassed(fmt.Sprintf("spec.launch.command[%d]", i), arg)
	}
	for i, arg := range command[1:] {
		c.checkTemplates(fmt.Sprintf("spec.launch.command[%d]", i+1), arg, keys...)
	}
}

// checkArgs checks arguments that are added to the command. They are templates that may use the keys.
func (c *checker) checkArgs(at string, args, keys []string) {
	for i, arg := range args {
		field := fmt.Sprintf("%s[%d]", at, i)
		c.checkPassed(field, arg)
		c.checkTemplates(field, arg, keys...)
	}
}

// checkPassed refuses a text that cannot be passed to a program.
func (c *checker) checkPassed(field, text string) {
	if strings.ContainsRune(text, 0) {
		c.add(field, "%q has a null character, which no system passes to a program", text)
	}
}

// kubeconfigEnv is a variable that no Pod has, unless its manifest says so. Some programs
// refuse to start if it is set.
const kubeconfigEnv = "KUBECONFIG"

// checkEnv checks variables. Their values are templates that may use the keys.
func (c *checker) checkEnv(at string, env map[string]string, keys []string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		field := at + "." + name
		if broken := validation.IsEnvVarName(name); broken != nil {
			c.add(field, "%q: %s", name, broken[0])
		}
		c.checkPassed(field, env[name])
		switch {
		case name == kubeconfigEnv && env[name] == "": // not set, as in a Pod
		case name == kubeconfigEnv:
			c.add(field, `%s is set by the bench itself: leave it out, or give it the value "" so that it is not set, as in a Pod`, name)
		case ownEnv.MatchString(name):
			c.add(field, "%s is set by the bench itself: leave it out", name)
		}
		c.checkTemplates(field, env[name], keys...)
	}
}

// checkClusterWrites refuses the right to write namespaces: with it, a controller could
// leave its scenario.
func (c *checker) checkClusterWrites() {
	for i, resource := range c.Spec.Install.ClusterWrites {
		if problem := NoClusterWrite(resource); problem != "" {
			c.add(fmt.Sprintf("spec.install.clusterWrites[%d]", i), "%q %s", resource, problem)
		}
	}
}

// NoClusterWrite says why a controller cannot be allowed to write a resource without a
// namespace, or returns "".
func NoClusterWrite(resource string) string {
	if resource == "namespaces" {
		return "are the bench's: no controller may write them"
	}
	return noResource(resource, "clusterroles.rbac.authorization.k8s.io")
}

// noResource says why a text names no resource, or returns "".
func noResource(resource, example string) string {
	name, _, _ := strings.Cut(resource, ".")
	if len(validation.IsDNS1123Subdomain(resource)) > 0 || name != resource && len(validation.IsDNS1035Label(name)) > 0 {
		return "is not a resource: write its plural and its group in lower case, such as " + example
	}
	return ""
}

// checkNodeResources checks the resources that the Nodes are to have.
func (c *checker) checkNodeResources() {
	resources := c.Spec.Install.NodeResources
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		field := "spec.install.nodeResources." + name
		domain, _, qualified := strings.Cut(name, "/")
		broken := validation.IsQualifiedName(name)
		switch {
		case !qualified || domain == "kubernetes.io" || strings.HasSuffix(domain, ".kubernetes.io"):
			c.add(field, "%q is not an extended resource: want a name with a domain of its own, such as nvidia.com/gpu", name)
		case broken != nil:
			c.add(field, "%q: %s", name, broken[0])
		case resources[name] < 1:
			c.add(field, "want at least 1")
		}
	}
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// checkAddress says what is wrong with an address that a replica needs to reach, or returns
// "".
func checkAddress(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "want host:port, such as registry.example:443"
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return "the port is a number from 1 to 65535"
	}
	if ip := net.ParseIP(host); ip != nil {
		if ip.To4() == nil {
			return "an IPv6 address cannot be reached: give a name, or an IPv4 address"
		}
		return ""
	}
	if broken := validation.IsDNS1123Subdomain(host); broken != nil {
		return noName(broken)
	}
	return ""
}
