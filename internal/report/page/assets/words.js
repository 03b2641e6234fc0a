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
      const by = several ? [element('b', {}, line.replica), ' '] : [];
      const often = line.times > 1 ? [' ', element('i', {}, `(× ${line.times})`)] : [];
      if (line.further) return { ...line, item: element('li', { class: 'further' }, line.text) };
      if (line.undated) return { ...line, item: element('li', line.bad ? { class: 'error' } : {}, ...by, line.text, ...often) };
      const button = element('button', { type: 'button', title: line.whole ? 'Show it in the timeline. The log has whole seconds only' : 'Show it in the timeline' }, line.whole ? `≈ ${Math.round(line.t)} s` : inWords(line.t));
      const item = element('li', line.bad ? { class: 'error' } : {}, button, ' ', ...by, line.text, ...often);
      button.addEventListener('click', () => timeline.point(line.t));
      return { ...line, item };
    });
    this.undated = this.lines.some((line) => line.undated) ? '; those without a time are shown always' : '';
    this.more = unspoken ? `; ${unspoken} more are in its log` : '';
  }

  // show the lines from one time to another.
  show(from, to) {
    const inView = this.lines.filter((line) => line.undated || (line.t >= from && line.t <= to));
    this.list.replaceChildren(...inView.map((line) => line.item));
    this.head.textContent = `What the controller wrote: ${inView.length} of ${this.lines.length} lines in view${this.undated}${this.more}`;
  }

  // at a time, the line that was the last one then, and not a line of its stack.
  at(t) {
    for (const line of this.lines) line.item.classList.remove('now');
    const now = this.lines.findLast((line) => line.t <= t && !line.further && !line.undated);
    if (!now || !now.item.isConnected) return;
    now.item.classList.add('now');
    this.list.scrollTop = now.item.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
  }
}
