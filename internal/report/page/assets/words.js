// What the replicas wrote, beside the timeline: the lines of the part of it that is in view.

class Words {
  constructor(timeline) {
    this.timeline = timeline;
    const { log, unspoken } = timeline.look;
    this.head = element('h4', {});
    this.list = element('ol', { tabindex: 0, 'aria-label': 'What the controller wrote, in view' });
    this.root = element('aside', { class: 'words' }, this.head, this.list);
    const several = timeline.look.replicas.length > 1;
    this.lines = log.map((line) => {
      if (line.further) return { ...line, item: element('li', { class: 'further' }, line.text) };
      const button = element('button', { type: 'button', title: line.whole ? 'Show it in the timeline. The log has whole seconds only' : 'Show it in the timeline' }, line.whole ? `≈ ${Math.round(line.t)} s` : inWords(line.t));
      const item = element('li', line.bad ? { class: 'error' } : {}, button, ' ', ...(several ? [element('b', {}, line.replica), ' '] : []), line.text);
      if (line.times > 1) item.append(' ', element('i', {}, `(× ${line.times})`));
      button.addEventListener('click', () => timeline.point(line.t));
      return { ...line, item };
    });
    this.more = unspoken ? `; ${unspoken} more are in its log` : '';
  }

  // show the lines from one time to another.
  show(from, to) {
    const inView = this.lines.filter((line) => line.t >= from && line.t <= to);
    this.list.replaceChildren(...inView.map((line) => line.item));
    this.head.textContent = `What the controller wrote: ${inView.length} of ${this.lines.length} lines in view${this.more}`;
  }

  // at a time, the line that was the last one then, and not a line of its stack.
  at(t) {
    for (const line of this.lines) line.item.classList.remove('now');
    const now = this.lines.findLast((line) => line.t <= t && !line.further);
    if (!now || !now.item.isConnected) return;
    now.item.classList.add('now');
    this.list.scrollTop = now.item.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
  }
}
