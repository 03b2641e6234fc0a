package chainsaw

import apierrors "k8s.io/apimachinery/pkg/api/errors"

// refused tells whether the API server judged a request and refused to carry it out:
// because of the schema, a policy or a webhook, or because it is malformed. Repeating it
// would change nothing. It does not count as refused if an object does not exist, exists
// already, or was replaced meanwhile.
func refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err)
}
