package chainsaw

import apierrors "k8s.io/apimachinery/pkg/api/errors"

// refused tells whether the API server judged a request and would not carry it out: by
// the schema, by a policy or a webhook, or because it is malformed. To repeat it would
// change nothing. It is not refused where an object is not there, is there already, or
// was replaced meanwhile.
func refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err)
}
