package webapp

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/controller/api/v1beta1"
)

func TestLastWrites(t *testing.T) {
	at := func(uid, resourceVersion string) *v1beta1.WebApp {
		app := demo()
		app.UID, app.ResourceVersion = types.UID(uid), resourceVersion
		return app
	}
	for name, tc := range map[string]struct {
		written, cached *v1beta1.WebApp
		gone            bool
		want            error
	}{
		"nothing written":  {nil, at("a", "5"), false, nil},
		"older":            {at("a", "12"), at("a", "5"), false, errStatusBehind},
		"the same":         {at("a", "12"), at("a", "12"), false, nil},
		"newer":            {at("a", "12"), at("a", "100"), false, nil},
		"of another UID":   {at("a", "12"), at("b", "5"), false, nil},
		"of one forgotten": {at("a", "12"), at("a", "5"), true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var l lastWrites
			if tc.written != nil {
				l.note(tc.written)
			}
			if tc.gone {
				l.forget(client.ObjectKeyFromObject(tc.written))
			}
			if err := l.caughtUp(tc.cached); !errors.Is(err, tc.want) || (err != nil) != (tc.want != nil) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
			if tc.want == nil && len(l.versions) > 0 {
				t.Errorf("it still remembers %v", l.versions)
			}
		})
	}
}
