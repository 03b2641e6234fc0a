package proxy

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// narrow changes the headers so that they ask only for what the proxy can read. It keeps
// parameters that choose another kind of answer, such as as=Table. The document
// /openapi/v2 has a protobuf form of its own, so its headers stay.
func narrow(header http.Header, path string) {
	header.Del("Accept-Encoding")
	if path == "/openapi/v2" {
		return
	}
	if accept := narrowAccept(strings.Join(header.Values("Accept"), ",")); accept != "" {
		header.Set("Accept", accept)
	}
}

// narrowAccept drops the media ranges that the proxy cannot read: the binary ones, and YAML,
// which JSON is as well. If no other range is left, it asks for the same things as JSON.
func narrowAccept(accept string) string {
	var kept, dropped []string
	for _, mediaRange := range splitQuoted(accept, ',') {
		mediaRange = strings.TrimSpace(mediaRange)
		switch {
		case mediaRange == "":
		case !legible(mediaRange):
			dropped = append(dropped, mediaRange)
		default:
			kept = append(kept, mediaRange)
		}
	}
	if len(kept) == 0 {
		for _, mediaRange := range dropped {
			if json := asJSON(mediaRange); !slices.Contains(kept, json) {
				kept = append(kept, json)
			}
		}
	}
	return strings.Join(kept, ", ")
}

// legible says whether the proxy can read what a media range asks for.
func legible(mediaRange string) bool {
	name, _, _ := strings.Cut(mediaRange, ";")
	switch strings.ToLower(strings.TrimSpace(name)) {
	case runtime.ContentTypeProtobuf, runtime.ContentTypeCBOR, runtime.ContentTypeCBORSequence, runtime.ContentTypeYAML:
		return false
	default:
		return true
	}
}

// asJSON returns the range as JSON, with the parameters that mean something for JSON.
func asJSON(mediaRange string) string {
	_, params, err := mime.ParseMediaType(mediaRange)
	if err != nil || params["as"] == "" {
		return runtime.ContentTypeJSON
	}
	delete(params, "type")
	delete(params, "stream")
	return mime.FormatMediaType(runtime.ContentTypeJSON, params)
}

// splitQuoted splits at a separator outside of quoted strings.
func splitQuoted(s string, separator byte) []string {
	var parts []string
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == separator && !quoted:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}
