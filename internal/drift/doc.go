// Package drift serves the Drift objects: somebody else changes what the controller
// under test wrote, and it is seen what comes back, or what stays.
//
// Which fields the controller set is told by the bodies of its own requests, as the
// recorder has them: all that it created or applied, and what its other writes changed.
// What the API server or another controller filled in is in none of them. A field is
// asked for where the object still has the value that the controller sent last.
//
// A Drift acts as an administrator, and past every proxy. It asks about one field after
// the other, since a controller that mends one may rewrite the others on the way. What
// is late is asked again at the end, once the object stands still, all at once and with
// the whole time that it may take: what the others led to must not be what wakes the
// controller. A change that the API server refuses is not asked, and neither is one that the
// profile declares as not healed: both are counted, and said.
//
// Left out are owner references, which other requirements judge, names, and what
// identifies an entry of a list: to change that is to take the entry away and add
// another. So such an entry is taken away.
package drift
