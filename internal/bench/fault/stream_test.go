package fault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/stream"
)

// watched is a stream under test: what the API server sends on one side, what the
// replica gets on the other, and effects that come and go.
type watched struct {
	t     *testing.T
	body  *streamBody
	api   *io.PipeWriter
	leave context.CancelFunc // the replica gives up the request

	mu      sync.Mutex
	acting  []effect
	changed chan struct{}
	got     []string // and then EOF or the error
}

const (
	plainWatch    = "watch=true&resourceVersion=10&allowWatchBookmarks=true"
	streamingList = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
)

func newWatched(t *testing.T, query string, acting ...effect) *watched {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{t: t, acting: acting, changed: make(chan struct{})}
	upstream, api := io.Pipe()
	w.api = api
	var ctx context.Context
	ctx, w.leave = context.WithCancel(t.Context())
	w.body = newStreamBody(ctx, values, upstream, w)
	go func() {
		events := stream.NewReader(w.body)
		for {
			event, err := events.Next()
			w.mu.Lock()
			if err != nil {
				w.got = append(w.got, err.Error())
				w.mu.Unlock()
				return
			}
			w.got = append(w.got, short(event))
			w.mu.Unlock()
		}
	}()
	return w
}

func (w *watched) now() ([]effect, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acting, w.changed
}

// act has these effects act from now on.
func (w *watched) act(effects ...effect) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acting = effects
	close(w.changed)
	w.changed = make(chan struct{})
}

// send events as "ADDED 11", or "END 12" for the bookmark that ends the initial events.
func (w *watched) send(events ...string) {
	w.t.Helper()
	for _, event := range events {
		if _, err := io.WriteString(w.api, long(event)); err != nil {
			w.t.Fatal(err)
		}
	}
}

// expect what the replica has got since the last time.
func (w *watched) expect(want ...string) {
	w.t.Helper()
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if diff := cmp.Diff(want, w.got); diff != "" && len(want)+len(w.got) > 0 {
		w.t.Errorf("-want +got:\n%s", diff)
	}
	w.got = nil
}

func (w *watched) close() {
	_ = w.body.Close()
	synctest.Wait()
}

// long is an event as the API server sends it.
func long(event string) string {
	kind, version, _ := strings.Cut(event, " ")
	annotations := ""
	if kind == "END" {
		kind, annotations = "BOOKMARK", `,"annotations":{"k8s.io/initial-events-end":"true"}`
	}
	return fmt.Sprintf(`{"type":%q,"object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":%q,"uid":%q%s}}}`+"\n",
		kind, version, "of "+version, annotations)
}

func short(raw json.RawMessage) string {
	event, err := stream.Parse(raw)
	if err != nil {
		return err.Error()
	}
	if strings.Contains(string(raw), `"k8s.io/initial-events-end":"true"`) {
		return "END " + event.Object.Metadata.ResourceVersion
	}
	if event.Object.Kind == "Status" {
		return string(event.Type)
	}
	return string(event.Type) + " " + event.Object.Metadata.ResourceVersion
}

// claims counts how often a Fault hits.
type claims struct{ left, hits int }

func (c *claims) claim() claim {
	return claim{take: func() bool {
		if c.left == c.hits {
			return false
		}
		c.hits++
		return true
	}}
}

func TestStreamUntouched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(t, streamingList)
		defer w.close()
		w.send("ADDED 5", "END 10", "MODIFIED 11", "BOOKMARK 12")
		w.expect("ADDED 5", "END 10", "MODIFIED 11", "BOOKMARK 12")
		_ = w.api.CloseWithError(errors.New("broken"))
		w.expect("reading a watch: reading a watch: broken")
	})
}

