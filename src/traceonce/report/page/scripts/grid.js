// What changed: a row per place, a column per trace. What does not fit is reached through a strip that shows all of it.

const GRID_ROWS_AT_FIRST = 12;
const LONGEST_CELL = 8; // characters
const CHARACTER = 7.3; // pixels: of the grid's type
const NARROWEST_CELL = 28;
const FEWEST_COLUMNS = 4;

/**
 * What changed at each trace of a function: a row per place that ever was a cause, the most frequent first. A row has its
 * path and, per trace, a cell or null: the text of the place, and the `family` of the cause where it was one. A cell
 * that differs from the one before, but that an earlier trace had, has no family.
 */
function changesOf(index) {
  const func = DATA.functions[index];
  const events = eventsOf(index);
  const paths = new Set(func.causes.filter(({code}) => !SILENT.includes(code)).map(({path}) => path));
  const constant = new Set(func.constant);
  for (const path of func.places) if (!constant.has(path)) paths.add(path);
  const rows = [...paths].map((path) => ({path, cells: cellsOf(events, path)}));
  return rows.filter(({cells}) => cells.some((cell) => cell?.family));
}

function cellsOf(events, path) {
  let before;
  return events.map((event) => {
    const cause = event.causes.find((each) => each.path === path);
    const text = valueAt(event, path) ?? cause?.now;
    const differs = text != null && text !== before;
    before = text ?? before;
    if (cause) return {text, family: familyOf(cause.code), was: cause.was, now: cause.now};
    return differs ? {text, family: null} : null;
  });
}

