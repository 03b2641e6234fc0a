// The lanes of a timeline: what happened, by whose doing it was. A lane has bars, which
// last, dots, which do not, and marks, which are requests.

// stepLane has the steps of the scenario, up to its clean-up.
function stepLane(look) {
  const began = look.events.filter((e) => e.reason === 'StepBegan');
  const failed = look.events.filter((e) => e.reason === 'StepFailed').map((e) => e.message);
  const bars = began.map((e, n) => {
    const to = n + 1 < began.length ? began[n + 1].t : look.length;
    const broken = failed.includes(e.message);
    const kind = broken ? 'broken' : (e.message.match(/^(given|when|then)\b/i) || ['other'])[0].toLowerCase();
    return { from: e.t, to, kind, text: (broken ? '✕ ' : '') + e.message };
  });
  return bars.length ? [{ label: 'scenario', title: 'steps of the scenario', bars, dots: [], marks: [] }] : [];
}

// actsLane has what the scenario itself wrote or ran, such as the change of a field.
function actsLane(look) {
  const acts = look.events.filter((e) => e.reason === 'ScenarioActed');
  const dots = acts.map((e) => ({ t: e.t, kind: 'act', text: e.message, label: e.message }));
  return dots.length ? [{ label: 'by the scenario', title: 'what the scenario itself wrote or ran', bars: [], dots, marks: [] }] : [];
}

// faultLanes have a lane for each Fault: while it was armed, and what it hit.
function faultLanes(look) {
  const lanes = new Map();
  for (const e of look.events.filter((x) => x.object.startsWith('Fault/'))) {
    const name = e.object.slice('Fault/'.length);
    const lane = lanes.get(name) || { label: name, title: `Fault ${name}`, group: 'fault', bars: [], dots: [], marks: [] };
    lanes.set(name, lane);
    const last = lane.bars[lane.bars.length - 1];
    if (e.reason === 'FaultArmed') {
      lane.bars.push({ from: e.t, to: look.length, kind: 'fault', text: `${e.optional ? 'may' : 'must'} fire: ${e.message}` });
    } else if (['FaultRemoved', 'FaultExhausted'].includes(e.reason) && last) {
      last.to = Math.min(last.to, e.t);
    } else {
      lane.dots.push({ t: e.t, kind: e.reason === 'FaultInvalid' ? 'bad' : 'fault', text: `${e.reason}: ${e.message}` });
    }
  }
  for (const [name, lane] of lanes) {
    for (const r of look.requests.filter((x) => x.fault === name)) {
      lane.dots.push({ t: r.t, kind: 'fault', text: `hit ${linesOf(r)[0]}` });
    }
  }
  return [...lanes.values()];
}

const ABOUT_REPLICAS = /^Replica|^WebhookCut$/;

// disruptionLane has what the bench did to the controller.
function disruptionLane(look) {
  const dots = look.events.filter((e) => e.object.startsWith('Disruption/')).map((e) => ({
    t: e.t, kind: e.reason === 'DisruptionFailed' ? 'bad' : 'fault', text: `${e.object.slice('Disruption/'.length)}: ${e.message}`,
  }));
  return dots.length ? [{ label: 'disruptions', title: 'what the bench did to the controller', bars: [], dots, marks: [] }] : [];
}

// nick is what a holder calls itself, without the number that makes it unique.
const nick = (holder) => holder.split('_')[0];

// leaseLanes show who held each Lease, as the accepted writes of it say.
function leaseLanes(look) {
  const lanes = new Map();
  const writes = look.requests.filter((r) => r.kind === 'leases' && r.write && !r.failed && r.code);
  for (const r of writes) {
    const lane = lanes.get(r.name) || { label: 'lease', title: `who holds the Lease ${r.name}`, bars: [], dots: [], marks: [] };
    lanes.set(r.name, lane);
    const last = lane.bars[lane.bars.length - 1];
    const holder = r.holder || 'nobody';
    if (!last || last.holder !== holder) {
      if (last) last.to = r.end;
      const known = [...new Set(lane.bars.map((b) => b.holder))];
      const nth = known.includes(holder) ? known.indexOf(holder) : known.length;
      lane.bars.push({ from: r.end, to: look.length, kind: holder === 'nobody' ? 'other' : `holder${nth % 2}`, text: nick(holder), tip: holder, holder });
    }
    lane.dots.push({ t: r.t, kind: 'renewal', text: `${linesOf(r)[0]} by ${r.replica}` });
  }
  return [...lanes.values()];
}

// inPlain is the reason of an event about a replica, in plain words: ReplicaCrashed, crashed.
const inPlain = (reason) => reason.replace('Replica', '').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

