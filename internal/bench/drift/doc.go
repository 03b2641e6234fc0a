// Package drift serves the Drift objects: somebody else changes what the controller under
// test wrote. Then it checks what is restored, or what stays.
//
// The bodies of the controller's own requests say which fields it set: the recorder has
// everything that it created or applied, and what its other writes changed. Fields that
// the API server or another controller filled in are in none of these bodies. A field is
// checked only if the object still has the value that the controller sent last.
//
// A Drift acts as an administrator, not through a proxy. It checks one field after the
// other, because a controller that restores one field may rewrite the others with it. Late
// fields are checked again at the end, when the object stands still: all at once, and with
// the full time. The effects of earlier changes must not be what wakes the controller.
// Labels are checked apart from the other fields then, because a controller may find the
// object by them; if it lets go of an object with another label, that label is not checked.
// At last all labels and annotations of the object are taken away at once: those that the
// controller has restored before must come back again. A change that the API server refuses
// is not checked, and neither is a field that the profile declares as not healed. Both are
// counted and reported.
//
// Three sorts of fields are left out: owner references, which other requirements judge;
// names; and fields that identify an entry of a list. To change such a field means to
// remove the entry and add another. So a Drift removes the entry instead.
//
// A Drift can also delete the objects that the controller made for another one. Each is deleted
// while everything else stands still, because a controller that does not watch an object makes
// it again when something else wakes it. If it does not come back, the controller is restarted.
// If that brings it back, the controller has not noticed the deletion. Otherwise it makes the
// object only once, and nothing is said about it. What the controller set in objects beside the
// workload and the Service is changed, and judged, likewise.
package drift
