package fault

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// restored is an API server whose store was restored from a backup: its clients know newer
// versions than it has. It ends the watches that were asked for before. A read that names a
// version from before the Fault is refused with the message that this version is too
// large.
//
// A real API server does not do this with a plain watch: it leaves the watch open and
// sends nothing.
type restored struct {
	respond
	// version of the Fault when it was created.
	version string
}

func newRestored(object *v1alpha1.Fault) (*restored, error) {
	version, err := versionOf(object)
	if err != nil {
		return nil, fmt.Errorf("spec.action.restored: %w", err)
	}
	const seconds = 1
	body, err := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: http.StatusGatewayTimeout, Reason: metav1.StatusReasonTimeout,
		Message: "Timeout: Too large resource version",
		Details: &metav1.StatusDetails{RetryAfterSeconds: seconds, Causes: []metav1.StatusCause{{
			Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version",
		}}},
	})
	if err != nil {
		return nil, fmt.Errorf("writing the answer of a fault: %w", err)
	}
	return &restored{
		respond: respond{code: http.StatusGatewayTimeout, body: body, retryAfter: strconv.Itoa(seconds)},
		version: version,
	}, nil
}

// wants returns true for reads that name a version from before the Fault.
func (r *restored) wants(call *proxy.Call) bool {
	query := call.Out.URL.Query()
	version := query.Get("resourceVersion")
	switch request := call.Request(); {
	case version == "" || version == "0" || query.Get("continue") != "":
		return false
	case request.Verb != history.VerbGet && request.Verb != history.VerbList && request.Verb != history.VerbWatch:
		return false
	}
	order, err := resourceversion.CompareResourceVersion(version, r.version)
	return err == nil && order <= 0
}

// ending closes a stream cleanly, after the first objects of a streaming list were sent.
type ending struct{ inert }

func (ending) turn(s *streamBody) move { return move{end: !s.sent.initial} }
