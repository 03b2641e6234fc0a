package capture

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnreached(t *testing.T) {
	for name, tc := range map[string]struct {
		line string
		want []string
	}{
		"a member behind a Service": {
			`{"msg":"retrying of unary invoker failed","target":"etcd-endpoints://0xe5dd/demo-0.demo.look.svc.cluster.local:2379","error":"rpc error: code = DeadlineExceeded"}`,
			[]string{"demo-0.demo.look.svc.cluster.local:2379"},
		},
		"a name that is not known": {`Get "http://shop.look.svc/healthz": dial tcp: lookup shop.look.svc: no such host`, []string{"shop.look.svc"}},
		"in JavaScript":            {`Error: getaddrinfo ENOTFOUND shop.look.svc.cluster.local`, []string{"shop.look.svc.cluster.local"}},
		"the IP of a Pod":          {`Get "http://10.1.2.3:8080/healthz": dial tcp 10.1.2.3:8080: connect: network is unreachable`, []string{"10.1.2.3:8080"}},
		"of IPv6":                  {`dial tcp [fd00::1:2]:8080: i/o timeout`, []string{"[fd00::1:2]:8080"}},
		"an IP in JavaScript":      {`Error: connect ECONNREFUSED 10.0.0.12:6379`, []string{"10.0.0.12:6379"}},
		"two":                      {`dial tcp 10.1.2.3:80: i/o timeout; dial tcp 10.1.2.4:80: i/o timeout`, []string{"10.1.2.3:80", "10.1.2.4:80"}},
		"an address in its status": {`updated status serverList=[shop.look.svc:11211]`, nil},
		"the API server":           {`dial tcp: lookup kubernetes.default.svc: no such host`, nil},
		"its proxy":                {`dial tcp 127.0.0.1:34567: connect: connection refused`, nil},
		"something outside":        {`dial tcp 203.0.113.7:443: i/o timeout`, nil},
		"an image that is not there, in a registry of the cluster's network": {`pulling 10.0.0.9:5000/web: no such image`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Unreached([]string{"starts", tc.line, tc.line})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
