package chainsaw

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestRefused(t *testing.T) {
	resource := schema.GroupResource{Group: "reconform.dev", Resource: "traffics"}
	invalid := apierrors.NewInvalid(schema.GroupKind{Group: "reconform.dev", Kind: "Traffic"}, "reads", nil)
	for name, tc := range map[string]struct {
		err  error
		want bool
	}{
		"invalid":          {invalid, true},
		"invalid, wrapped": {fmt.Errorf("creating: %w", invalid), true},
		"denied":           {apierrors.NewForbidden(resource, "reads", errors.New("denied by a webhook")), true},
		"makes no sense":   {apierrors.NewBadRequest("strict decoding error"), true},
		"not there":        {apierrors.NewNotFound(resource, "reads"), false},
		"there already":    {apierrors.NewAlreadyExists(resource, "reads"), false},
		"another by now":   {apierrors.NewConflict(resource, "reads", nil), false},
		"a broken server":  {apierrors.NewInternalError(errors.New("etcd")), false},
		"no answer":        {context.DeadlineExceeded, false},
		"a finding":        {errors.New("* spec.x: Invalid value: 1"), false},
	} {
		if got := refused(tc.err); got != tc.want {
			t.Errorf("%s: refused = %t", name, got)
		}
	}
}