/** Of an object only its number tells it from the others. */
function cellText(text) {
  return shorten(text.length > LONGEST_CELL ? text.replace(/^.* object (?=#\d+$)/, '') : text, LONGEST_CELL);
}

/** How many characters the widest cell needs. */
function longestText(rows, atLeast) {
  let longest = atLeast;
  for (const {cells} of rows) for (const cell of cells) longest = Math.max(longest, cellText(cell?.text ?? '').length);
  return longest;
}

/** The section *What changed*; null where nothing did. */
function gridPart(index) {
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
    this.box = h('div.grid-box', {role: 'group', tabindex: '0', 'aria-label': `${words('cards.grid.title')}: ${this.func.name}`}, this.table);
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
    const note = this.func.verdict === 'recompiling' ? 'cards.grid.note_compiles' : 'cards.grid.note';
    const heading = cardHeading(words('cards.grid.title'), words(note));
    this.element = h('section.grid-part', null, heading, this.pager, this.box, this.moreRows());
    return {
      element: this.element,
      attached: () => {
        this.fit();
        this.reveal(selectedTrace(this.index));
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
    this.columns = Math.min(this.events.length, Math.max(FEWEST_COLUMNS, Math.floor((width - this.head - 2) / this.cell)));
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

  /** Show the columns around a trace, if it is not among those that are shown. */
  reveal(position) {
    const inside = position >= this.first && position < this.first + this.columns;
    this.show(inside ? this.first : position - this.columns / 3);
  }

  draw() {
    const selected = selectedTrace(this.index);
    const shown = this.events.slice(this.first, this.first + this.columns);
    this.table.style.setProperty('--cell', `${this.cell}px`);
    this.table.style.setProperty('--head', `${this.head}px`);
    refill(
      this.table,
      h('colgroup', null, h('col.path'), shown.map(() => h('col.trace'))),
      h('thead', null, h('tr', null, h('th', {scope: 'col'}, h('span.vh', null, words('cards.place'))), shown.map((event, n) => this.columnHead(event, this.first + n, selected)))),
      h('tbody', null, this.rows.map((row) => this.row(row, shown.length, selected))),
    );
  }

  columnHead(event, position, selected) {
    const current = position === selected;
    const button = h(
      'button',
      {
        type: 'button',
        class: event.phase === 'failed' ? 'failed' : null,
        'aria-pressed': String(current),
        'aria-label': event.phase === 'failed' ? `${eventName(event)}, ${words('family.failed')}` : eventName(event),
        tabindex: current || (selected < this.first && position === this.first) ? '0' : '-1',
        on: {click: () => selectTrace(this.index, position), keydown: (press) => this.walk(press, position)},
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
      h('th', {scope: 'row', title: path}, path),
      cells.slice(this.first, this.first + count).map((cell, n) => this.cellView(cell, this.first + n, selected)),
    );
  }

  cellView(cell, position, selected) {
    const current = position === selected ? 'selected' : '';
    if (!cell) return h('td.same', {class: current}, h('span.vh', null, words('cards.grid.same')));
    const text = cell.text ?? '';
    const title = cell.was ? `${cell.was} → ${cell.now}` : text.length > LONGEST_CELL ? text : null;
    const kind = cell.family ? 'changed' : 'known';
    return h(
      `td.${kind}`,
      {class: current, title, css: cell.family ? {'--c': `var(--${cell.family})`} : null},
      cellText(text),
    );
  }
}

/** All columns of a grid at once, a few pixels high: a click or a drag on it goes there. */
class GridStrip {
  constructor(grid) {
    this.grid = grid;
    this.canvas = h('canvas', {'aria-hidden': 'true'});
    this.pane = h('div.strip-pane', {'aria-hidden': 'true'});
    this.element = h(
      'div.strip',
      {
        role: 'slider',
        tabindex: '0',
        'aria-label': words('cards.grid.strip'),
        'aria-orientation': 'horizontal',
        on: {pointerdown: (press) => this.grasp(press), pointermove: (move) => this.drag(move), keydown: (press) => this.step(press)},
      },
      this.canvas,
      this.pane,
    );
    this.go = oncePerFrame((first) => grid.show(first));
  }

  /** Put the pane over the columns that are shown. */
  mark() {
    const {first, columns, events} = this.grid;
    const last = events.length - columns;
    this.pane.style.setProperty('left', `${(first / events.length) * 100}%`);
    this.pane.style.setProperty('width', `${(columns / events.length) * 100}%`);
    this.element.setAttribute('aria-valuemin', '1');
    this.element.setAttribute('aria-valuemax', String(last + 1));
    this.element.setAttribute('aria-valuenow', String(first + 1));
    this.element.setAttribute('aria-valuetext', words('cards.grid.range', {from: first + 1, to: first + columns, n: events.length}));
  }

  grasp(press) {
    if (press.button !== 0) return;
    this.element.setPointerCapture(press.pointerId);
    this.drag(press);
  }

  drag(move) {
    if (!this.element.hasPointerCapture(move.pointerId)) return;
    const box = this.element.getBoundingClientRect();
    const {columns, events} = this.grid;
    this.go(((move.clientX - box.left) / box.width) * events.length - columns / 2);
  }

  step(press) {
    const {first, columns, events} = this.grid;
    const target = {
      ArrowLeft: first - 1,
      ArrowRight: first + 1,
      ArrowDown: first - 1,
      ArrowUp: first + 1,
      PageDown: first - columns,
      PageUp: first + columns,
      Home: 0,
      End: events.length,
    }[press.key];
    if (target == null) return;
    press.preventDefault();
    this.grid.show(target);
  }

  /** A line of pixels per row; where several traces share a pixel, it is the stronger the more of them changed. */
  draw() {
    const {rows, events} = this.grid;
    const scale = devicePixelRatio || 1;
    const line = Math.round(Math.max(3, Math.min(8, 48 / rows.length)) * scale);
    const width = Math.round(this.element.clientWidth * scale);
    this.canvas.width = width;
    this.canvas.height = rows.length * line;
    const context = this.canvas.getContext('2d');
    const perPixel = events.length / width;
    rows.forEach(({cells}, number) => {
      const counts = new Map(); // by family: how many cells of it fall on each pixel
      cells.forEach((cell, position) => {
        if (!cell?.family) return;
        if (!counts.has(cell.family)) counts.set(cell.family, new Uint16Array(width + 1));
        counts.get(cell.family)[Math.floor(position / perPixel)] += 1;
      });
      for (const [family, pixels] of counts) {
        context.fillStyle = styleValue(`--${family}`);
        const wide = Math.max(1, 1 / perPixel);
        pixels.forEach((count, x) => {
          if (!count) return;
          context.globalAlpha = Math.min(1, 0.25 + (0.75 * count) / Math.max(1, perPixel));
          context.fillRect(x, number * line, wide, line - scale);
        });
      }
    });
  }
}
