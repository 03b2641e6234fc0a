package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// JSON returns a report, or a part of one, as a document for scripts. Its texts must
// already be harmless. Nothing is escaped for HTML.
func JSON(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encoding the document: %w", err)
	}
	return out.Bytes(), nil
}
