package browser

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestSchemes: the page fits a narrow and a wide screen, in light and in dark colours,
// and loads nothing from the network.
func TestSchemes(t *testing.T) {
	file := page(t, 9, 60)
	background := map[string]string{}
	for _, width := range []int64{phone, desk} {
		for _, scheme := range []string{"light", "dark"} {
			p := open(t, file, width, scheme)
			if wide := eval[int64](p, `document.documentElement.scrollWidth`); wide > width {
				t.Errorf("%s, %d wide: the page is %d wide", scheme, width, wide)
			}
			// What is folded must fit as well.
			eval[bool](p, `(document.querySelectorAll('details').forEach((d) => { d.open = true; }), true)`)
			run(p, chromedp.Poll[bool](`[...document.querySelectorAll('.looks')].every((l) => l.querySelector('svg.timeline path.mark'))`))
			if wide := eval[int64](p, `document.documentElement.scrollWidth`); wide > width {
				t.Errorf("%s, %d wide, unfolded: the page is %d wide", scheme, width, wide)
			}
			background[scheme] = eval[string](p, `getComputedStyle(document.body).backgroundColor`)
			if eval[bool](p, `'broken' in window`) {
				t.Error("what a subject said was run")
			}
			p.quiet()
		}
	}
	if background["light"] == background["dark"] {
		t.Errorf("both schemes have the background %s", background["light"])
	}
}

// TestList: the list can be searched, filtered and reset, and a link to a requirement
// opens it even if the filter hides it.
func TestList(t *testing.T) {
	p := open(t, page(t, 9, 20)+"#SH-007", desk, "light")
	run(p, chromedp.Poll[bool](`document.getElementById('SH-007').open && document.activeElement.parentElement.id === 'SH-007'`))
	for _, step := range []struct {
		what, script string
		want         int
	}{
		{"at first", ``, 9},
		{"a word", `search.value = 'RT-005'`, 1},
		{"none such", `search.value = 'nothing of that name'`, 0},
		{"of the reason", `search.value = 'it was not'`, 3},
		{"an area", `search.value = ''; document.getElementById('area').value = 'self-healing'`, 3},
		{"a level too", `document.getElementById('level').value = 'core'`, 2},
		{"a state", `document.getElementById('area').value = ''; document.getElementById('level').value = ''; document.querySelector('[value=passed]').checked = false`, 3},
	} {
		script := `(() => { const search = document.getElementById('search'); ` + step.script +
			`; search.dispatchEvent(new Event('input', { bubbles: true })); return [...document.querySelectorAll('a.tile')].filter((a) => a.getClientRects().length).length; })()`
		if got := eval[int](p, script); got != step.want {
			t.Errorf("%s: %d tiles, want %d", step.what, got, step.want)
		}
		shown := `[...document.querySelectorAll('details.entry')].filter((d) => d.getClientRects().length).length`
		if got := eval[int](p, shown); got != step.want {
			t.Errorf("%s: %d entries, want %d", step.what, got, step.want)
		}
	}
	// A link leads to its entry, though the filter hides it.
	eval[bool](p, `(location.hash = '#SH-001', true)`)
	run(p, chromedp.Poll[bool](`document.getElementById('SH-001').open && document.getElementById('SH-001').getClientRects().length > 0`))
	p.do(chromedp.KeyEvent("\t"))
	eval[bool](p, `(document.querySelector('form.filter [type=reset]').click(), true)`)
	run(p, chromedp.Poll[bool](`document.getElementById('found').textContent === '9 requirements'`))
	p.quiet()
}

// TestNarrowList: on a telephone, what passed or was skipped is folded until somebody looks for
// it, follows a link to it, or prints the page.
func TestNarrowList(t *testing.T) {
	p := open(t, page(t, 9, 20), phone, "light")
	folded := `[...document.querySelectorAll('details.rest')].filter((d) => !d.open).length`
	all := eval[int](p, `document.querySelectorAll('details.rest').length`)
	if got := eval[int](p, folded); got != all || all == 0 {
		t.Errorf("%d of %d areas are folded, want all", got, all)
	}
	passed := eval[string](p, `document.querySelector('details.rest details.entry').id`)
	eval[bool](p, `(location.hash = '#`+passed+`', true)`)
	run(p, chromedp.Poll[bool](`document.getElementById('`+passed+`').open && document.getElementById('`+passed+`').getClientRects().length > 0`))
	eval[bool](p, `(document.getElementById('search').value = 'RT', document.getElementById('search').dispatchEvent(new Event('input', { bubbles: true })), true)`)
	if got := eval[int](p, folded); got != 0 {
		t.Errorf("with a search %d areas are folded", got)
	}
	eval[bool](p, `(document.querySelector('form.filter [type=reset]').click(), true)`)
	run(p, chromedp.Poll[bool](folded+` === `+strconv.Itoa(all)))
	eval[bool](p, `(dispatchEvent(new Event('beforeprint')), true)`)
	if got := eval[int](p, folded); got != 0 {
		t.Errorf("%d areas are folded on paper", got)
	}
	p.quiet()
}

