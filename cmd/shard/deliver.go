package main

import (
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// blockType is the type of the PEM block.
const blockType = "RECONFORM REPORTS"

// deliver prints the archive, or writes it to the folder of done if that is a file.
func deliver(out io.Writer, archive []byte, done string) error {
	if done != "" {
		return put(done, "reconform.tar.gz", archive)
	}
	if err := pem.Encode(out, &pem.Block{Type: blockType, Bytes: archive}); err != nil {
		return fmt.Errorf("printing the reports: %w", err)
	}
	return nil
}

// put writes a file to the folder of done, and then its path into done. A waiting process
// reads done at once.
func put(done, name string, data []byte) error {
	path := filepath.Join(filepath.Dir(done), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("writing the reports: %w", err)
	}
	if err := os.WriteFile(done+".new", []byte(path), 0o644); err != nil {
		return fmt.Errorf("saying where the reports are: %w", err)
	}
	return os.Rename(done+".new", done)
}