func TestFreeze(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &claims{left: 2}
		w := newWatched(t, plainWatch)
		defer w.close()
		w.send("ADDED 11")
		w.expect("ADDED 11")
		first := &freeze{claim: c.claim()}
		w.act(first)
		synctest.Wait()
		if c.hits != 1 {
			t.Errorf("a frozen stream counts %d hits", c.hits)
		}
		w.act() // nothing was swallowed, so it goes on
		w.send("MODIFIED 12")
		w.expect("MODIFIED 12")

		w.act(&freeze{claim: c.claim()})
		synctest.Wait()
		w.send("MODIFIED 13", "BOOKMARK 14")
		time.Sleep(time.Minute)
		w.expect()
		w.act()
		w.expect("EOF")
		if c.hits != 2 {
			t.Errorf("%d hits", c.hits)
		}
	})
}

func TestFreezeBeforeSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &claims{left: 1}
		w := newWatched(t, streamingList, &freeze{claim: c.claim()})
		defer w.close()
		w.send("ADDED 5", "END 10")
		w.expect()
		w.act()
		w.expect("EOF")
	})
}

func TestFreezeEndsExpired(t *testing.T) {
	for name, test := range map[string]struct {
		query string
		left  int
		sent  []string
		want  []string
	}{
		"nothing was swallowed":             {query: plainWatch, left: 1, want: []string{"ERROR", "EOF"}},
		"events were swallowed":             {query: plainWatch, left: 1, sent: []string{"MODIFIED 12"}, want: []string{"ERROR", "EOF"}},
		"in the middle of a streaming list": {query: streamingList, left: 1, sent: []string{"ADDED 5"}, want: []string{"EOF"}},
		"it has no hits left":               {query: plainWatch},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &claims{left: test.left}
				w := newWatched(t, test.query, &freeze{claim: c.claim(), ends: v1alpha1.FreezeEndsExpired})
				defer w.close()
				w.send(test.sent...)
				synctest.Wait()
				w.act()
				w.expect(test.want...)
			})
		})
	}
}

func TestFreezeExhausted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(t, plainWatch, &freeze{claim: (&claims{}).claim()})
		defer w.close()
		w.send("ADDED 11")
		w.expect("ADDED 11")
		w.act()
		w.expect()
	})
}

func TestLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &claims{left: 1}
		w := newWatched(t, plainWatch, &lag{claim: c.claim(), by: 2 * time.Second})
		defer w.close()
		w.send("ADDED 11")
		time.Sleep(time.Second)
		w.send("MODIFIED 12", "BOOKMARK 13")
		w.expect()
		time.Sleep(time.Second)
		w.expect("ADDED 11")
		time.Sleep(time.Second)
		w.expect("MODIFIED 12", "BOOKMARK 13")

		w.send("MODIFIED 14")
		w.expect()
		w.act() // at once
		w.expect("MODIFIED 14")
		if c.hits != 1 {
			t.Errorf("%d hits", c.hits)
		}
	})
}

func TestLagThenEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(t, plainWatch, &lag{claim: (&claims{left: 1}).claim(), by: time.Second})
		defer w.close()
		w.send("ADDED 11")
		_ = w.api.Close()
		w.expect()
		time.Sleep(time.Second)
		w.expect("ADDED 11", "EOF")
	})
}

// TestLagThenGone: the replica has ended, and the Fault is still there. Nothing waits until
// the late event is due.
func TestLagThenGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(t, plainWatch, &lag{claim: (&claims{left: 1}).claim(), by: time.Hour})
		defer w.close()
		w.send("ADDED 11")
		w.expect()
		w.leave()
		w.expect("EOF")
	})
}

func TestDrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &claims{left: 1}
		w := newWatched(t, streamingList, &drop{claim: c.claim(), left: 2})
		defer w.close()
		w.send("ADDED 5", "ADDED 3", "END 10")
		w.expect("ADDED 5", "ADDED 3", "END 10")
		if c.hits != 0 {
			t.Errorf("it hit a list")
		}
		w.send("MODIFIED 11", "BOOKMARK 12", "DELETED 13", "ADDED 14")
		w.expect("BOOKMARK 12", "ADDED 14")
		w.act()
		w.send("MODIFIED 15")
		w.expect("MODIFIED 15")
		if c.hits != 1 {
			t.Errorf("%d hits", c.hits)
		}
	})
}

