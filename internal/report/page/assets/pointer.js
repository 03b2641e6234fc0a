// How a timeline is worked: by pointer, by wheel and by keys.

const tip = document.getElementById('tip');

function showTip(lines, x, y) {
  tip.replaceChildren(...lines.map((line) => element('div', {}, line)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
  tip.style.top = `${y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 18}px`;
}

const hideTip = () => { tip.hidden = true; };

// whatIsAt a point of a timeline: the nearest request, else a dot, else a bar, else the
// lane.
function whatIsAt(timeline, x, y) {
  const lane = timeline.lanes[Math.floor((y - AXIS) / timeline.row)];
  if (!lane) return null;
  const t = timeline.from + ((x - timeline.left) / (timeline.right - timeline.left)) * (timeline.to - timeline.from);
  const distance = (r) => Math.abs(timeline.scale(r.t) - x);
  let best = null;
  for (const r of lane.marks) {
    if (distance(r) < 8 && (!best || distance(r) - (r.write ? 3 : 0) < distance(best) - (best.write ? 3 : 0))) best = r;
  }
  best = best || lane.marks.find((r) => r.t <= t && t <= r.end && timeline.scale(r.end) - timeline.scale(r.t) > 3);
  if (best) return { request: best, lines: linesOf(best) };
  const dot = lane.dots.find((d) => Math.abs(timeline.scale(d.t) - x) < 6);
  if (dot) return { lines: [dot.text, `at ${inWords(dot.t)}`] };
  const bar = lane.bars.find((b) => b.from <= t && t <= b.to);
  if (bar && x >= timeline.left) return { lines: [bar.tip || bar.text, `${inWords(bar.from)} – ${inWords(bar.to)}`] };
  return { lines: [lane.title] };
}

// listenTo what is done to a timeline.
function listenTo(timeline) {
  const svg = timeline.svg;
  let dragged = null;
  const place = (event) => {
    const box = svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  svg.addEventListener('pointermove', (event) => {
    if (dragged) {
      const by = ((dragged.x - event.clientX) / (timeline.right - timeline.left)) * (dragged.to - dragged.from);
      if (Math.abs(dragged.x - event.clientX) > 3) dragged.far = true;
      if (dragged.far) timeline.show(dragged.from + by, dragged.to + by);
      return;
    }
    const found = whatIsAt(timeline, ...place(event));
    if (found) showTip(found.lines, event.clientX, event.clientY);
    else hideTip();
  });
  svg.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    dragged = { x: event.clientX, from: timeline.from, to: timeline.to, far: false };
    if (event.pointerType === 'mouse') svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener('pointerup', (event) => {
    if (dragged && !dragged.far) {
      const found = whatIsAt(timeline, ...place(event));
      if (found && found.request) timeline.select(found.request);
    }
    dragged = null;
  });
  svg.addEventListener('pointercancel', () => { dragged = null; });
  svg.addEventListener('pointerleave', () => { hideTip(); });
  svg.addEventListener('wheel', (event) => {
    const [x] = place(event);
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const at = timeline.from + ((x - timeline.left) / (timeline.right - timeline.left)) * (timeline.to - timeline.from);
      timeline.zoom(event.deltaY > 0 ? 1.25 : 0.8, at);
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      timeline.move(event.deltaX / 800);
    }
  }, { passive: false });
  svg.addEventListener('keydown', (event) => {
    const act = {
      ArrowRight: () => timeline.next(1, event.shiftKey), ArrowLeft: () => timeline.next(-1, event.shiftKey),
      Home: () => timeline.select(timeline.marks[0] || null), End: () => timeline.select(timeline.marks[timeline.marks.length - 1] || null),
      '+': () => timeline.zoom(0.5, timeline.selected ? timeline.selected.t : undefined), '=': () => timeline.zoom(0.5), '-': () => timeline.zoom(2),
      0: () => timeline.show(...timeline.whole), '[': () => timeline.move(-0.5), ']': () => timeline.move(0.5),
      Enter: () => { if (timeline.selected) timeline.show(timeline.selected.t - 0.5, timeline.selected.t + 0.5); },
      Escape: () => { hideTip(); timeline.select(null); }, '?': () => { timeline.keys.hidden = !timeline.keys.hidden; },
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
}
