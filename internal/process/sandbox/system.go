//go:build unix

package sandbox

import (
	"fmt"
	"net"
	"strings"

	"reconform.dev/reconform/internal/process/sandbox/internal/pid1"
)

// userName is the usual name of the user, and its group, in images without root.
const userName = "nonroot"

// system returns the files of /etc that each Pod has. Some programs do not start if their
// user has no name, and some find the API server only by its name.
func (s *Spec) system(user, group int, home string) []pid1.File {
	return []pid1.File{
		{
			Path: "/etc/passwd", Mode: 0o644,
			Content: fmt.Sprintf("root:x:0:0:root:/root:/sbin/nologin\n%s:x:%d:%d:%s:%s:/sbin/nologin\n", userName, user, group, userName, home),
		},
		{Path: "/etc/group", Content: fmt.Sprintf("root:x:0:\n%s:x:%d:\n", userName, group), Mode: 0o644},
		{Path: "/etc/hosts", Content: s.hosts(), Mode: 0o644},
	}
}

// hosts returns a hosts file with this replica and, if its address is known, the API
// server.
func (s *Spec) hosts() string {
	lines := "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n127.0.0.1\t" + s.Name + "\n"
	lines += s.outsideHosts()
	if net.ParseIP(s.Host) != nil && len(s.HostNames) > 0 {
		lines += s.Host + "\t" + strings.Join(s.HostNames, " ") + "\n"
	}
	return lines
}
