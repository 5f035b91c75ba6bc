// All events as a table. Only the rows in view are in the document, so that ten thousand scroll like ten.

import {changesInWords} from './comparison.js';
import {byId, h, isTouched, oncePerFrame, refill} from './dom.js';
import {errorType} from './errors.js';
import {DATA, EVENTS, FAMILIES, swatch} from './facts.js';
import {countShown, isVisible} from './filtering.js';
import {openEvent} from './functions.js';
import {cut, nameView, placeView} from './names.js';
import {integer, place, seconds} from './numbers.js';
import {clock, processesSeen, siteInWords, threadsSeen} from './signatures.js';
import {familyName, words} from './words.js';

const ROWS_BEYOND = 8; // drawn above and below what is in view
const TABLE_ROWS = 12; // in view
const SMALL_SCREEN = matchMedia('(max-width: 640px)');

const EVENT_COLUMNS = [
  {key: 'id', sort: (event) => event.id, view: (event) => integer(event.id), numeric: true},
  {key: 'start', sort: (event) => event.start, view: (event) => clock(event.start), numeric: true},
  {key: 'function', sort: (event) => DATA.functions[event.function].name, view: functionCell},
  {key: 'kind', sort: (event) => FAMILIES.indexOf(event.family), view: kindCell},
  {key: 'change', sort: changeText, view: changeCell},
  {key: 'cost', sort: (event) => event.cost, view: (event) => seconds(event.cost), numeric: true, largestFirst: true},
  {key: 'site', sort: (event) => (event.site ? place(event.site) : ''), view: siteCell},
  {key: 'thread', sort: threadText, view: threadCell, shown: () => threadsSeen.size > 1 || processesSeen.size > 1},
];

const eventTable = {sort: 'start', descending: false, rows: [], active: 0, drawn: new Map(), body: null};

function eventColumns() {
  return EVENT_COLUMNS.filter(({shown}) => !shown || shown());
}

export function renderEvents(container) {
  const before = eventTable.rows[eventTable.active];
  const scrolled = eventTable.body?.scrollTop ?? 0;
  eventTable.rows = sortedEvents();
  eventTable.active = Math.max(0, eventTable.rows.indexOf(before));
  eventTable.drawn.clear();
  refill(container, eventsHeading(), eventTable.rows.length ? eventGrid() : h('p.empty', null, words('events.none')));
  if (!eventTable.rows.length) return;
  eventTable.body.scrollTop = scrolled;
  drawEventRows();
}

function eventsHeading() {
  const {shown, all} = countShown();
  const count = shown === all ? integer(all) : words('cards.of', {n: shown, all});
  return h(
    'div.section-head',
    null,
    h('h2', null, words('events.title')),
    h('span.hint.num', null, count),
    h('span.hint.keys', null, words('events.hint')),
  );
}

function sortedEvents() {
  const {sort} = EVENT_COLUMNS.find(({key}) => key === eventTable.sort);
  const rows = EVENTS.filter(isVisible);
  if (eventTable.sort !== 'start') {
    const values = new Map(rows.map((event) => [event, sort(event)]));
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    rows.sort((a, b) => compare(values.get(a), values.get(b)) || a.id - b.id);
  }
  return eventTable.descending ? rows.reverse() : rows;
}

// ---- the frame of the table ----

function eventGrid() {
  const columns = eventColumns();
  const whole = eventTable.rows.length * rowHeight();
  const spacer = h('div', {role: 'presentation', css: {height: `${whole}px`}});
  const head = h('div.event-row', {role: 'row', 'aria-rowindex': '1'}, columns.map(columnHeader));
  const body = h(
    'div.event-body',
    {
      role: 'rowgroup',
      css: {height: `${Math.min(eventTable.rows.length, TABLE_ROWS) * rowHeight()}px`},
      on: {scroll: oncePerFrame(drawEventRows), keydown: walkEvents, focusin: followFocus, click: openClicked},
    },
    spacer,
  );
  eventTable.body = body;
  return h(
    'div.event-table',
    {
      role: 'grid',
      'aria-label': words('events.title'),
      'aria-rowcount': String(eventTable.rows.length + 1),
      'aria-colcount': String(columns.length),
      'aria-readonly': 'true',
      class: columns.length === EVENT_COLUMNS.length ? 'with-threads' : null,
    },
    h('div.event-head', {role: 'rowgroup'}, head),
    body,
  );
}

function columnHeader({key, numeric, largestFirst}) {
  const sorted = eventTable.sort === key;
  const choose = () => {
    eventTable.descending = sorted ? !eventTable.descending : Boolean(largestFirst);
    eventTable.sort = key;
    renderEvents(byId('events'));
    byId(`event-sort-${key}`).focus();
  };
  const arrow = h('span', {'aria-hidden': 'true'}, sorted ? (eventTable.descending ? ' ↓' : ' ↑') : '');
  return h(
    'div',
    {
      role: 'columnheader',
      class: `column-${key}${numeric ? ' num' : ''}`,
      'aria-sort': sorted ? (eventTable.descending ? 'descending' : 'ascending') : 'none',
    },
    h('button', {type: 'button', id: `event-sort-${key}`, on: {click: choose}}, words(`events.column.${key}`), arrow),
  );
}

