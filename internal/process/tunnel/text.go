package tunnel

import (
	"encoding/binary"
	"fmt"
	"io"
)

// A connection that the bench asks for begins with two short texts: the address, and in the
// other direction an error message, or an empty text. Each text starts with its length, in
// two bytes.

func writeText(to io.Writer, text string) error {
	const most = 1 << 10
	if len(text) > most {
		text = text[:most]
	}
	_, err := to.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(text))), text...))
	if err != nil {
		return fmt.Errorf("writing to the tunnel: %w", err)
	}
	return nil
}

func readText(from io.Reader) (string, error) {
	var length [2]byte
	if _, err := io.ReadFull(from, length[:]); err != nil {
		return "", fmt.Errorf("reading from the tunnel: %w", err)
	}
	text := make([]byte, binary.BigEndian.Uint16(length[:]))
	if _, err := io.ReadFull(from, text); err != nil {
		return "", fmt.Errorf("reading from the tunnel: %w", err)
	}
	return string(text), nil
}
