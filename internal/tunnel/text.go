package tunnel

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Short texts begin a connection that the bench asks for: the address, and in the other
// direction what went wrong, or nothing. Two bytes of length come before each.

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
