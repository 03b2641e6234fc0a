package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestReader(t *testing.T) {
	body := `{"type":"ADDED","object":{"a":"}{"}}` + "\n" + `{"type":"BOOKMARK"}{"type":"DELETED"}` + "\n\n"
	want := []string{`{"type":"ADDED","object":{"a":"}{"}}`, `{"type":"BOOKMARK"}`, `{"type":"DELETED"}`}
	got, err := drain(NewReader(iotest.OneByteReader(strings.NewReader(body))))
	if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, io.EOF) {
		t.Errorf("ended with %v, -want +got:\n%s", err, diff)
	}

	broken := errors.New("broken")
	for name, body := range map[string]io.Reader{
		"cut short":   strings.NewReader(`{"type":"ADDED","obj`),
		"no object":   strings.NewReader(`[1]`),
		"no JSON":     strings.NewReader(`type: ADDED`),
		"too large":   strings.NewReader(`{"type":"` + strings.Repeat("x", largestEvent) + `"}`),
		"empty space": strings.NewReader(strings.Repeat("\n", largestEvent+1)),
		"broken off":  iotest.ErrReader(broken),
	} {
		if got, err := drain(NewReader(body)); err == nil || errors.Is(err, io.EOF) || len(got) > 0 {
			t.Errorf("%s: %d events, then %v", name, len(got), err)
		}
	}
}

// TestUnfinished: if an event is cut short, the part that was read is returned.
func TestUnfinished(t *testing.T) {
	const half = `{"type":"MODIFIED","obj`
	reader := NewReader(iotest.OneByteReader(strings.NewReader(`{"type":"ADDED"}` + "\n" + half)))
	if _, err := drain(reader); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("ended with %v", err)
	}
	got, err := io.ReadAll(reader.Unfinished())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(half, strings.TrimLeft(string(got), "\n")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// However the body comes, the events are those in it, byte for byte, with nothing but
// space between them.
func FuzzReader(f *testing.F) {
	f.Add([]byte(`{"type":"ADDED","object":{"metadata":{"namespace":"a"}}}{"type":"BOOKMARK","object":{}}`), 1)
	f.Add([]byte("{\"type\":\"ADDED\"}\n\n\r\n {\"type\":\"DELETED\"}\n"), 3)
	f.Add([]byte(`{"type":"MODIFIED","object":{"data":"`+strings.Repeat("x", 9000)+`"}}{}`), 4096)
	f.Add([]byte(`{"type":"ADDED","object":{"a":"}{\"`), 2)
	f.Add([]byte("{}\n[]"), 2)
	f.Add([]byte("0{}"), 1)
	f.Add([]byte("{}{} trailing"), 7)
	f.Fuzz(func(t *testing.T, body []byte, chunk int) {
		reader := NewReader(&chunks{body: body, size: max(1, chunk%len(append(body, 0)))})
		rest := body
		for {
			event, err := reader.Next()
			if err != nil {
				if errors.Is(err, io.EOF) && len(bytes.TrimLeft(rest, " \t\r\n")) > 0 {
					t.Fatalf("lost: %q", rest)
				}
				if _, again := reader.Next(); again == nil {
					t.Fatalf("an event follows the error %v", err)
				}
				return
			}
			rest = bytes.TrimLeft(rest, " \t\r\n")
			if !json.Valid(event) || event[0] != '{' || !bytes.HasPrefix(rest, event) {
				t.Fatalf("%q is not what stands next in %q", event, rest)
			}
			rest = rest[len(event):]
		}
	})
}

// chunks is a body that comes in pieces of a size.
type chunks struct {
	body []byte
	size int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.body) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.body[:min(c.size, len(c.body))])
	c.body = c.body[n:]
	return n, nil
}

func drain(reader *Reader) ([]string, error) {
	var all []string
	for {
		event, err := reader.Next()
		if err != nil {
			return all, err
		}
		all = append(all, string(event))
	}
}
