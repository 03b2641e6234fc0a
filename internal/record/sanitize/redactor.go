package sanitize

import (
	"bytes"
	"regexp"
)

// Redactor removes tokens and private keys from a stream, such as a log, wherever the
// parts of the stream begin and end. It changes nothing else. The zero Redactor is ready
// for use.
//
// It holds the last line back until the line is complete, or too long.
type Redactor struct {
	held    []byte
	spare   []byte // the former held, for reuse
	inToken bool   // the last part ended inside a token
	inKey   int    // bytes that were left out of a key whose end has not come yet; 0 if there is none
}

const (
	// mostHeld is how much of a line is held, in bytes.
	mostHeld = 64 << 10
	// mostSecret is longer than any token or key. If a key has no end within so many
	// bytes, it is not a key.
	mostSecret = 16 << 10
	// mostMark is longer than the words in which a key begins or ends.
	mostMark = 64
)

var (
	keyBegins = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----`)
	keyEnds   = regexp.MustCompile(`-----END [A-Z0-9 ]*PRIVATE KEY-----`)
	// halfMark matches what may be the beginning of one of these, at the end of a part.
	halfMark = regexp.MustCompile(`-{1,4}$|-----[A-Z0-9 ]{0,48}-{0,4}$`)
	// Each secret contains one of these, so that other text need not be searched.
	tokenBegins, keyNamed = []byte("eyJ"), []byte("PRIVATE KEY-----")
)

// Next takes a part of the stream, and returns what is ready to be kept. The result is
// valid until the next call.
func (r *Redactor) Next(part []byte) []byte {
	r.held = append(r.held, part...)
	end := bytes.LastIndexByte(r.held, '\n') + 1
	if rest := r.held[end:]; len(rest) > mostHeld {
		end = len(r.held)
		// A token may continue in the next part, so the line is split before it.
		last := rest[len(rest)-mostSecret:]
		if between := bytes.LastIndexFunc(last, outsideToken); between >= 0 {
			end -= len(last) - between - 1
			if last[between] == '\\' || last[between] == '%' { // with the character that is escaped
				end--
			}
		}
		// So may the words in which a key begins or ends.
		if at := halfMark.FindIndex(r.held[max(0, end-mostMark):end]); at != nil {
			end -= at[1] - at[0]
		}
	}
	kept := r.pass(r.held[:end])
	r.held, r.spare = append(r.spare[:0], r.held[end:]...), r.held
	return kept
}

// End returns the rest.
func (r *Redactor) End() []byte {
	kept := r.pass(r.held)
	r.held = nil
	return kept
}

func (r *Redactor) pass(part []byte) []byte {
	if !r.inToken && r.inKey == 0 && !bytes.Contains(part, tokenBegins) && !bytes.Contains(part, keyNamed) {
		return part // the usual case
	}
	if r.inToken {
		part = bytes.TrimLeftFunc(part, func(c rune) bool { return !outsideToken(c) })
		r.inToken = len(part) == 0
	}
	var kept []byte
	for len(part) > 0 {
		if r.inKey > 0 {
			at := keyEnds.FindIndex(part)
			if at == nil && r.inKey+len(part) <= mostSecret {
				r.inKey += len(part)
				return kept
			}
			r.inKey = 0
			if at != nil {
				part = part[at[1]:]
			}
		}
		rest := part
		if at := keyBegins.FindIndex(part); at != nil {
			rest, part, r.inKey = part[:at[0]], part[at[1]:], at[1]-at[0]
		} else {
			part = nil
		}
		kept = append(kept, r.tokens(rest)...)
		if r.inKey > 0 {
			kept = append(kept, noKey...)
			r.inToken = false
		}
	}
	return kept
}

// tokens removes the tokens from a part without a key.
func (r *Redactor) tokens(part []byte) []byte {
	all := token.FindAllIndex(part, -1)
	if len(all) == 0 {
		return part
	}
	r.inToken = all[len(all)-1][1] == len(part)
	return token.ReplaceAll(part, []byte("${1}"+noToken))
}

// outsideToken says whether a character cannot be in a token.
func outsideToken(c rune) bool {
	return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.')
}
