package proxy

import (
	"context"
	"net/http"
	"net/textproto"
	"strings"
)

// outgoing is the request as the API server gets it.
func (p *Proxy) outgoing(ctx context.Context, x *exchange) *http.Request {
	out := x.in.Clone(ctx)
	out.RequestURI = ""
	out.Host = ""
	out.Close = false
	if x.in.ContentLength == 0 {
		out.Body = http.NoBody
	}

	out.URL.Scheme, out.URL.Host = p.base.Scheme, p.base.Host
	if x.path != "" {
		out.URL.Path, out.URL.RawPath = x.path, ""
	}
	if prefix := strings.TrimSuffix(p.base.Path, "/"); prefix != "" {
		out.URL.Path = prefix + out.URL.Path
		if out.URL.RawPath != "" {
			out.URL.RawPath = prefix + out.URL.RawPath
		}
	}
	if x.keep != nil {
		// The rows of a table can be told apart by the objects in them only.
		if query := out.URL.Query(); query.Get("includeObject") == "None" {
			query.Set("includeObject", "Metadata")
			out.URL.RawQuery = query.Encode()
		}
	}

	removeHops(out.Header)
	narrow(out.Header, x.in.URL.Path)
	if _, ok := out.Header["User-Agent"]; !ok {
		// Else the transport would give it one.
		out.Header["User-Agent"] = nil
	}
	return out
}

// removeHops removes what belongs to one connection.
func removeHops(header http.Header) {
	for _, named := range header.Values("Connection") {
		for name := range strings.SplitSeq(named, ",") {
			header.Del(textproto.TrimString(name))
		}
	}
	for _, name := range []string{
		"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	} {
		header.Del(name)
	}
}
