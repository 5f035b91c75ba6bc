// Two signatures side by side: what a trace was asked for, and what stood there before.

import {lastBefore, nearestEarlier} from './comparison.js';
import {h, refill} from './dom.js';
import {eventErrorWords} from './errors.js';
import {DATA, EVENTS, eventsOf, familyOf, swatch, valueAt} from './facts.js';
import {cardHeading, cardOf, selectedTrace, selectTrace} from './functions.js';
import {isFirst} from './grid.js';
import {integer, NBSP, place, seconds} from './numbers.js';
import {eventName, keyFor, words} from './words.js';

const SIGNATURE_ROWS_AT_FIRST = 14;

/** The section *Signature*: the selected trace beside what it was compared with. */
export function signaturePart(index) {
  if (!DATA.functions[index].places.length && !eventsOf(index).some((event) => event.causes.length)) return null;
  const element = h('section.signature-part');
  const show = (position) => refill(element, signatureView(index, position));
  show(selectedTrace(index));
  return {element, select: show};
}

function signatureView(index, position) {
  const {constant, placeNumber} = DATA.functions[index];
  const now = eventsOf(index)[position];
  const nearest = isFirst(now) ? null : nearestEarlier(now);
  const before = isFirst(now) ? null : (nearest ?? lastBefore(now));
  const compared = before != null || now.causes.length > 0;
  const rows = signatureRows(now, before);
  const known = rows.some(({state: how}) => how === 'known');
  const leftOut = constant.filter((path) => !placeNumber.has(path)).length;
  const note = !compared ? 'note_first' : known ? 'note_known' : now.kind === 'compile' ? 'note_compiles' : 'note';
  const columns = [words('cards.place'), compared && comparedWith(now, nearest), eventName(now)].filter(Boolean);
  return [
    cardHeading(words('cards.signature.title'), null, stepButtons(index, position)),
    signatureHead(now),
    h(
      'table.signature',
      null,
      h('thead', null, h('tr', null, columns.map((text) => h('th', {scope: 'col'}, text)))),
      signatureBody(rows, compared),
    ),
    h('p.note', null, words(keyFor(DATA.functions[index], `cards.signature.${note}`))),
    leftOut > 0 && h('p.note', null, words('cards.signature.left_out', {n: leftOut})),
  ];
}

/** What the trace is compared with: a trace by its name, the one before, or one that the recording does not have. */
function comparedWith(event, nearest) {
  if (nearest) return eventName(nearest);
  const before = lastBefore(event);
  const differs = ({path, was, now}) => valueAt(event, path) === now && before && valueAt(before, path) !== was;
  return words(`cards.signature.${event.causes.some(differs) ? 'before_that' : 'before'}`);
}

function stepButtons(index, position) {
  const last = eventsOf(index).length - 1;
  if (last < 1) return null;
  const step = (by, sign, key) =>
    h(
      'button',
      {
        type: 'button',
        'data-step': by,
        'aria-label': words(`cards.signature.${key}`),
        'aria-disabled': String(position + by < 0 || position + by > last),
        on: {
          click: () => {
            selectTrace(index, position + by);
            cardOf(index).body.querySelector(`[data-step="${by}"]`).focus();
          },
        },
      },
      sign,
    );
  const where = h('span.num', null, `${integer(position + 1)} / ${integer(last + 1)}`);
  return h('span.step', null, step(-1, '‹', 'earlier'), step(1, '›', 'later'), where);
}

/** When and where the trace was made, what it cost, and the error that it ended with. */
function signatureHead(event) {
  const facts = [
    words('cards.signature.at', {time: clock(event.start)}),
    event.call != null && words('cards.signature.call', {n: String(event.call)}),
    event.seconds > 0 && words('cards.signature.took', {time: seconds(event.seconds)}),
    event.first_run_seconds > 0 && words('cards.signature.first_run', {time: seconds(event.first_run_seconds)}),
    event.nodes != null && words('cards.signature.nodes', {n: event.nodes}),
    event.site && words('cards.signature.from', {place: siteInWords(event.site)}),
    ...whereabouts(event),
  ];
  return [
    h('p.note.num', null, facts.filter(Boolean).join(' · ')),
    event.error && h('p.error', null, swatch('failed'), h('span', null, eventErrorWords(event))),
  ];
}

/** When something happened, exactly enough to find it in a log: 3.07 s, 12 min 03.1 s. */
export function clock(time) {
  if (time < 120) return `${time.toFixed(2)}${NBSP}s`;
  const tenths = Math.round(time * 10);
  return `${Math.floor(tenths / 600)}${NBSP}min${NBSP}${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}${NBSP}s`;
}

export function siteInWords(site) {
  return site.via ? `${place(site)} (${words('cards.through', {place: site.via})})` : place(site);
}

export const threadsSeen = new Set(EVENTS.map((event) => event.thread));
export const processesSeen = new Set(EVENTS.map((event) => event.process));

/** Thread and process of an event, where there was more than one. */
function whereabouts(event) {
  return [
    threadsSeen.size > 1 && words('cards.thread', {name: event.thread}),
    processesSeen.size > 1 && words('cards.process', {name: event.process}),
  ].filter(Boolean);
}

/**
 * The places of a trace: first those that made it necessary, with what the nearest earlier trace had there; then those
 * that differ from the trace before, but that an earlier one could have served; then the others.
 */
function signatureRows(now, before) {
  const causes = new Map(now.causes.map((cause) => [cause.path, cause]));
  const changed = now.causes.map((cause) => changedRow(now, cause));
  const others = DATA.functions[now.function].places
    .filter((path) => !causes.has(path))
    .map((path) => {
      const [is, was] = [valueAt(now, path), before && valueAt(before, path)];
      return {path, was, now: is, state: is === was || !before ? 'same' : 'known'};
    })
    .filter(({was, now: is}) => was != null || is != null);
  const rank = {changed: 0, known: 1, same: 2};
  return [...changed, ...others].sort((a, b) => rank[a.state] - rank[b.state]);
}

function changedRow(event, {path, code, was, now}) {
  const row = {path, was: was || null, now, state: 'changed', family: familyOf(code)};
  if (was !== now) return row;
  const another = words('cards.signature.another', {value: was}); // objects that look the same
  return {...row, was: another, now: valueAt(event, path) ?? now};
}

function signatureBody(rows, compared) {
  const body = h('tbody');
  const views = rows.map((row) => signatureRow(row, compared));
  const first = views.length > SIGNATURE_ROWS_AT_FIRST + 1 ? SIGNATURE_ROWS_AT_FIRST : views.length;
  body.append(...views.slice(0, first));
  if (first === views.length) return body;
  const rest = h('tr', null, h('td', {colspan: '3'}));
  const button = h('button.tool.more', {type: 'button'}, words('cards.more_places', {n: views.length - first}));
  button.addEventListener('click', () => {
    rest.replaceWith(...views.slice(first));
    views[first].tabIndex = -1;
    views[first].focus();
  });
  rest.firstChild.append(button);
  body.append(rest);
  return body;
}

function signatureRow({path, was, now, state: how, family}, compared) {
  return h(
    'tr',
    {class: how, css: family && {'--c': `var(--${family})`}},
    h('th', {scope: 'row'}, path),
    compared && h('td', null, was ?? '–'),
    h('td', null, how === 'changed' ? h('b', null, now ?? '–') : (now ?? '–')),
  );
}
