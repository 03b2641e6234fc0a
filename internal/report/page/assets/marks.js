// The shapes of requests. Those that look alike are one path, so that thousands cost
// little.

const paths = {
  create: (x, y) => `M${x - 4.5} ${y + 4}h9l-4.5 -8.5z`,
  update: (x, y) => `M${x} ${y - 5}l4.5 5l-4.5 5l-4.5 -5z`,
  delete: (x, y) => `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`,
  watch: (x, y) => `M${x} ${y - 5}v10`,
  list: (x, y) => `M${x} ${y - 5}v10`,
  other: (x, y) => `M${x} ${y - 2}v4`,
  get: (x, y) => `M${x} ${y - 3}v6`,
};

// classOf a request, which says how it is painted.
function classOf(r) {
  const state = r.failed ? 'refused' : r.effect === 'noop' ? 'noop' : r.write ? 'effective' : 'read';
  return r.verb === 'delete' ? `${state} cross` : state;
}

// ring around a request.
const ring = (x, y, radius) => `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`;

// caret below a request that a Fault has hit.
const caret = (x, y) => `M${x - 3} ${y + 10}l3 -4l3 4z`;

// pathsOf marks in one lane, by class. The scale makes pixels of seconds.
function pathsOf(marks, y, scale, from, to) {
  const byClass = new Map();
  const add = (name, path) => byClass.set(name, (byClass.get(name) || '') + path);
  for (const r of marks) {
    if (r.end < from || r.t > to) continue;
    const start = scale(Math.max(r.t, from));
    const wide = scale(Math.min(r.end, to)) - start;
    if (wide > 3) add(r.verb === 'watch' ? 'open' : 'took', `M${start.toFixed(1)} ${y}h${wide.toFixed(1)}`);
    if (r.t < from) continue;
    const x = +scale(r.t).toFixed(1);
    add(classOf(r), (paths[r.verb] || paths.other)(x, y));
    if (r.fault) add('hit', caret(x, y));
    if (r.proof) add('proof', ring(x, y, 8));
  }
  return byClass;
}

// legend of the shapes.
function legend() {
  const box = element('ul', { class: 'legend', 'aria-label': 'What the marks mean' });
  for (const [name, path, words] of [
    ['effective', paths.create(8, 8), 'create'], ['effective', paths.update(8, 8), 'update, apply'], ['effective cross', paths.delete(8, 8), 'delete'],
    ['noop', paths.update(8, 8), 'changed nothing'], ['refused', paths.update(8, 8), 'refused, or no answer'], ['read', paths.list(8, 8), 'list, watch'],
    ['read', paths.get(8, 8), 'get'], ['hit', caret(8, 2), 'hit by a Fault'], ['proof', ring(8, 8, 6), 'proves the failure'],
  ]) {
    const svg = drawn('svg', { width: 16, height: 16, 'aria-hidden': 'true' });
    svg.append(drawn('path', { class: `mark ${name}`, d: path }));
    box.append(element('li', {}, svg, ' ' + words));
  }
  return box;
}