// TestKeyboard: everything on the page can be used without a mouse.
func TestKeyboard(t *testing.T) {
	p := open(t, page(t, 9, 60), desk, "dark")
	p.do(chromedp.KeyEvent("\t"))
	if got := eval[string](p, `document.activeElement.className`); got != "skip" {
		t.Errorf("the first stop is %q, want the link that skips", got)
	}
	p.do(chromedp.KeyEvent("/"))
	if got := eval[string](p, `document.activeElement.id`); got != "search" {
		t.Errorf("the key / leads to %q", got)
	}
	// The browser would not type the key that is taken; its driver does.
	eval[bool](p, `(document.querySelector('form.filter [type=reset]').click(), true)`)
	run(p, chromedp.Poll[bool](`document.getElementById('found').textContent === '9 requirements'`))
	eval[bool](p, `(document.activeElement.blur(), document.querySelector('svg.timeline').focus(), true)`)
	if got := eval[string](p, `getComputedStyle(document.activeElement).outlineStyle`); got == "none" {
		t.Error("the focus on a timeline is not seen")
	}
	told, shown := `document.querySelector('.told').textContent`, `document.querySelector('.shown').textContent`
	before := eval[string](p, shown)
	for _, step := range []struct {
		keys string
		what string
		want string // true if it did what it has to
	}{
		{kb.ArrowRight, "the first request", told + `.startsWith('#')`},
		{kb.ArrowRight, "the second request", told + `.startsWith('#4 ')`},
		{kb.ArrowLeft, "back", told + `.startsWith('#3 ')`},
		{kb.End, "the last request", `!` + told + `.startsWith('#3 ')`},
		{"+", "zoomed in", shown + ` !== '` + before + `'`},
		{"0", "all of it again", shown + ` === '` + before + `'`},
		{"?", "the keys", `!document.querySelector('.keys').hidden`},
		{kb.Escape, "nothing", told + ` === ''`},
	} {
		p.do(chromedp.KeyEvent(step.keys))
		run(p, chromedp.Poll[bool](step.want))
		t.Log(step.what)
	}
	// A tile, by its arrows. An Enter of the driver comes in parts, of which the last may
	// reach the summary that the link leads to.
	eval[bool](p, `(document.querySelector('a.tile').focus(), true)`)
	p.do(chromedp.KeyEvent(kb.ArrowRight))
	run(p, chromedp.Poll[bool](`document.activeElement === document.querySelectorAll('a.tile')[1]`))
	eval[bool](p, `(document.activeElement.click(), true)`)
	run(p, chromedp.Poll[bool](`location.hash !== '' && document.querySelector(location.hash).open`))
	p.quiet()
}

// TestPointer: a tip shows what is under the pointer, the buttons zoom, and a number
// leads to its request.
func TestPointer(t *testing.T) {
	p := open(t, page(t, 9, 60), desk, "light")
	shown := `document.querySelector('.shown').textContent`
	run(p, chromedp.Poll[bool](shown+` !== ''`))
	before := eval[string](p, shown)
	eval[bool](p, `(document.querySelector('.tools [aria-label="Zoom in"]').click(), true)`)
	run(p, chromedp.Poll[bool](shown+` !== '`+before+`'`))
	eval[bool](p, `(document.querySelector('svg.timeline').scrollIntoView({ block: 'center' }), true)`)
	x := eval[float64](p, `document.querySelector('svg.timeline').getBoundingClientRect().left + 600`)
	y := eval[float64](p, `document.querySelector('svg.timeline').getBoundingClientRect().top + 32`)
	p.do(chromedp.MouseEvent("mouseMoved", x, y))
	run(p, chromedp.Poll[bool](`!document.getElementById('tip').hidden && document.getElementById('tip').textContent.length > 3`))
	eval[bool](p, `(document.querySelector('.hash').click(), true)`)
	run(p, chromedp.Poll[bool](`document.querySelector('.told').textContent.startsWith('#3 ')`))
	eval[bool](p, `(document.querySelector('.rows').open = true)`)
	run(p, chromedp.Poll[bool](`document.querySelectorAll('.rows tbody tr').length > 0`))
	p.quiet()
}

// TestWords: beside the timeline are the log lines of the part of it that is in view. A
// line leads to its request, and a request to its line.
func TestWords(t *testing.T) {
	p := open(t, page(t, 3, 60), desk, "light")
	lines := `document.querySelectorAll('.words li').length`
	run(p, chromedp.Poll[bool](lines+` === 10 && document.querySelectorAll('.words li.error').length === 1`))
	if !eval[bool](p, `document.querySelector('pre.last').hidden && document.querySelectorAll('.dot.said').length === 9`) {
		t.Error("the last lines stand there twice, or the lane of the log lacks lines")
	}
	eval[bool](p, `(document.querySelector('svg.timeline').focus(), true)`)
	p.do(chromedp.KeyEvent("+")) // the middle half of twelve seconds
	run(p, chromedp.Poll[bool](lines+` < 10 && `+lines+` > 2`))
	p.do(chromedp.KeyEvent("0"))
	run(p, chromedp.Poll[bool](lines+` === 10`))
	eval[bool](p, `(document.querySelectorAll('.words li button')[4].click(), true)`)
	run(p, chromedp.Poll[bool](`(document.querySelector('.words li.now')?.textContent || '').includes('line 4') && !!document.querySelector('.timeline .now')`))
	p.do(chromedp.KeyEvent("\t"))
	eval[bool](p, `(document.querySelector('.hash').click(), true)`)
	run(p, chromedp.Poll[bool](`document.querySelector('.told').textContent.startsWith('#3 ') && (document.querySelector('.words li.now')?.textContent || '').includes('line 0')`))
	if eval[bool](p, `'broken' in window`) {
		t.Error("what a subject said was run")
	}
	p.quiet()
}

// TestFast: the page of 110 requirements and 50,000 requests can be used within a second.
func TestFast(t *testing.T) {
	file := page(t, 110, 455)
	fastest := 1e9
	for range 5 { // others may use the machine meanwhile
		p := open(t, file, desk, "light")
		took := eval[float64](p, `performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd`)
		t.Logf("usable after %.0f ms", took)
		p.quiet()
		if fastest = min(fastest, took); fastest < 1000 {
			return
		}
	}
	t.Errorf("the page can be used after %.0f ms", fastest)
}
