package fault

import (
	"errors"
	"net/url"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/proxy"
)

// newWatch makes the action of a watch fault on requests. It is nil for actions that act
// only on streams.
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

// startsUnmarked says whether a watch starts with all existing objects, as streaming lists
// do, but does not mark their end: it names no version.
func startsUnmarked(query url.Values) bool {
	return !startsWithList(query) && !namesVersion(query)
}

// sparesUnmarked says whether an action does nothing to such a watch that starts while the
// Fault acts. A drop would drop existing objects, because they cannot be told from
// changes. An expiry would have no version that could be too old.
func sparesUnmarked(spec v1alpha1.WatchAction) bool {
	return spec.Drop != nil || spec.Expire != nil && spec.Expire.As == v1alpha1.ExpireAsStatus
}

// newEffect makes the effect of a watch action on one stream.
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
	case spec.HalfEvent != nil:
		return &halfEvent{claim: c}
	case spec.MissDeletion != nil:
		return &miss{claim: c, gap: &f.gap}
	default:
		return &bookmark{claim: c}
	}
}