/** Rows are two lines high where there is no room for columns. */
function rowHeight() {
  return SMALL_SCREEN.matches ? 54 : isTouched() ? 44 : 30;
}

SMALL_SCREEN.addEventListener('change', () => renderEvents(byId('events')));

// ---- the rows in view ----

function drawEventRows() {
  const {body, rows, drawn, active} = eventTable;
  const height = rowHeight();
  const first = Math.max(0, Math.floor(body.scrollTop / height) - ROWS_BEYOND);
  const last = Math.min(rows.length, Math.ceil((body.scrollTop + body.clientHeight) / height) + ROWS_BEYOND);
  const wanted = new Set([active]); // it keeps the focus, and so has to stay, wherever the table is scrolled to
  for (let position = first; position < last; position += 1) wanted.add(position);
  for (const [position, row] of drawn) {
    if (wanted.has(position)) continue;
    row.remove();
    drawn.delete(position);
  }
  let below = null; // rows are put in order, and those that are there are not moved: one of them may have the focus
  for (const position of [...wanted].sort((a, b) => b - a)) {
    if (!drawn.has(position)) {
      drawn.set(position, eventRow(rows[position], position, height));
      body.insertBefore(drawn.get(position), below);
    }
    below = drawn.get(position);
  }
}

function eventRow(event, position, height) {
  return h(
    'div.event-row',
    {
      role: 'row',
      'aria-rowindex': String(position + 2),
      'data-row': String(position),
      tabindex: position === eventTable.active ? '0' : '-1',
      class: event.phase === 'internal' ? 'internal' : null,
      css: {top: `${position * height}px`, '--row': `${height}px`},
    },
    eventColumns().map((column) => eventCell(column, event)),
  );
}

function eventCell({key, view, numeric}, event) {
  return h('div', {role: 'gridcell', class: `column-${key}${numeric ? ' num' : ''}`}, view(event));
}

function functionCell(event) {
  return nameView('span.mono', DATA.functions[event.function]);
}

function kindCell({kind, phase, family}) {
  const isFirstCompilation = kind === 'compile' && phase === 'first';
  return [swatch(family), h('span', null, isFirstCompilation ? words('events.first_compilation') : familyName(family))];
}

/** What changed, in one line; of a failed trace, what it raised. */
export function changeText(event) {
  return event.error ? errorType(event.error) : changesInWords(event);
}

function changeCell(event) {
  const text = changeText(event);
  return text && cut('span.mono', text, {tail: text.length - text.lastIndexOf(' → ') + 4}); // what it became is at the end
}

function siteCell(event) {
  return event.site ? placeView('span.mono', place(event.site), siteInWords(event.site)) : '';
}

function threadText(event) {
  return [processesSeen.size > 1 && event.process, threadsSeen.size > 1 && event.thread].filter(Boolean).join(' · ');
}

function threadCell(event) {
  const text = threadText(event);
  return text && cut('span', text);
}

// ---- going through it ----

function walkEvents(press) {
  const {active, rows} = eventTable;
  const target = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + TABLE_ROWS,
    PageUp: active - TABLE_ROWS,
    Home: 0,
    End: rows.length - 1,
  }[press.key];
  if (press.key === 'Enter' || press.key === ' ') openEvent(rows[active]);
  else if (target == null) return;
  else focusRow(Math.max(0, Math.min(rows.length - 1, target)));
  press.preventDefault();
  press.stopPropagation();
}

function focusRow(position) {
  const {body, drawn} = eventTable;
  activateRow(position);
  const height = rowHeight();
  const top = position * height;
  if (top < body.scrollTop) body.scrollTop = top;
  else if (top + height > body.scrollTop + body.clientHeight) body.scrollTop = top + height - body.clientHeight;
  drawEventRows();
  drawn.get(position).focus({preventScroll: true});
}

function activateRow(position) {
  const {drawn, active} = eventTable;
  drawn.get(active)?.setAttribute('tabindex', '-1');
  eventTable.active = position;
  drawn.get(position)?.setAttribute('tabindex', '0');
}

function rowOf(target) {
  const row = target.closest('[data-row]');
  return row ? Number(row.dataset.row) : null;
}

function followFocus(focus) {
  const position = rowOf(focus.target);
  if (position != null) activateRow(position);
}

function openClicked(click) {
  const position = rowOf(click.target);
  if (position != null && !String(getSelection())) openEvent(eventTable.rows[position]);
}
