// A timeline: the lanes of a look, drawn for the part of it that is in view.

const ROW = 22, AXIS = 22, NARROW = 640;

class Timeline {
  constructor(look) {
    this.look = look;
    this.lanes = lanesOf(look);
    this.marks = this.lanes.flatMap((lane) => lane.marks).sort((a, b) => a.seq - b.seq);
    const cleanup = look.events.find((e) => e.reason === 'StepBegan' && e.message === 'cleanup');
    this.whole = [0, cleanup ? Math.min(look.length, cleanup.t + look.length * 0.02) : look.length];
    this.from = 0;
    this.to = this.busy();
    this.selected = null;
    this.at = null; // a time that is pointed at
    const failed = look.events.find((e) => e.reason === 'StepFailed');
    const proof = this.marks.findLast((r) => r.proof);
    this.failed = proof ? proof.t : failed ? failed.t : null; // where the log is opened
    this.build();
  }

  build() {
    this.svg = drawn('svg', { class: 'timeline', tabindex: 0, role: 'group', 'aria-roledescription': 'timeline' });
    this.svg.setAttribute('aria-label', `Timeline of ${this.look.name}: ${this.marks.length} requests in ${inWords(this.look.length)}. Arrows go from request to request.`);
    this.told = element('output', { class: 'told', 'aria-live': 'polite' });
    this.keys = element('p', { class: 'keys', hidden: '' },
      '← → request · with Shift only writes · + − zoom · 0 all · [ ] move · Home End · Enter zooms to it · Esc. With the mouse: drag to move, Ctrl and the wheel to zoom.');
    const button = (text, label, act) => {
      const made = element('button', { type: 'button', 'aria-label': label, title: label }, text);
      made.addEventListener('click', act);
      return made;
    };
    const tools = element('div', { class: 'tools' },
      button('−', 'Zoom out', () => this.zoom(2)), button('+', 'Zoom in', () => this.zoom(0.5)), button('All', 'Show all of it', () => this.show(...this.whole)));
    const at = this.failure();
    if (at) tools.append(button('Failure', 'Zoom to what failed', () => this.show(...at)));
    tools.append(button('?', 'Keys of the timeline', () => { this.keys.hidden = !this.keys.hidden; }));
    this.shown = element('span', { class: 'shown' });
    tools.append(this.shown);
    const drawing = element('div', {}, this.svg, ...(this.silence ? [element('p', { class: 'silence' }, this.silence)] : []), this.told, legend());
    this.words = this.look.log.length ? new Words(this) : null;
    const beside = element('div', { class: this.words ? 'beside' : 'alone' }, drawing, ...(this.words ? [this.words.root] : []));
    this.root = element('div', { class: 'chart' }, tools, this.keys, beside, this.table());
    listenTo(this);
    new ResizeObserver(() => this.draw()).observe(this.root);
  }

  // busy is the end of the part to look at first: where a scenario ends by waiting in vain,
  // all that happened would be squeezed into a corner.
  busy() {
    const last = Math.max(0, ...this.marks.filter((r) => r.verb !== 'watch' && r.t <= this.whole[1]).map((r) => r.end));
    const silent = this.whole[1] - last;
    if (!this.marks.length || silent < this.whole[1] * 0.5 || silent < 5) return this.whole[1];
    const failed = this.lanes.flatMap((lane) => lane.bars).find((b) => b.kind === 'broken');
    this.silence = `After ${inWords(last)} there is no request until ${inWords(this.whole[1])}, where the scenario ends.`;
    return Math.min(this.whole[1], Math.max(last, failed ? failed.from : 0) * 1.4);
  }

  // failure is the part of it in which something failed: the requests that prove it, or the
  // step.
  failure() {
    const proof = this.marks.filter((r) => r.proof);
    const step = this.lanes.flatMap((lane) => lane.bars).find((b) => b.kind === 'broken');
    const [from, to] = proof.length ? [proof[0].t, proof[proof.length - 1].end] : step ? [step.from, step.to] : [0, 0];
    if (to <= from) return null;
    const margin = Math.max((to - from) * 0.1, 0.02);
    return [from - margin, to + margin];
  }

