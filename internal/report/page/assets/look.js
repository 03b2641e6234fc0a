// What was recorded of a scenario: the numbers of the page, made into requests and events.

const data = JSON.parse(document.getElementById('data').textContent);
const said = (n) => data.text[n || 0];
const seconds = (ticks) => (ticks || 0) / 10000;

// Bits of flags, as in data.go.
const APPLY = 1, STREAMING = 2, UNFINISHED = 4, OPTIONAL = 8;

const WRITES = new Set(['create', 'update', 'delete']);

function readRequest(row, proving) {
  const [seq, t, d, replica, verb, kind, name, code, effect, flags, generation, before, fault, text, holder, changed, reason] = row;
  const r = {
    seq, t: seconds(t), d: seconds(d), replica: said(replica), verb: said(verb), kind: said(kind), name: said(name),
    code: code || 0, effect: said(effect), flags: flags || 0, generation: generation || 0, before: before || 0,
    fault: said(fault), said: said(text), holder: said(holder), changed: said(changed), reason: said(reason),
  };
  r.end = r.t + r.d;
  r.write = WRITES.has(r.verb);
  r.failed = r.code >= 400 || (r.code === 0 && !(r.flags & UNFINISHED));
  r.proof = proving.has(seq);
  return r;
}

function readEvent(row) {
  const [seq, t, reason, replica, object, message, flags, took] = row;
  return {
    seq, t: seconds(t), reason: said(reason), replica: said(replica), object: said(object), message: said(message),
    optional: Boolean((flags || 0) & OPTIONAL), took: seconds(took),
  };
}

// readLine of a log.
function readLine(row) {
  const [t, replica, times, bad, words, whole, further] = row;
  return { t: Math.max(0, seconds(t)), replica: said(replica), times, bad: Boolean(bad), text: data.words[words], whole: Boolean(whole), further: further === 1, undated: further === 2 };
}

// readLook of what is drawable.
function readLook(raw) {
  const proving = new Set(raw.proving || []);
  const look = {
    name: said(raw.name), began: new Date(raw.began), length: Math.max(0.001, seconds(raw.length)), judged: raw.judged,
    leftOut: raw.leftOut, requests: raw.requests.map((row) => readRequest(row, proving)), events: raw.events.map(readEvent),
    log: (raw.log || []).map(readLine), unspoken: raw.unspoken || 0,
  };
  look.replicas = [...new Set([...look.requests, ...look.events, ...look.log].map((x) => x.replica).filter(Boolean))].sort();
  return look;
}

// verbOf a request as a person would say it.
function verbOf(r) {
  if (r.verb === 'update' && r.flags & APPLY) return 'apply';
  if (r.verb === 'watch' && r.flags & STREAMING) return 'list and watch';
  return r.verb;
}

// statusOf a request in words: the code is not all of it.
function statusOf(r) {
  if (r.flags & UNFINISHED) return `${r.code || 'no answer yet'}, still open at the end`;
  if (r.code === 0) return 'no answer';
  const effects = { effective: 'changed something', noop: 'changed nothing', refused: 'refused' };
  return r.write && effects[r.effect] ? `${r.code}, ${effects[r.effect]}` : String(r.code);
}

// linesOf a request, for the tip.
function linesOf(r) {
  const lines = [
    `#${r.seq} ${verbOf(r)} ${r.kind} ${r.name}`.trimEnd(),
    `${statusOf(r)} · at ${inWords(r.t)} · took ${inWords(r.d)} · ${r.replica}`,
  ];
  if (r.generation) {
    lines.push(r.before && r.before !== r.generation ? `generation ${r.before} → ${r.generation}` : `generation ${r.generation}`);
  }
  if (r.changed) lines.push(`changed ${r.changed}`);
  if (r.reason) lines.push(`an Event: ${r.reason}`);
  if (r.holder) lines.push(`the Lease is held by ${r.holder}`);
  if (r.fault) lines.push(`hit by the Fault ${r.fault}`);
  if (r.proof) lines.push('proves the failure');
  if (r.said) lines.push(r.said);
  return lines;
}
