// Charts of what a timeline shows badly: how pauses grow, how long a takeover took, and
// how often something is written.

const HIGH = 190, LOW = 150;

// frame of a chart, with its axes. The horizontal one has words; the vertical one is of
// seconds, by their logarithm.
function frame(title, width, low, high, words) {
  const svg = drawn('svg', { class: 'plot', width, height: HIGH, role: 'img', 'aria-label': title });
  const bottom = Math.floor(Math.log10(low)), top = Math.ceil(Math.log10(high));
  const y = (s) => 12 + (LOW - 12) * (1 - (Math.log10(Math.max(s, 10 ** bottom)) - bottom) / Math.max(1, top - bottom));
  for (let power = bottom; power <= top; power++) {
    const at = y(10 ** power);
    svg.append(drawn('line', { class: 'rule', x1: 56, x2: width - 8, y1: at, y2: at }), drawn('text', { x: 50, y: at + 4, 'text-anchor': 'end' }, inWords(10 ** power)));
  }
  svg.append(drawn('text', { x: (56 + width) / 2, y: HIGH - 6, 'text-anchor': 'middle' }, words));
  return { svg, y };
}

// retryGroups are attempts at the same write that were refused again and again.
function retryGroups(look) {
  const groups = new Map();
  for (const r of look.requests.filter((x) => x.write && x.kind !== 'leases' && x.kind !== 'events')) {
    const key = `${r.replica} ${verbOf(r)} ${r.kind} ${r.name}`;
    const list = groups.get(key) || [];
    groups.set(key, list);
    const last = list[list.length - 1];
    if (r.failed && r.code !== 409 && r.code !== 404) {
      if (last && !last.done) last.attempts.push(r);
      else list.push({ key, attempts: [r], done: false });
    } else if (last && !last.done) {
      last.attempts.push(r); // the attempt that got through
      last.done = true;
    }
  }
  return [...groups.values()].flat().filter((g) => g.attempts.length >= 4).sort((a, b) => b.attempts.length - a.attempts.length);
}

// retryChart has the pauses between attempts, beside a doubling and the longest that the
// profile declares.
function retryChart(look, width) {
  const group = retryGroups(look)[0];
  if (!group) return null;
  const pauses = group.attempts.slice(1).map((r, n) => Math.max(0.0005, r.t - group.attempts[n].end));
  const declared = data.times.longestRetryPause || 0;
  const title = `Pauses between ${group.attempts.length} attempts: ${group.key}`;
  const { svg, y } = frame(title, width, Math.min(...pauses), Math.max(...pauses, declared), 'attempt');
  const x = (n) => 70 + (n * (width - 90)) / Math.max(1, pauses.length - 1);
  const doubling = pauses.map((_, n) => `${x(n).toFixed(1)},${y(Math.min(declared || Infinity, pauses[0] * 2 ** n)).toFixed(1)}`);
  svg.append(drawn('polyline', { class: 'expected', points: doubling.join(' ') }));
  if (declared) {
    svg.append(drawn('line', { class: 'limit', x1: 56, x2: width - 8, y1: y(declared), y2: y(declared) }));
  }
  svg.append(drawn('polyline', { class: 'measured', points: pauses.map((p, n) => `${x(n).toFixed(1)},${y(p).toFixed(1)}`).join(' ') }));
  pauses.slice(0, 300).forEach((p, n) => svg.append(drawn('circle', { class: 'measured', cx: x(n), cy: y(p), r: 2.6 })));
  const words = [`${inWords(Math.min(...pauses))} to ${inWords(Math.max(...pauses))} between the attempts (solid, dots)`, 'a doubling of the first pause (dashed)'];
  if (declared) words.push(`the longest pause that the profile declares, ${inWords(declared)} (dotted)`);
  if (look.leftOut) words.push('requests were left out of this page: a pause may be shorter');
  return figure(title, svg, words);
}

// takeovers are changes of the holder of a Lease, with the first write of the new one.
function takeovers(look) {
  const found = [];
  let last = null;
  for (const r of look.requests.filter((x) => x.kind === 'leases' && x.write && !x.failed && x.code)) {
    if (last && r.holder && last.holder && r.holder !== last.holder) {
      const first = look.requests.find((x) => x.write && x.t >= r.t && x.replica === r.replica && x.kind !== 'leases' && x.kind !== 'events' && !x.failed);
      found.push({ from: last.holder, to: r.holder, lease: r.t - last.t, write: first ? first.t - last.t : null });
    }
    if (r.holder || !last) last = r.holder ? r : last;
  }
  return found;
}

