// The page: what is drawn, and when.

// drawLooks of an entry, once it is open: to draw all at once would take long.
function drawLooks(entry) {
  const place = entry.querySelector(':scope > .body > .looks');
  if (!place || place.dataset.drawn) return;
  place.dataset.drawn = 'yes';
  for (const raw of data.looks[place.dataset.of] || []) {
    const look = readLook(raw);
    const timeline = new Timeline(look);
    const head = look.judged ? 'What happened' : 'What happened at another look, which is not what is judged here';
    place.append(element('h4', {}, head));
    if (look.leftOut) {
      place.append(element('p', { class: 'note' }, `${look.leftOut} requests or events are not on this page, only in history.jsonl: writes, refusals and what proves a failure come first, and of what is alike the first and the last.`));
    }
    place.append(timeline.root);
    if (look.judged) link(entry, timeline);
    if (timeline.words) { // they have what stands below
      for (const last of entry.querySelectorAll(':scope > .body > .last')) last.hidden = true;
    }
    if (look.judged) place.append(charts(entry, look, place.clientWidth));
  }
}

// link the numbers of requests in the words of an entry to the marks in its timeline.
function link(entry, timeline) {
  const bySeq = new Map(timeline.marks.map((r) => [String(r.seq), r]));
  for (const box of entry.querySelectorAll(':scope > .body > .columns :is(.reason, .violation p, .requests code)')) {
    const parts = box.textContent.split(/#(\d+)\b/);
    if (parts.length < 3) continue;
    box.replaceChildren(...parts.map((part, n) => {
      if (n % 2 === 0) return part;
      const r = bySeq.get(part);
      if (!r) return '#' + part;
      const button = element('button', { type: 'button', class: 'hash', title: 'Show it in the timeline' }, '#' + part);
      button.addEventListener('click', () => {
        timeline.show(r.t - 1, r.end + 1);
        timeline.select(r);
        timeline.svg.focus({ preventScroll: true });
        timeline.root.scrollIntoView({ block: 'center' });
      });
      return button;
    }));
  }
}

// charts of a look that say more than its timeline.
function charts(entry, look, width) {
  const box = element('div', { class: 'charts' });
  const each = Math.max(280, Math.min(560, width >= 900 ? width / 2 - 16 : width - 8));
  const { area, state } = entry.dataset;
  const accused = state !== 'passed' && state !== 'skipped';
  const made = [
    accused || area === 'retries' ? retryChart(look, each) : null,
    accused || area === 'leader-failover' ? takeoverChart(look, each) : null,
    accused || area === 'steady-state' ? rateChart(look, each, area === 'steady-state') : null,
  ];
  box.append(...made.filter(Boolean));
  return box;
}

document.addEventListener('toggle', (event) => {
  if (event.target.open && event.target.matches('details.entry')) drawLooks(event.target);
}, true);

// A command can be taken along.
for (const command of document.querySelectorAll('.command')) {
  const button = element('button', { type: 'button', 'aria-label': 'Copy the command' }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(command.querySelector('code').textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(command.querySelector('code'));
      button.textContent = 'Selected';
    }
  });
  command.append(button);
}

// What failed is printed with all that is folded in it, and a list of the rest.
let folded = [];
addEventListener('beforeprint', () => {
  folded = [...document.querySelectorAll('details.entry:is(.failed, .flaky, .unsure):not([open]), details.rest:not([open])')];
  for (const entry of folded) {
    entry.open = true;
    if (entry.matches('.entry')) drawLooks(entry);
  }
});
addEventListener('afterprint', () => {
  for (const entry of folded) entry.open = false;
});

// On a narrow page, what failed comes before the facts about the run.
if (innerWidth < PHONE) {
  for (const facts of document.querySelectorAll('.about-run')) facts.open = false;
}

applyFilter();
for (const entry of document.querySelectorAll('details.entry[open]')) drawLooks(entry);
if (location.hash) {
  goTo(location.hash);
  // The browser goes to the address when all is loaded, and takes the focus away.
  addEventListener('load', () => setTimeout(() => goTo(location.hash)));
}
document.documentElement.dataset.ready = 'yes';
