package harmless

import (
	"bytes"
	"regexp"
)

// Redactor leaves tokens and private keys out of a stream, such as a log, wherever its
// parts begin and end. Nothing else of it is changed. The zero Redactor is ready.
//
// It holds the last line back until that is complete, or too long.
type Redactor struct {
	held    []byte
	spare   []byte // what was held before, to be used again
	inToken bool   // the last part ended within a token
	inKey   int    // how many bytes of a key whose end has not come were left out; 0 where there is none
}

const (
	// mostHeld of a line, in bytes.
	mostHeld = 64 << 10
	// mostSecret is longer than tokens and keys are. What has the beginning of a key and no
	// end within so much is none.
	mostSecret = 16 << 10
)

var (
	keyBegins = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----`)
	keyEnds   = regexp.MustCompile(`-----END [A-Z0-9 ]*PRIVATE KEY-----`)
	// What each secret holds, so that all else need not be looked through.
	tokenBegins, keyNamed = []byte("eyJ"), []byte("PRIVATE KEY-----")
)

// Next takes a part of the stream, and returns what may be kept by now. That is valid until
// the next call.
func (r *Redactor) Next(part []byte) []byte {
	r.held = append(r.held, part...)
	end := bytes.LastIndexByte(r.held, '\n') + 1
	if rest := r.held[end:]; len(rest) > mostHeld {
		end = len(r.held)
		// A token may go on in the next part: the line is parted before it.
		last := rest[len(rest)-mostSecret:]
		if between := bytes.LastIndexFunc(last, outsideToken); between >= 0 {
			end -= len(last) - between - 1
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
		return part // as nearly always
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

// tokens left out of a part that has no key.
func (r *Redactor) tokens(part []byte) []byte {
	all := token.FindAllIndex(part, -1)
	if len(all) == 0 {
		return part
	}
	r.inToken = all[len(all)-1][1] == len(part)
	return token.ReplaceAll(part, []byte(noToken))
}

// outsideToken is what no token holds.
func outsideToken(c rune) bool {
	return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.')
}
