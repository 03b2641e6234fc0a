package fault

import (
	"errors"
	"net/url"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/proxy"
)

// newWatch makes what a watch action does to requests; nil for those that act only on
// streams.
func newWatch(spec v1alpha1.WatchAction) (action, error) {
	switch {
	case spec.Expire != nil && spec.Expire.As == v1alpha1.ExpireAsStatus:
		return newExpiry()
	case spec == v1alpha1.WatchAction{}:
		return nil, errors.New("spec.action.watch: exactly one action must be given")
	default:
		return nil, nil
	}
}

// startsUnmarked says whether a watch begins with all objects that there are, as
// streaming lists do, but does not say where they end: it names no version.
func startsUnmarked(query url.Values) bool {
	return !startsWithList(query) && !namesVersion(query)
}

// sparesUnmarked says whether an action leaves such a watch alone that begins under it.
// It would drop what exists, as it cannot be told from what changes; and there is no
// version that could be too old.
func sparesUnmarked(spec v1alpha1.WatchAction) bool {
	return spec.Drop != nil || spec.Expire != nil && spec.Expire.As == v1alpha1.ExpireAsStatus
}

// newEffect makes what a watch action does to one stream.
func newEffect(spec v1alpha1.WatchAction, c claim, f *fault, call *proxy.Call) effect {
	switch {
	case spec.Freeze != nil:
		return &freeze{claim: c, ends: spec.Freeze.Ends}
	case spec.Lag != nil:
		return &lag{claim: c, by: time.Duration(spec.Lag.Ms) * time.Millisecond}
	case spec.Drop != nil:
		return &drop{claim: c, left: spec.Drop.Events}
	case spec.Close != nil:
		return &closing{claim: c, after: time.Duration(spec.Close.AfterMs) * time.Millisecond}
	case spec.Expire != nil:
		if expiry, ok := f.action.(*expiry); ok {
			return &expiring{expiry: expiry, key: expiryKey(call), most: f.spec.Times}
		}
		return &expire{claim: c}
	default:
		return &bookmark{claim: c}
	}
}
