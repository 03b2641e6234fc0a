package drift

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Alter acts as somebody else, and changes fields of an object that the subject of the
// namespace has set, one write after the other: the first that can be changed (fields of the
// spec come first, and metadata last), all but labels and annotations, or the labels. Fields
// that the profile declares as not healed stay as they are. Alter returns the fields and their
// changes in words.
func (c *Controller) Alter(ctx context.Context, namespace, resource, name string, which v1alpha1.TrialDriftFields) (string, error) {
	r, err := c.prepare(&v1alpha1.Drift{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace},
		Spec:       v1alpha1.DriftSpec{Resource: resource, Name: name, Mode: v1alpha1.DriftChange},
	})
	if err != nil {
		return "", err
	}
	now, err := r.object.read(ctx)
	if err != nil {
		return "", fmt.Errorf("changing %s %s: %w", resource, name, err)
	}
	fields, err := fieldsSet(r.object.writes(now.GetUID(), 0), now.Object, false)
	if err != nil {
		return "", err
	}
	slices.SortStableFunc(fields, func(a, b field) int { return a.rank() - b.rank() })
	var told []string
	for _, f := range fields {
		if f.entry || r.declared(f.path) != "" || !f.among(which) {
			continue
		}
		changed, err := r.alter(ctx, f)
		if refused(err) || errors.Is(err, errNoOther) {
			continue
		}
		if err != nil {
			return "", err
		}
		told = append(told, f.path.String()+" "+changed.inWords())
		if which != v1alpha1.DriftAll && which != v1alpha1.DriftLabels {
			break
		}
	}
	if len(told) == 0 {
		return "", errors.New("no field of " + resource + " " + name + " that the controller set can be changed by others")
	}
	return strings.Join(told, ", "), nil
}

// among says whether a field is one of those that are to be changed.
func (f field) among(which v1alpha1.TrialDriftFields) bool {
	switch which {
	case v1alpha1.DriftAll:
		return f.path[0].key != "metadata"
	case v1alpha1.DriftLabels:
		return f.path.under("metadata.labels")
	}
	return true
}

// rank says which of several fields is changed first.
func (f field) rank() int {
	switch f.path[0].key {
	case "spec":
		return 0
	case "metadata":
		return 2
	}
	return 1
}
