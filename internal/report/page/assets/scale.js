// Small helpers: elements, and times in words.

const SVG = 'http://www.w3.org/2000/svg';

// element of HTML, with attributes and with children that are elements or text.
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// drawn is an element of SVG. Its text is never read as markup.
function drawn(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// span of seconds in words that are as long as it needs.
function inWords(seconds) {
  const s = Math.abs(seconds);
  if (s >= 120) return `${+(s / 60).toFixed(1)} min`;
  if (s >= 10) return `${+s.toFixed(1)} s`;
  if (s >= 1) return `${+s.toFixed(2)} s`;
  if (s >= 0.001) return `${+(s * 1000).toFixed(s >= 0.1 ? 0 : 1)} ms`;
  return s === 0 ? '0 s' : '< 1 ms';
}

// stepFor is a round number of seconds, so that about so many fit into a span.
function stepFor(span, count) {
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].find((n) => n * power >= rough) * power;
}

// boxed is a text that never goes beyond a box of so many pixels.
function boxed(attributes, text, x, y, width) {
  const box = drawn('svg', { x, y: y - 10, width: Math.max(0, width), height: 20, overflow: 'hidden' });
  const right = attributes['text-anchor'] === 'end';
  box.append(drawn('text', { ...attributes, x: right ? width : 0, y: 14 }, text));
  return box;
}

// clipped to a number of pixels, by the width of an average letter.
function clipped(text, pixels, letter = 6.4) {
  const most = Math.floor(pixels / letter);
  if (text.length <= most) return text;
  return most < 3 ? '' : text.slice(0, most - 1) + '…';
}
