// What changed: a row per place, a column per trace. What does not fit is reached through a strip that shows all of it.

import {asideOf, changesOfEvent} from './comparison.js';
import {h, isTouched, oncePerFrame, refill} from './dom.js';
import {DATA, eventsOf, familyOf, SILENT, valueAt} from './facts.js';
import {cardHeading, selectedTrace, selectTrace} from './functions.js';
import {GridStrip} from './grid_strip.js';
import {cut, shorten} from './names.js';
import {PAPER_WIDTH} from './printing.js';
import {eventName, familyName, keyFor, words} from './words.js';

const GRID_ROWS_AT_FIRST = 12;
const LONGEST_CELL = 8; // characters
const CHARACTER = 7.3; // pixels: of the grid's type
const NARROWEST_CELL = isTouched() ? 44 : 28;
const FEWEST_COLUMNS = 4;

/**
 * What changed at each trace of a function: a row per place that ever was a cause, the most frequent first. A row has
 * its path and, per trace, a cell: what stood there (`text`) and how that came (`state`). `changed`: it is a cause of
 * the trace, with a `family`. `first`: a process or an object began with it. `known`: the trace before had something
 * else, but an earlier one had this. `same`: as in the trace before.
 */
function changesOf(index) {
  const func = DATA.functions[index];
  const events = eventsOf(index);
  const paths = new Set(func.causes.filter(({code}) => !SILENT.includes(code)).map(({path}) => path));
  const constant = new Set(func.constant);
  for (const path of func.places) if (!constant.has(path)) paths.add(path);
  const rows = [...paths].map((path) => ({path, cells: cellsOf(events, path)}));
  return rows.filter(({cells}) => cells.some(({state: how}) => how === 'changed'));
}

function cellsOf(events, path) {
  const before = new Map(); // by process: each has its own history
  return events.map((event) => {
    const cause = event.causes.find((each) => each.path === path);
    const text = valueAt(event, path) ?? cause?.now ?? '';
    const same = text === before.get(event.process);
    before.set(event.process, text);
    if (cause) return {state: 'changed', text, family: familyOf(cause.code), title: changeAt(event, path)};
    return {state: isFirst(event) ? 'first' : same ? 'same' : 'known', text};
  });
}

/** What became of a place at this trace: "8 → 9"; null where both look the same. */
function changeAt(event, path) {
  const told = changesOfEvent(event);
  const {was, now} = told.changes.find((change) => change.path === path);
  if (!was || was === now) return null;
  return `${was} → ${now}${asideOf(told)}`;
}

/** Is it the first trace of its process or its graph, with nothing before it to compare it with? */
export function isFirst(event) {
  return event.phase === 'first' && !event.causes.length;
}