  // show a part of it.
  show(from, to) {
    const span = Math.min(Math.max(to - from, 0.002), this.look.length);
    this.from = Math.min(Math.max(0, from), this.look.length - span);
    this.to = this.from + span;
    this.draw();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  move(share) {
    const by = (this.to - this.from) * share;
    this.show(this.from + by, this.to + by);
  }

  draw() {
    const width = Math.floor(this.told.clientWidth);
    if (!width || this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint(width);
    });
  }

  paint(width) {
    const narrow = width < NARROW;
    this.left = narrow ? 4 : 168;
    this.right = width - 8;
    this.row = narrow ? ROW + 12 : ROW;
    this.scale = (t) => this.left + ((t - this.from) / (this.to - this.from)) * (this.right - this.left);
    const height = AXIS + this.lanes.length * this.row + 4;
    this.svg.setAttribute('width', width);
    this.svg.setAttribute('height', height);
    const parts = [this.axis(height), ...this.lanes.map((lane, n) => this.lane(lane, n, narrow))];
    this.svg.replaceChildren(...parts);
    this.pointAt();
    this.shown.textContent = `${inWords(this.from)} – ${inWords(this.to)} of ${inWords(this.look.length)}`;
    if (this.rows && this.rows.open) this.fill();
    if (this.words) {
      this.words.root.style.setProperty('--drawing', `${height}px`);
      this.words.show(this.from, this.to);
      const at = this.at === null ? this.failed : this.at;
      if (at !== null) this.words.at(at);
    }
  }

  axis(height) {
    const group = drawn('g', { class: 'axis' });
    const step = stepFor(this.to - this.from, (this.right - this.left) / 90);
    for (let t = Math.ceil(this.from / step) * step; t <= this.to + step / 1e6; t += step) {
      const x = this.scale(t);
      group.append(drawn('line', { x1: x, x2: x, y1: AXIS - 4, y2: height }));
      if (x < this.right - 24) group.append(drawn('text', { x: x + 3, y: AXIS - 8 }, inWords(t)));
    }
    return group;
  }

  lane(lane, n, narrow) {
    const top = AXIS + n * this.row, y = top + this.row - ROW / 2;
    const group = drawn('g', { class: lane.head ? 'lane head' : 'lane' });
    group.append(drawn('rect', { class: n % 2 ? 'even' : 'odd', x: 0, y: top, width: this.right + 8, height: this.row }));
    const room = narrow ? this.right - 8 : this.left - 16;
    group.append(boxed({ class: 'label' }, clipped(lane.label, room), narrow || lane.head ? 4 : 12, narrow ? top + 7 : y, room));
    lane.bars.forEach((bar, at) => this.bar(group, bar, y, lane.bars[at + 1]));
    for (const [name, path] of pathsOf(lane.marks, y, this.scale, this.from, this.to)) {
      group.append(drawn('path', { class: `mark ${name}`, d: path }));
    }
    lane.dots.forEach((dot, at) => {
      if (dot.t < this.from || dot.t > this.to) return;
      const x = this.scale(dot.t), next = lane.dots[at + 1];
      group.append(drawn('path', { class: `dot ${dot.kind}`, d: dot.kind === 'renewal' ? `M${x} ${y + 5}v4` : `M${x} ${y - 8}v16` }));
      const room = Math.min(this.right, next ? this.scale(next.t) : this.right) - x - 8;
      const text = dot.label && clipped(dot.label, room);
      if (text) group.append(boxed({ class: `on ${dot.kind}` }, text, x + 4, y, room));
    });
    return group;
  }

  bar(group, bar, y, next) {
    if (bar.to >= this.from && bar.from <= this.to) {
      const x = Math.max(this.left, this.scale(bar.from)), end = Math.min(this.right, this.scale(bar.to));
      group.append(drawn('rect', { class: `bar ${bar.kind}`, x, y: y - 8, width: Math.max(1.5, end - x), height: 16, rx: 2 }));
      const text = clipped(bar.text, end - x - 8, bar.kind === 'broken' ? 7.2 : undefined); // bold
      if (text) group.append(boxed({ class: `on ${bar.kind}` }, text, x + 4, y, end - x - 6));
    }
    if (bar.end && bar.to >= this.from && bar.to <= this.to) this.end(group, bar, y, next);
  }

