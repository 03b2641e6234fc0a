package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// header has the fields that all objects, lists and tables have.
type header struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"metadata"`
	Rows []row `json:"rows"`
}

// row of a table.
type row struct {
	Object *header `json:"object"`
}

func (h header) name() types.NamespacedName {
	return types.NamespacedName{Namespace: h.Metadata.Namespace, Name: h.Metadata.Name}
}

// isTable says whether this is a table, and not an object of a kind with that name.
func (h header) isTable() bool {
	return h.Kind == "Table" && strings.HasPrefix(h.APIVersion, metav1.GroupName+"/")
}

// filterList keeps only those objects of a list or table that keep wants. It removes
// remainingItemCount, because that counts objects on later pages that will be left out.
func filterList(body []byte, keep func(types.NamespacedName) bool) ([]byte, error) {
	var kind header
	if err := json.Unmarshal(body, &kind); err != nil {
		return nil, fmt.Errorf("reading a list: %w", err)
	}
	var list map[string]json.RawMessage
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("reading a list: %w", err)
	}
	field, nameOf := "items", itemName
	if kind.isTable() {
		field, nameOf = "rows", rowName
	}
	var err error
	if list[field], err = filterItems(list[field], nameOf, keep); err != nil {
		return nil, fmt.Errorf("reading a list's %s: %w", field, err)
	}
	var metadata map[string]json.RawMessage
	if err := json.Unmarshal(list["metadata"], &metadata); err == nil && metadata["remainingItemCount"] != nil {
		delete(metadata, "remainingItemCount")
		if list["metadata"], err = json.Marshal(metadata); err != nil {
			return nil, fmt.Errorf("writing a list: %w", err)
		}
	}
	return json.Marshal(list)
}

func filterItems(
	raw json.RawMessage,
	nameOf func(json.RawMessage) (types.NamespacedName, error),
	keep func(types.NamespacedName) bool,
) (json.RawMessage, error) {
	if raw == nil {
		return nil, errors.New("there are none")
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, err
	}
	kept := make([]json.RawMessage, 0, len(items))
	for _, item := range items {
		name, err := nameOf(item)
		if err != nil {
			return nil, err
		}
		if keep(name) {
			kept = append(kept, item)
		}
	}
	return json.Marshal(kept)
}

func itemName(item json.RawMessage) (types.NamespacedName, error) {
	var object header
	err := json.Unmarshal(item, &object)
	return object.name(), err
}

// rowName returns an empty name for a row without an object, so that the row is not kept.
func rowName(item json.RawMessage) (types.NamespacedName, error) {
	var row row
	if err := json.Unmarshal(item, &row); err != nil || row.Object == nil {
		return types.NamespacedName{}, err
	}
	return row.Object.name(), nil
}

// keepEvent says whether a watch event passes. Bookmarks and errors always pass: they are
// about the stream, not about an object.
func keepEvent(event []byte, keep func(types.NamespacedName) bool) (bool, error) {
	var seen struct {
		Type   watch.EventType `json:"type"`
		Object header          `json:"object"`
	}
	if err := json.Unmarshal(event, &seen); err != nil {
		return false, fmt.Errorf("reading a watch event: %w", err)
	}
	switch seen.Type {
	case watch.Bookmark, watch.Error:
		return true, nil
	case watch.Added, watch.Modified, watch.Deleted:
	default:
		return false, fmt.Errorf("reading a watch event: no such type: %q", seen.Type)
	}
	if !seen.Object.isTable() {
		return keep(seen.Object.name()), nil
	}
	for _, row := range seen.Object.Rows {
		if row.Object == nil || !keep(row.Object.name()) {
			return false, nil
		}
	}
	return true, nil
}