/** Of an object or an instance, only its number tells it from the others. */
function cellText(text) {
  if (text.length <= LONGEST_CELL) return text;
  return shorten(text.replace(/^.*(?:object|instance) #?(\d+)$/, '#$1'), LONGEST_CELL);
}

/** How many characters the widest cell needs. */
function longestText(rows, atLeast) {
  let longest = atLeast;
  for (const {cells} of rows) {
    for (const cell of cells) if (cell.state !== 'same') longest = Math.max(longest, cellText(cell.text).length);
  }
  return longest;
}

/** The section *What changed*; null where nothing did. */
export function gridPart(index) {
  const changes = changesOf(index);
  if (eventsOf(index).length < 2 || !changes.length) return null;
  return new ChangeGrid(index, changes).part();
}

/** The grid of one function: which columns and rows are shown, and the elements that show them. */
class ChangeGrid {
  constructor(index, changes) {
    this.index = index;
    this.events = eventsOf(index);
    this.changes = changes;
    this.rows = changes.slice(0, GRID_ROWS_AT_FIRST);
    this.first = 0;
    this.columns = this.events.length;
    this.table = h('table.grid');
    const label = `${words('cards.grid.title')}: ${this.func.name}`;
    this.box = h('div.grid-box', {role: 'group', tabindex: '0', 'aria-label': label}, this.table);
    this.range = h('span.num');
    this.strip = new GridStrip(this);
    this.pager = h('div.pager', {hidden: true}, this.strip.element, this.range);
    this.watcher = new ResizeObserver(oncePerFrame(() => this.fit()));
    this.letters = longestText(changes, String(this.events.length).length);
  }

  get func() {
    return DATA.functions[this.index];
  }

  part() {
    const note = words(keyFor(this.func, `cards.grid.note.${this.func.unit}`));
    const heading = cardHeading(words('cards.grid.title'), note);
    this.element = h('section.grid-part', null, heading, this.pager, this.box, this.moreRows());
    return {
      element: this.element,
      attached: () => {
        this.fit();
        if (!this.isInView(selectedTrace(this.index))) this.reveal(selectedTrace(this.index));
        this.watcher.observe(this.element);
      },
      select: (position, {focus}) => {
        this.reveal(position);
        if (focus) this.table.querySelector('[aria-pressed=true]')?.focus({preventScroll: true});
      },
      destroy: () => this.watcher.disconnect(),
    };
  }

  moreRows() {
    const rest = this.changes.length - this.rows.length;
    if (rest <= 0) return null;
    const button = h('button.tool.more', {type: 'button'}, words('cards.grid.more_rows', {n: rest}));
    button.addEventListener('click', () => {
      this.rows = this.changes;
      button.remove();
      this.width = 0;
      this.fit();
      this.box.focus();
    });
    return button;
  }

  /** Find out how many columns there is room for, and draw them. */
  fit() {
    const width = this.element.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    this.cell = Math.max(NARROWEST_CELL, Math.ceil(this.letters * CHARACTER + 10));
    const longestPath = Math.max(...this.rows.map(({path}) => path.length));
    this.head = Math.round(Math.min(longestPath * CHARACTER * 1.1 + 30, width * 0.42, 360));
    const room = Math.floor((width - this.head - 2) / this.cell);
    this.columns = Math.min(this.events.length, Math.max(FEWEST_COLUMNS, room));
    this.pager.hidden = this.columns === this.events.length;
    this.show(this.first);
    if (!this.pager.hidden) this.strip.draw();
  }

  /** Show the columns from `first` on. */
  show(first) {
    this.first = Math.max(0, Math.min(this.events.length - this.columns, Math.round(first)));
    this.draw();
    if (this.pager.hidden) return;
    const [from, to] = [this.first + 1, this.first + this.columns];
    this.range.textContent = words('cards.grid.range', {from, to, n: this.events.length});
    this.strip.mark();
  }

  isInView(position) {
    return position >= this.first && position < this.first + this.columns;
  }

  /** Show the columns around a trace; the same as now where it is among them. */
  reveal(position) {
    this.show(this.isInView(position) ? this.first : position - this.columns / 3);
  }

  draw() {
    const selected = selectedTrace(this.index);
    const shown = this.events.slice(this.first, this.first + this.columns);
    this.setSizes();
    const corner = h('th', {scope: 'col'}, h('span.vh', null, words('cards.place')));
    const heads = shown.map((event, n) => this.columnHead(event, this.first + n, selected));
    refill(
      this.table,
      h('colgroup', null, h('col.path'), shown.map(() => h('col.trace'))),
      h('thead', null, h('tr', null, corner, heads)),
      h('tbody', null, this.rows.map((row) => this.row(row, shown.length, selected))),
    );
  }

  setSizes() {
    const width = this.head + this.columns * this.cell;
    const {style} = this.table;
    style.setProperty('width', `${width}px`);
    style.setProperty('--cell', `${this.cell}px`);
    style.setProperty('--head', `${this.head}px`);
    style.setProperty('--on-paper', String(Math.min(1, (PAPER_WIDTH - 10) / width)));
  }

  columnHead(event, position, selected) {
    const current = position === selected;
    const button = h(
      'button',
      {
        type: 'button',
        class: event.phase === 'failed' ? 'failed' : null,
        'aria-pressed': String(current),
        'aria-label': event.phase === 'failed' ? `${eventName(event)}, ${familyName('failed')}` : eventName(event),
        tabindex: current || (selected < this.first && position === this.first) ? '0' : '-1',
        on: {
          click: () => selectTrace(this.index, position, {focus: true}),
          keydown: (press) => this.walk(press, position),
        },
      },
      String(event.ordinal),
    );
    return h('th', {scope: 'col'}, button);
  }

  walk(press, position) {
    const target = {ArrowRight: position + 1, ArrowLeft: position - 1, Home: 0, End: this.events.length - 1}[press.key];
    if (target == null) return;
    press.preventDefault();
    selectTrace(this.index, target, {focus: true});
  }

  row({path, cells}, count, selected) {
    return h(
      'tr',
      null,
      h('th', {scope: 'row'}, cut('span', path)),
      cells.slice(this.first, this.first + count).map((cell, n) => this.cellView(cell, this.first + n, selected)),
    );
  }

  cellView(cell, position, selected) {
    const {state: how, text, family} = cell;
    const current = position === selected ? 'selected' : null;
    if (how === 'same') return h('td.same', {class: current}, h('span.vh', null, words('cards.grid.same')));
    const title = cell.title ?? (text.length > LONGEST_CELL ? text : null);
    return h(`td.${how}`, {class: current, title, css: family && {'--c': `var(--${family})`}}, cellText(text));
  }
}