  // end of a bar in words: behind it, if there is room, otherwise at its right edge.
  end(group, bar, y, next) {
    const end = this.scale(bar.to), behind = Math.min(this.right, next ? this.scale(next.from) : this.right) - end - 8;
    const within = end - Math.max(this.left, this.scale(bar.from)) - 46; // beside the word at its left edge
    const [short] = bar.end.split(':');
    const room = clipped(bar.end, behind) === bar.end || behind >= within ? behind : within;
    const text = [bar.end, short].find((words) => clipped(words, room) === words) || clipped(bar.end, room);
    if (!text) return;
    if (room === behind) group.append(boxed({ class: 'on end' }, text, end + 5, y, behind));
    else group.append(boxed({ class: 'on end', 'text-anchor': 'end' }, text, end - within - 5, y, within));
  }

  // point at a time.
  point(t) {
    this.at = t;
    const span = this.to - this.from;
    if (t < this.from || t > this.to) this.show(t - span / 2, t + span / 2);
    else this.draw();
  }

  // pointAt the time and the request that are selected.
  pointAt() {
    if (this.at !== null && this.at >= this.from && this.at <= this.to) {
      const x = this.scale(this.at);
      this.svg.append(drawn('line', { class: 'now', x1: x, x2: x, y1: AXIS - 4, y2: this.svg.getAttribute('height') }));
    }
    const r = this.selected;
    if (!r || r.t < this.from || r.t > this.to) return;
    const n = this.lanes.findIndex((lane) => lane.marks.includes(r));
    const y = AXIS + n * this.row + this.row - ROW / 2;
    this.svg.append(drawn('path', { class: 'selected', d: ring(this.scale(r.t), y, 9) }));
  }

  select(r) {
    this.selected = r;
    this.at = r ? r.t : null;
    this.told.replaceChildren(...(r ? linesOf(r) : []).map((line) => element('span', {}, line)));
    const span = this.to - this.from;
    if (r && (r.t < this.from || r.t > this.to)) this.show(r.t - span / 2, r.t + span / 2);
    else this.draw();
  }

  // next request that may be selected, in a direction.
  next(direction, writes) {
    const list = writes ? this.marks.filter((r) => r.write) : this.marks;
    if (!list.length) return;
    const now = this.selected;
    const later = direction > 0 ? list.find((r) => (now ? r.seq > now.seq : r.t >= this.from)) : list.findLast((r) => (now ? r.seq < now.seq : r.t <= this.to));
    this.select(later || now || list[0]);
  }

  table() {
    this.rows = element('details', { class: 'rows' }, element('summary', {}, `These requests as a table`), element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Requests in view' }));
    this.rows.addEventListener('toggle', () => { if (this.rows.open) this.fill(); });
    return this.rows;
  }

  fill() {
    const most = 200;
    const inView = this.marks.filter((r) => r.end >= this.from && r.t <= this.to);
    const body = element('tbody');
    for (const r of inView.slice(0, most)) {
      const cells = [`#${r.seq}`, inWords(r.t), r.replica, verbOf(r), `${r.kind} ${r.name}`, statusOf(r), inWords(r.d), [r.fault && `Fault ${r.fault}`, r.changed && `changed ${r.changed}`, r.reason, r.said].filter(Boolean).join('; ')];
      body.append(element('tr', { class: classOf(r) + (r.proof ? ' proof' : '') }, ...cells.map((cell) => element('td', {}, cell))));
    }
    const heads = ['#', 'at', 'replica', 'verb', 'object', 'status', 'took', 'said'].map((name) => element('th', { scope: 'col' }, name));
    const about = inView.length > most ? `The first ${most} of ${inView.length} in view: zoom in for the others.` : `${inView.length} in view.`;
    this.rows.lastChild.replaceChildren(element('p', {}, about), element('table', {}, element('thead', {}, element('tr', {}, ...heads)), body));
  }
}