// takeoverChart has how long each took, beside the duration of the Lease.
function takeoverChart(look, width) {
  const found = takeovers(look).slice(0, 6);
  const lease = data.times.lease || 0;
  if (!found.length || !lease) return null;
  const title = 'Takeovers, from the last renewal, against the duration of the Lease';
  const longest = Math.max(lease, ...found.map((f) => f.write || f.lease)) * 1.1;
  const height = 34 + found.length * 34;
  const svg = drawn('svg', { class: 'plot', width, height, role: 'img', 'aria-label': title });
  const x = (s) => 8 + (s / longest) * (width - 24);
  svg.append(drawn('line', { class: 'limit', x1: x(lease), x2: x(lease), y1: 4, y2: height - 18 }), drawn('text', { x: Math.min(x(lease), width - 90), y: height - 4 }, `Lease ${inWords(lease)}`));
  found.forEach((f, n) => {
    const y = 8 + n * 34;
    svg.append(drawn('rect', { class: 'bar holder0', x: x(0), y, width: x(f.lease) - x(0), height: 12 }));
    if (f.write !== null) svg.append(drawn('rect', { class: 'bar holder1', x: x(f.lease), y, width: Math.max(2, x(f.write) - x(f.lease)), height: 12 }));
    svg.append(drawn('text', { x: x(0), y: y + 25 }, clipped(`${nick(f.to)} after ${nick(f.from)}: Lease after ${inWords(f.lease)}` + (f.write === null ? ', and no write' : `, first write after ${inWords(f.write)}`), width - 24)));
  });
  return figure(title, svg, []);
}

// rateChart has the writes of each second, where there are many or they go on.
function rateChart(look, width, always) {
  const writes = look.requests.filter((r) => r.write && r.kind !== 'leases');
  if (writes.length < 3 || (!always && writes.length < 40)) return null;
  const count = Math.max(1, Math.ceil(look.length)), bins = Math.min(count, 120), size = look.length / bins;
  const sums = Array.from({ length: bins }, () => ({ effective: 0, noop: 0, refused: 0 }));
  for (const r of writes) sums[Math.min(bins - 1, Math.floor(r.t / size))][r.failed ? 'refused' : r.effect === 'noop' ? 'noop' : 'effective']++;
  const most = Math.max(...sums.map((s) => s.effective + s.noop + s.refused));
  const title = `Writes over time: ${writes.length}, at most ${most} in ${inWords(size)}`;
  const svg = drawn('svg', { class: 'plot', width, height: HIGH - 50, role: 'img', 'aria-label': title });
  const low = HIGH - 74, y = (n) => low - (n / most) * (low - 10), wide = (width - 60) / bins;
  svg.append(drawn('line', { class: 'rule', x1: 44, x2: width - 8, y1: low, y2: low }), drawn('text', { x: 38, y: y(most) + 4, 'text-anchor': 'end' }, String(most)), drawn('text', { x: 38, y: low + 4, 'text-anchor': 'end' }, '0'));
  sums.forEach((s, n) => {
    let done = 0;
    for (const kind of ['effective', 'noop', 'refused']) {
      if (s[kind]) svg.append(drawn('rect', { class: `rate ${kind}`, x: 46 + n * wide, y: y(done + s[kind]), width: Math.max(1, wide - 1), height: y(done) - y(done + s[kind]) }));
      done += s[kind];
    }
  });
  const step = stepFor(look.length, width / 110);
  for (let t = 0; t < look.length; t += step) svg.append(drawn('text', { x: 46 + (t / look.length) * (width - 60), y: low + 16 }, inWords(t)));
  const words = ['changed something (solid), changed nothing (pale), refused (outlined)'];
  if (look.leftOut) words.push('requests were left out of this page: there were more');
  return figure(title, svg, words);
}

function figure(title, svg, words) {
  return element('figure', {}, element('figcaption', {}, element('b', {}, title), ...words.map((w) => element('span', {}, w))), svg);
}
