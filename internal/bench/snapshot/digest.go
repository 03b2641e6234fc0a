package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// maxContent is how much content a Snapshot may hold, in bytes. The API server accepts
// objects of up to 1.5 MB.
const maxContent = 1 << 20

// digest writes masked objects into a status, by resource and name.
func digest(objects []object, status *v1alpha1.SnapshotStatus) error {
	content := make(map[string]any, len(objects))
	for _, o := range objects {
		content[o.String()] = o.content
	}
	encoded, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("encoding the objects: %w", err)
	}
	if len(encoded) > maxContent {
		return fmt.Errorf("%d objects are %d KiB, and a Snapshot holds %d: name fewer", len(objects), len(encoded)>>10, maxContent>>10)
	}
	sum := sha256.Sum256(encoded)
	status.Objects = int32(len(objects))
	status.Digest = "sha256:" + hex.EncodeToString(sum[:])
	status.Content = string(encoded)
	return nil
}

// content returns the objects in a Snapshot's status.
func content(status v1alpha1.SnapshotStatus) (map[string]any, error) {
	objects := map[string]any{}
	if err := json.Unmarshal([]byte(status.Content), &objects); err != nil {
		return nil, fmt.Errorf("reading its content: %w", err)
	}
	return objects, nil
}