// lifeLane of a replica: its processes, how they ended, and when it was cut off.
function lifeLane(look, replica) {
  const lane = { label: replica, title: `processes of ${replica}`, head: true, bars: [], dots: [], marks: [] };
  for (const e of look.events.filter((x) => x.replica === replica && ABOUT_REPLICAS.test(x.reason))) {
    const last = lane.bars[lane.bars.length - 1];
    if (e.reason === 'ReplicaStarted') {
      lane.bars.push({ from: e.t, to: look.length, kind: 'life', text: 'runs' });
    } else if (['ReplicaPartitioned', 'ReplicaHealed', 'ReplicaSilenced', 'ReplicaHeard', 'WebhookCut', 'ReplicaStartFailed'].includes(e.reason)) {
      lane.dots.push({ t: e.t, kind: 'fault', text: `${e.reason} ${e.message}` });
    } else {
      const bad = ['ReplicaCrashed', 'ReplicaLost', 'ReplicaOverLimit'].includes(e.reason);
      if (last && last.to === look.length) {
        last.to = e.t;
        last.end = `${inPlain(e.reason)}: ${e.message.split('; its last words')[0]}`;
        last.tip = `${inPlain(e.reason)}: ${e.message}`;
      }
      lane.dots.push({ t: e.t, kind: bad ? 'bad' : 'end', text: `${inPlain(e.reason)}: ${e.message}` });
    }
  }
  return lane;
}

// most rows of resources that a replica has. Those that are seldom written share the last.
const MOST_ROWS = 9;

// replicaLanes have a row for each kind of object that the replica sent requests about;
// what it wrote stands above what it only read.
function replicaLanes(look, replica) {
  const byKind = new Map();
  for (const r of look.requests.filter((x) => x.replica === replica)) {
    if (!byKind.has(r.kind)) byKind.set(r.kind, []);
    byKind.get(r.kind).push(r);
  }
  const weight = (kind) => (['leases', 'events', 'no object'].indexOf(kind) + 1) * 1e6 - byKind.get(kind).filter((r) => r.write).length;
  const kinds = [...byKind.keys()].sort((a, b) => weight(a) - weight(b) || a.localeCompare(b));
  const rows = kinds.slice(0, MOST_ROWS).map((kind) => ({ label: kind, title: `${kind}, by ${replica}`, bars: [], dots: [], marks: byKind.get(kind) }));
  if (kinds.length > MOST_ROWS) {
    const rest = kinds.slice(MOST_ROWS).flatMap((kind) => byKind.get(kind)).sort((a, b) => a.seq - b.seq);
    rows.push({ label: 'others', title: `other requests by ${replica}`, bars: [], dots: [], marks: rest });
  }
  return [lifeLane(look, replica), ...logLane(look, replica), ...rows];
}

// logLane of a replica has a stroke for each line that it wrote.
function logLane(look, replica) {
  const lines = look.log.filter((line) => line.replica === replica && !line.undated);
  const dots = lines.map((line) => ({ t: line.t, kind: line.bad ? 'bad' : 'said', text: line.text }));
  return dots.length ? [{ label: 'log', title: `what ${replica} wrote`, bars: [], dots, marks: [] }] : [];
}

const MOST_OBJECTS = 8;

// objectLanes show the generations of objects, as far as the answers to writes tell them.
function objectLanes(look) {
  const lanes = new Map();
  for (const r of look.requests.filter((x) => x.write && x.generation)) {
    const name = `${r.kind.split('/')[0]} ${r.name}`;
    if (!lanes.has(name) && lanes.size === MOST_OBJECTS) continue;
    const lane = lanes.get(name) || { label: name, title: `generations of ${name}, as the answers to writes tell them`, group: 'object', bars: [], dots: [], marks: [] };
    lanes.set(name, lane);
    const last = lane.bars[lane.bars.length - 1];
    if (last && last.generation >= r.generation) continue;
    if (last) last.to = r.end;
    lane.bars.push({
      from: r.end, to: look.length, kind: lane.bars.length % 2 ? 'object1' : 'object0', generation: r.generation, text: `g${r.generation}`,
      tip: `generation ${r.generation} of ${name}, in the answer to #${r.seq}`,
    });
  }
  return lanes.size ? [{ label: 'generations', title: 'generations of objects, as the answers to writes tell them', head: true, bars: [], dots: [], marks: [] }, ...lanes.values()] : [];
}

// lanesOf a look, from top to bottom.
function lanesOf(look) {
  return [
    ...stepLane(look), ...actsLane(look), ...faultLanes(look), ...disruptionLane(look), ...leaseLanes(look),
    ...look.replicas.flatMap((replica) => replicaLanes(look, replica)), ...objectLanes(look),
  ];
}
