package browser

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// The sizes of a telephone, of a desk, and of what the picture of the README is taken from.
const (
	phone    = 380
	desk     = 1400
	pictured = 1120
)

// chromium is the browser of this machine; the test is skipped if there is none.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skip("needs Chromium: chromium on the PATH, or CHROMIUM with its path")
	return ""
}

// tab is a page that is open.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu   sync.Mutex
	said []string // in the console, and what broke
	sent []string // requests beside that for the page
}

// open a file in a browser of its own, as wide as it is told, in a colour scheme. It is
// ready when it returns.
func open(t *testing.T, file string, width int64, scheme string) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], // a copy: its capacity is its length
		chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	p.do()
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	call(p, network.Enable, network.EnableParams{})
	call(p, runtime.Enable, cdp.Empty{})
	call(p, log.Enable, cdp.Empty{})
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width == phone,
	})
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	p.do(chromedp.Navigate(address(file)))
	// The page of an exploration has no script that could say so.
	run(p, chromedp.Poll[bool](`document.documentElement.dataset.ready === 'yes' || document.readyState === 'complete' && document.scripts.length === 0`))
	return p
}

// address of a file, perhaps with a place in it.
func address(file string) string {
	file, place, _ := strings.Cut(file, "#")
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(file), Fragment: place}).String()
}

func (p *tab) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch event := event.(type) {
	case *runtime.EventConsoleAPICalled:
		p.said = append(p.said, fmt.Sprintf("console: %s %+v", event.Type, event.Args))
	case *runtime.EventExceptionThrown:
		p.said = append(p.said, fmt.Sprintf("thrown: %+v", event.ExceptionDetails))
	case *log.EventEntryAdded:
		p.said = append(p.said, fmt.Sprintf("log: %s", event.Entry.Text))
	case *network.EventRequestWillBeSent:
		if !strings.HasSuffix(event.Request.URL, ".html") && !strings.HasPrefix(event.Request.URL, "data:") {
			p.sent = append(p.sent, event.Request.URL)
		}
	}
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// run an action, and return what it says.
func run[T any](p *tab, action chromedp.Action[T]) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, action)
	if err != nil {
		p.t.Fatal(err)
	}
	return value
}

// eval what a script says.
func eval[T any](p *tab, script string) T {
	p.t.Helper()
	return run(p, chromedp.Evaluate[T](script))
}

// call a command of the browser.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.t.Fatal(err)
	}
}

// quiet makes sure that nothing broke, and that nothing was asked for.
func (p *tab) quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.said) > 0 {
		p.t.Errorf("the console has %s", strings.Join(p.said, "\n"))
	}
	if len(p.sent) > 0 {
		p.t.Errorf("requests were sent: %s", strings.Join(p.sent, "\n"))
	}
}
