package proxy

import (
	"context"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

// outgoing returns the request that is sent to the API server at base, with the given
// body.
func outgoing(ctx context.Context, base *url.URL, in incoming, body io.ReadCloser, c confinement) *http.Request {
	out := in.request.Clone(ctx)
	out.RequestURI = ""
	out.Host = ""
	out.Close = false
	out.Body = body
	if out.ContentLength == 0 {
		out.Body = http.NoBody
	}

	out.URL.Scheme, out.URL.Host = base.Scheme, base.Host
	if c.path != "" {
		out.URL.Path, out.URL.RawPath = c.path, ""
	}
	if prefix := strings.TrimSuffix(base.Path, "/"); prefix != "" {
		out.URL.Path = prefix + out.URL.Path
		if out.URL.RawPath != "" {
			out.URL.RawPath = prefix + out.URL.RawPath
		}
	}
	if c.keep != nil {
		// In a table, only the object of a row says to which namespace the row belongs.
		if query := out.URL.Query(); query.Get("includeObject") == "None" {
			query.Set("includeObject", "Metadata")
			out.URL.RawQuery = query.Encode()
		}
	}

	removeHops(out.Header)
	narrow(out.Header, in.request.URL.Path)
	if _, ok := out.Header["User-Agent"]; !ok {
		// Otherwise the transport would add its own.
		out.Header["User-Agent"] = nil
	}
	return out
}

// removeHops removes the headers that belong to one connection.
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
