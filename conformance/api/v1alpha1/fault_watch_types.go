package v1alpha1

// WatchAction changes what a watch delivers. Exactly one is given.
//
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=1
type WatchAction struct {
	// freeze stops all delivery, bookmarks included, and keeps the stream open.
	// +optional
	Freeze *WatchFreeze `json:"freeze,omitempty"`
	// lag delivers every event late.
	// +optional
	Lag *WatchLag `json:"lag,omitempty"`
	// drop swallows events and goes on.
	// +optional
	Drop *WatchDrop `json:"drop,omitempty"`
	// close ends the stream without an error, as a server that restarts does.
	// +optional
	Close *WatchClose `json:"close,omitempty"`
	// expire ends the stream because its resourceVersion is too old (410).
	// +optional
	Expire *WatchExpire `json:"expire,omitempty"`
	// missDeletion hides the first deletion on any matching stream. Each stream that
	// would deliver it expires (410) instead. So the controller can notice the deletion
	// only by listing again.
	// +optional
	MissDeletion *Empty `json:"missDeletion,omitempty"`
	// halfEvent cuts the stream in the middle of an event, as a lost connection may do. The
	// first objects of a streaming list, and bookmarks, are delivered whole.
	// +optional
	HalfEvent *Empty `json:"halfEvent,omitempty"`
	// bookmark sends a BOOKMARK on every matching stream that asked for
	// bookmarks, once for each time that it is hit.
	// +optional
	Bookmark *Empty `json:"bookmark,omitempty"`
}

// WatchFreeze stops the delivery of a stream.
type WatchFreeze struct {
	// ends says how the stream ends when the Fault is deleted: Closed, without an error
	// and only if events were swallowed, so that the client watches again from the
	// version that it knows, and gets these events; or Expired (410), so that the
	// client must list again, and never gets them.
	// +kubebuilder:default=Closed
	// +kubebuilder:validation:Enum=Closed;Expired
	Ends FreezeEnd `json:"ends,omitempty"`
}

// FreezeEnd says how a stream ends that was frozen.
type FreezeEnd string

// The ends of a stream that was frozen.
const (
	FreezeEndsClosed  FreezeEnd = "Closed"
	FreezeEndsExpired FreezeEnd = "Expired"
)

// WatchLag delays events.
type WatchLag struct {
	// ms is how late an event is, in milliseconds.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=600000
	Ms int64 `json:"ms"`
}

// WatchDrop swallows events. A watch that begins under the Fault and names no
// resourceVersion is spared: what exists and what changes is the same to it.
type WatchDrop struct {
	// events is how many are swallowed on each stream.
	// +kubebuilder:validation:Minimum=1
	Events int32 `json:"events"`
}

// WatchClose ends a stream.
type WatchClose struct {
	// afterMs lets a stream live for so long, in milliseconds. 0: at once. Clients may
	// take a watch for an error that lived for less than a second.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=600000
	AfterMs int64 `json:"afterMs,omitempty"`
}

// WatchExpire ends a stream with 410.
type WatchExpire struct {
	// as says how the controller learns of it: Event, an ERROR in the stream; or
	// Status, the answer to the next request that names a resourceVersion, after the
	// stream was closed. A watch without a resourceVersion starts from the beginning
	// anyway: it is left alone, and counts as if it had got the answer.
	// +kubebuilder:default=Event
	// +kubebuilder:validation:Enum=Event;Status
	As ExpireForm `json:"as,omitempty"`
}

// ExpireForm says how a controller hears of a 410.
type ExpireForm string

// The forms of a 410.
const (
	ExpireAsEvent  ExpireForm = "Event"
	ExpireAsStatus ExpireForm = "Status"
)
