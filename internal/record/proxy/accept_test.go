package proxy

import (
	"net/http"
	"strings"
	"testing"
)

func TestNarrowAccept(t *testing.T) {
	tests := map[string]struct{ accept, want string }{
		"none":            {"", ""},
		"anything":        {"*/*", "*/*"},
		"JSON":            {"application/json", "application/json"},
		"client-go typed": {"application/vnd.kubernetes.protobuf,application/json", "application/json"},
		"CBOR":            {"application/cbor, application/json;q=0.9", "application/json;q=0.9"},
		"CBOR sequence":   {"application/cbor-seq,application/json", "application/json"},
		"stream":          {"application/vnd.kubernetes.protobuf;stream=watch,application/json;stream=watch", "application/json;stream=watch"},
		"only protobuf":   {"application/vnd.kubernetes.protobuf", "application/json"},
		"only YAML":       {"application/yaml", "application/json"},
		"YAML before":     {"application/yaml, application/json;q=0.5", "application/json;q=0.5"},
		"YAML or binary":  {"application/yaml,application/cbor", "application/json"},
		"upper case":      {"Application/VND.kubernetes.Protobuf", "application/json"},
		"metadata": {
			"application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
			"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json",
		},
		"only protobuf metadata": {
			"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1;type=x",
			"application/json; as=PartialObjectMetadata; g=meta.k8s.io; v=v1",
		},
		"kubectl's table": {
			"application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
			"application/json;as=Table;v=v1;g=meta.k8s.io, application/json",
		},
		"discovery": {
			"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",
			"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList, application/json",
		},
		"OpenAPI's protobuf": {
			"application/com.github.proto-openapi.spec.v3.v1.0+protobuf",
			"application/com.github.proto-openapi.spec.v3.v1.0+protobuf",
		},
		"comma in quotes": {`application/json;as="a,b"`, `application/json;as="a,b"`},
		"empty ranges":    {",application/json,,", "application/json"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := narrowAccept(test.accept); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestNarrow(t *testing.T) {
	header := http.Header{}
	header.Add("Accept", "application/vnd.kubernetes.protobuf")
	header.Add("Accept", "application/yaml")
	header.Set("Accept-Encoding", "gzip")
	narrow(header, "/api/v1/pods")
	if got := header.Values("Accept"); len(got) != 1 || got[0] != "application/json" {
		t.Errorf("Accept: %q", got)
	}
	if got := header.Get("Accept-Encoding"); got != "" {
		t.Errorf("Accept-Encoding: %q", got)
	}

	header.Set("Accept", "application/vnd.kubernetes.protobuf")
	narrow(header, "/openapi/v2")
	if got := header.Get("Accept"); got != "application/vnd.kubernetes.protobuf" {
		t.Errorf("Accept of /openapi/v2: %q", got)
	}
}

func FuzzNarrowAccept(f *testing.F) {
	f.Add("application/vnd.kubernetes.protobuf;as=Table,application/json;q=0.1")
	f.Add(`a;b="\",application/cbor`)
	f.Fuzz(func(t *testing.T, accept string) {
		narrowed := narrowAccept(accept)
		for _, mediaRange := range splitQuoted(narrowed, ',') {
			if !legible(strings.TrimSpace(mediaRange)) {
				t.Errorf("%q is narrowed to %q", accept, narrowed)
			}
		}
		if again := narrowAccept(narrowed); again != narrowed {
			t.Errorf("%q is narrowed to %q, and that to %q", accept, narrowed, again)
		}
	})
}
