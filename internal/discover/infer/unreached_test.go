package infer

import "testing"

func TestUnreached(t *testing.T) {
	for name, tc := range map[string]struct {
		line, want string
	}{
		"a member behind a Service": {
			`{"msg":"retrying of unary invoker failed","target":"etcd-endpoints://0xe5dd/demo-0.demo.look.svc.cluster.local:2379","error":"rpc error: code = DeadlineExceeded"}`,
			"demo-0.demo.look.svc.cluster.local:2379",
		},
		"a name that is not known": {`Get "http://shop.look.svc/healthz": dial tcp: lookup shop.look.svc: no such host`, "shop.look.svc"},
		"in JavaScript":            {`Error: getaddrinfo ENOTFOUND shop.look.svc.cluster.local`, "shop.look.svc.cluster.local"},
		"an address in its status": {`updated status serverList=[shop.look.svc:11211]`, ""},
		"the API server":           {`dial tcp: lookup kubernetes.default.svc: no such host`, ""},
		"something outside":        {`dial tcp 203.0.113.7:443: i/o timeout`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Unreached([]string{"starts", tc.line}); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
