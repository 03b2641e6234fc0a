package chainsaw

import apierrors "k8s.io/apimachinery/pkg/api/errors"

// refused tells whether the API server judged a request and would not carry it out:
// by the schema, by a policy or a webhook, or because it makes no sense. To repeat it
// would change nothing. That an object is not there, or is there already, or is
// another one by now, is not that.
func refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err)
}
