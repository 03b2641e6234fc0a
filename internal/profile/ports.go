package profile

import (
	"fmt"
	"maps"
	"slices"

	"reconform.dev/reconform/internal/profile/nearest"
)

// PortNames returns the names of the ports that a replica listens on: those that are found
// for it, and the fixed ones.
func (p *Profile) PortNames() []string {
	launch := p.Spec.Launch
	return append(slices.Clone(launch.Ports), slices.Sorted(maps.Keys(launch.FixedPorts))...)
}

// checkPorts checks the names of ports, and the numbers of the fixed ones.
func (c *checker) checkPorts() {
	launch := c.Spec.Launch
	for i, name := range launch.Ports {
		c.checkPortName(fmt.Sprintf("spec.launch.ports[%d]", i), name)
	}
	of := map[int32]string{}
	for _, name := range slices.Sorted(maps.Keys(launch.FixedPorts)) {
		at, port := "spec.launch.fixedPorts."+name, launch.FixedPorts[name]
		c.checkPortName(at, name)
		c.checkPortNumber(at, port)
		if slices.Contains(launch.Ports, name) {
			c.add(at, "is also in launch.ports: a port is either chosen by the suite or fixed")
		}
		if other, taken := of[port]; taken {
			c.add(at, "%d is the port %s", port, other)
		}
		of[port] = name
	}
}

func (c *checker) checkPortName(field, name string) {
	if !identifier.MatchString(name) {
		c.add(field, "%q cannot be named in a template; allowed: letters, digits and _, no digit first", name)
	}
}

func (c *checker) checkPortNumber(field string, port int32) {
	if port < 1 || port > 65535 {
		c.add(field, "%d is not a port; allowed: 1 to 65535", port)
	}
}

// checkPort checks that a port with this name is declared.
func (c *checker) checkPort(field, name string) {
	if ports := c.PortNames(); !slices.Contains(ports, name) {
		c.add(field, "no port %q is declared%s; declared in launch.ports and launch.fixedPorts: %s", name, nearest.Question(name, ports), orNone(ports))
	}
}
