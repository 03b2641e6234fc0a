package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Event says what a watch event is about.
type Event struct {
	Type   watch.EventType `json:"type"`
	Object Object          `json:"object"`
}

// Object has those fields of all objects that a stream depends on.
type Object struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        struct {
		ResourceVersion string `json:"resourceVersion"`
		UID             string `json:"uid"`
	} `json:"metadata"`
}

// Parse parses an event, without the rest of the object in it.
func Parse(raw json.RawMessage) (Event, error) {
	var event Event
	if err := json.Unmarshal(raw, &event); err != nil {
		return Event{}, fmt.Errorf("reading a watch event: %w", err)
	}
	return event, nil
}

// IsChange is true for an event about an object: the object was added, modified or
// deleted.
func (e Event) IsChange() bool {
	return e.Type == watch.Added || e.Type == watch.Modified || e.Type == watch.Deleted
}

// IsTable says whether this is a table and not an object. No event can be added to a
// stream of tables, because only the first table has the columns.
func (o Object) IsTable() bool {
	return o.Kind == "Table" && strings.HasPrefix(o.APIVersion, metav1.GroupName+"/")
}

// Expired returns the event after which a client lists again.
func Expired(message string) ([]byte, error) {
	status := apierrors.NewResourceExpired(message).Status()
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return encode(watch.Error, status)
}

// Bookmark returns a bookmark for objects of a kind: it says that all events up to a
// resourceVersion were sent.
func Bookmark(kind metav1.TypeMeta, resourceVersion string) ([]byte, error) {
	return bookmark(kind, map[string]any{"resourceVersion": resourceVersion, "creationTimestamp": nil})
}

// EndOfInitialEvents returns the bookmark that also says that all objects were sent that
// existed when the watch began.
func EndOfInitialEvents(kind metav1.TypeMeta, resourceVersion string) ([]byte, error) {
	return bookmark(kind, map[string]any{
		"resourceVersion": resourceVersion, "creationTimestamp": nil,
		"annotations": map[string]string{metav1.InitialEventsAnnotationKey: "true"},
	})
}

func bookmark(kind metav1.TypeMeta, metadata map[string]any) ([]byte, error) {
	return encode(watch.Bookmark, map[string]any{
		"kind": kind.Kind, "apiVersion": kind.APIVersion, "metadata": metadata,
	})
}

// Added returns the event for an object from a list. In a list the object may lack its
// kind.
func Added(kind metav1.TypeMeta, item json.RawMessage) ([]byte, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(item, &object); err != nil {
		return nil, fmt.Errorf("reading an object of a list: %w", err)
	}
	for field, value := range map[string]string{"kind": kind.Kind, "apiVersion": kind.APIVersion} {
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("writing an object of a list: %w", err)
		}
		object[field] = encoded
	}
	return encode(watch.Added, object)
}

func encode(kind watch.EventType, object any) ([]byte, error) {
	var event bytes.Buffer
	encoder := json.NewEncoder(&event)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(struct {
		Type   watch.EventType `json:"type"`
		Object any             `json:"object"`
	}{kind, object})
	if err != nil {
		return nil, fmt.Errorf("writing a watch event: %w", err)
	}
	return bytes.TrimSuffix(event.Bytes(), []byte("\n")), nil
}