// TestMissDeletion: only the first deletion is missed, on each stream that would
// deliver it.
func TestMissDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, missed := &claims{left: 9}, &gap{}
		first := newWatched(t, streamingList, &miss{claim: c.claim(), gap: missed})
		defer first.close()
		second := newWatched(t, plainWatch, &miss{claim: c.claim(), gap: missed})
		defer second.close()
		first.send("ADDED 5", "END 10", "MODIFIED 11", "DELETED 12")
		first.expect("ADDED 5", "END 10", "MODIFIED 11", "ERROR", "EOF")
		second.send("DELETED 12")
		second.expect("ERROR", "EOF")
		if c.hits != 2 {
			t.Errorf("%d hits", c.hits)
		}
		anew := newWatched(t, streamingList, &miss{claim: c.claim(), gap: missed})
		defer anew.close()
		anew.send("END 14", "DELETED 15")
		anew.expect("END 14", "DELETED 15")
	})
}

func TestClose(t *testing.T) {
	tests := map[string]struct {
		query string
		after time.Duration
		steps func(w *watched)
	}{
		"at once": {plainWatch, 0, func(w *watched) { w.expect("EOF") }},
		"after a second": {plainWatch, time.Second, func(w *watched) {
			w.send("ADDED 11")
			w.expect("ADDED 11")
			time.Sleep(time.Second - time.Nanosecond)
			w.send("ADDED 12")
			w.expect("ADDED 12")
			time.Sleep(time.Nanosecond)
			w.expect("EOF")
		}},
		"after a list and a second": {streamingList, time.Second, func(w *watched) {
			w.send("ADDED 5")
			time.Sleep(time.Minute)
			w.send("END 10")
			w.expect("ADDED 5", "END 10")
			time.Sleep(time.Second - time.Nanosecond)
			w.expect()
			time.Sleep(time.Nanosecond)
			w.expect("EOF")
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &claims{left: 1}
				w := newWatched(t, test.query, &closing{claim: c.claim(), after: test.after})
				defer w.close()
				test.steps(w)
				if c.hits != 1 {
					t.Errorf("%d hits", c.hits)
				}
			})
		})
	}
	t.Run("exhausted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWatched(t, plainWatch, &closing{claim: (&claims{}).claim(), after: time.Second})
			defer w.close()
			time.Sleep(time.Minute)
			w.send("ADDED 11", "ADDED 12")
			w.expect("ADDED 11", "ADDED 12")
		})
	})
}

func TestExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(t, streamingList, &expire{claim: (&claims{left: 1}).claim()})
		defer w.close()
		w.send("ADDED 5")
		w.expect("ADDED 5")
		w.send("END 10")
		w.expect("END 10", "ERROR", "EOF")
	})
}

// TestExpireFrozen: an expiry is delivered at once, though the stream is frozen.
func TestExpireFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		frozen := &freeze{claim: (&claims{left: 1}).claim()}
		w := newWatched(t, plainWatch, frozen)
		defer w.close()
		w.send("ADDED 11")
		w.expect()
		w.act(frozen, &expire{claim: (&claims{left: 1}).claim()})
		w.expect("ERROR", "EOF")
	})
}

func TestExpireAsStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, err := newExpiry()
		if err != nil {
			t.Fatal(err)
		}
		most := int32(1)
		w := newWatched(t, plainWatch, &expiring{expiry: x, key: "a", most: &most})
		defer w.close()
		w.expect("EOF")
		other := newWatched(t, plainWatch, &expiring{expiry: x, key: "b", most: &most})
		defer other.close()
		other.send("ADDED 11")
		other.expect("ADDED 11")
	})
}

func TestBookmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &claims{left: 3}
		w := newWatched(t, streamingList, &bookmark{claim: c.claim()})
		defer w.close()
		w.send("ADDED 5", "ADDED 3")
		w.expect("ADDED 5", "ADDED 3")
		w.send("END 10")
		w.expect("END 10", "BOOKMARK 10")
		w.send("MODIFIED 11")
		w.expect("MODIFIED 11")
		w.act(&bookmark{claim: c.claim()})
		w.expect("BOOKMARK 11")

		// The kind is not known before the first event.
		idle := newWatched(t, plainWatch, &bookmark{claim: c.claim()})
		defer idle.close()
		idle.expect()
		idle.send("DELETED 12")
		idle.expect("DELETED 12", "BOOKMARK 12")

		unasked := newWatched(t, "watch=true&resourceVersion=10", &bookmark{claim: c.claim()})
		defer unasked.close()
		unasked.send("ADDED 11")
		unasked.expect("ADDED 11")
		if c.hits != 3 {
			t.Errorf("%d hits", c.hits)
		}
	})
}

func TestStaleWatch(t *testing.T) {
	s := &stale{version: "20"}
	tests := map[string]struct {
		query      string
		listed     string // the version of what it was made to begin with
		send, want []string
		ends       bool
	}{
		"from before":          {"watch=true&resourceVersion=10", "", []string{"ADDED 15", "MODIFIED 20", "MODIFIED 21", "BOOKMARK 22"}, []string{"ADDED 15", "MODIFIED 20"}, true},
		"from later":           {"watch=true&resourceVersion=30", "", []string{"MODIFIED 31"}, nil, true},
		"after a new list":     {streamingList, "", []string{"ADDED 5", "ADDED 33", "END 40", "MODIFIED 41"}, []string{"ADDED 5", "ADDED 33", "END 40"}, true},
		"after an old list":    {streamingList + "&resourceVersion=0", "20", []string{"ADDED 5", "END 20", "MODIFIED 21"}, []string{"ADDED 5", "END 20"}, true},
		"from the most recent": {"watch=true", "35", []string{"ADDED 34", "ADDED 5", "MODIFIED 36"}, []string{"ADDED 34", "ADDED 5"}, true},
		"nothing happened":     {"watch=true&resourceVersion=10", "", []string{"ADDED 15"}, []string{"ADDED 15"}, false},
		"errors pass":          {"watch=true&resourceVersion=10", "", []string{"ERROR "}, []string{"ERROR "}, false},
		"objects in any order": {"watch=true&resourceVersion=0", "20", []string{"ADDED 7", "ADDED 5", "MODIFIED 21"}, []string{"ADDED 7", "ADDED 5"}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				query, err := url.ParseQuery(test.query)
				if err != nil {
					t.Fatal(err)
				}
				var begins *pastBody
				if test.listed != "" {
					begins = &pastBody{of: s, version: test.listed}
				}
				w := newWatched(t, test.query, s.hold((&claims{left: 1}).claim(), query, begins))
				defer w.close()
				w.send(test.send...)
				w.expect(test.want...)
				w.act()
				if test.ends {
					w.expect("EOF")
				} else {
					w.expect()
				}
			})
		})
	}
	if s.hold(claim{}, url.Values{}, &pastBody{of: &stale{}}) != nil {
		t.Error("a watch is held whose beginning is not known")
	}
}

// TestQueueIsBounded: a slow reader does not make the stream grow without bound.
func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(t, plainWatch, &lag{claim: (&claims{left: 1}).claim(), by: time.Hour})
		big := fmt.Sprintf(`{"type":"ADDED","object":{"metadata":{"resourceVersion":"11"},"data":%q}}`, strings.Repeat("x", 1<<20))
		sent := make(chan int, 1)
		go func() {
			n := 0
			for ; n < 100; n++ {
				if _, err := io.WriteString(w.api, big); err != nil {
					break
				}
			}
			sent <- n
		}()
		synctest.Wait()
		w.close()
		if n := <-sent; n < 30 || n > 40 {
			t.Errorf("%d events of a megabyte were read", n)
		}
	})
}
