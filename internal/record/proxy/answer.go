package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"reconform.dev/reconform/internal/record/history"
)

// answer answers the request instead of the API server.
func (x exchange) answer(status metav1.Status) error {
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	body, err := json.Marshal(status)
	if err != nil {
		return fmt.Errorf("writing an answer: %w", err)
	}
	x.record.Finish(x.refused(int(status.Code), status))
	header := http.Header{}
	header.Set("Content-Type", runtime.ContentTypeJSON)
	header.Set("Cache-Control", "no-cache, private")
	return write(x.w, int(status.Code), header, body)
}

func notImplemented(message string) metav1.Status {
	return metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotImplemented, Reason: "NotImplemented", Message: message,
	}
}

// refused returns what an error answer adds to the record.
func (in incoming) refused(code int, status metav1.Status) func(*history.Request) {
	return func(r *history.Request) {
		r.Code = code
		r.Reason, r.Message = string(status.Reason), status.Message
		if in.writes() {
			r.Effect = history.EffectRefused
		}
	}
}
