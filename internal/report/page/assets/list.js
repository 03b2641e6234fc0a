// The list of all requirements: search, filter, and the address of each.

// PHONE is the width below which a page is that of a telephone. The style says the same.
const PHONE = 700;
const entries = [...document.querySelectorAll('details.entry')];
const tiles = [...document.querySelectorAll('a.tile')];
const search = document.getElementById('search');
const filter = document.querySelector('form.filter');

// matches tells whether an entry is what the filter asks for.
function matches(entry, wanted) {
  const own = entry.dataset;
  return wanted.states.has(own.state) && (!wanted.area || own.area === wanted.area) && (!wanted.level || own.level === wanted.level) &&
    wanted.words.every((word) => own.words.includes(word));
}

function applyFilter() {
  const wanted = {
    states: new Set([...filter.querySelectorAll('[name=state]:checked')].map((box) => box.value)),
    area: document.getElementById('area').value, level: document.getElementById('level').value,
    words: search.value.toLowerCase().split(/\s+/).filter(Boolean),
  };
  const shown = new Set(entries.filter((entry) => matches(entry, wanted)).map((entry) => entry.id));
  // An entry that has others in it stays as long as one of them is shown.
  for (const entry of entries) {
    entry.hidden = !shown.has(entry.id) && ![...entry.querySelectorAll('details.entry')].some((inner) => shown.has(inner.id));
  }
  for (const tile of tiles) tile.parentElement.hidden = !shown.has(tile.dataset.of);
  for (const area of document.querySelectorAll('section.area')) area.hidden = !area.querySelector('li:not([hidden])');
  const filtered = shown.size < entries.length;
  for (const rest of document.querySelectorAll('details.rest')) {
    rest.hidden = !rest.querySelector('details.entry:not([hidden])');
    // On a narrow page the sentences would be forty screens long: the tiles stand for them.
    if (innerWidth < PHONE) rest.open = filtered;
  }
  const all = entries.length === 1 ? '1 requirement' : `${entries.length} requirements`;
  document.getElementById('found').textContent = filtered ? `${shown.size} of ${all}` : all;
}

filter.addEventListener('input', applyFilter);
filter.addEventListener('reset', () => setTimeout(applyFilter));
filter.addEventListener('submit', (event) => event.preventDefault());

// goTo the entry that the address names: it is opened, with all that it stands in.
function goTo(hash) {
  const target = document.getElementById(decodeURIComponent(hash.slice(1)));
  if (!target || !target.matches('details.entry')) return;
  target.hidden = false;
  for (let at = target; at; at = at.parentElement) {
    if (at.matches('details')) at.open = true;
    at.hidden = false;
  }
  target.scrollIntoView({ block: 'start' });
  target.querySelector('summary').focus({ preventScroll: true });
}

addEventListener('hashchange', () => goTo(location.hash));
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (link && link.hash === location.hash) goTo(link.hash); // the address does not change
});

// An arrow moves from tile to tile.
document.querySelector('.grid').addEventListener('keydown', (event) => {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const seen = tiles.filter((tile) => !tile.closest('[hidden]'));
  const now = seen.indexOf(document.activeElement);
  if (!by || now < 0) return;
  event.preventDefault();
  seen[(now + by + seen.length) % seen.length].focus();
});

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input, select, textarea')) return;
  event.preventDefault();
  search.focus();
});
