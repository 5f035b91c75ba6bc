// Why a function was traced again: its causes in words, with what was seen at each place.

import {h} from './dom.js';
import {errorsOf, raisedWords} from './errors.js';
import {eventsOf, eventsOfFunctions, familyOf, isReadOff, listingOf, SILENT, swatch, valueAt} from './facts.js';
import {cardHeading, fixIsAbove, shownAbove} from './functions.js';
import {shorten} from './names.js';
import {memory} from './numbers.js';
import {state} from './state.js';
import {inEnglish, keyFor, phrase, sentencesOf, withCode, words} from './words.js';

const CAUSES_AT_FIRST = 6;
const PATHS_AT_FIRST = 4;
const CONSTANTS_AT_FIRST = 8;
const BREAKS_AT_FIRST = 3;
const REMARKS_AT_FIRST = 7;
const VALUES_AT_FIRST = 7;
const LONGEST_VALUE = 60; // characters

/** The section *Why*: the causes, what never changed, and what else is known of the function. */
export function whyPart(func) {
  const items = causesTogether(func).map((causes) => causeItem(func, causes));
  return h(
    'section.why-part',
    null,
    cardHeading(words('cards.why'), reasonInWords(func)),
    items.length > 0 && moreOf(h('ul.causes'), items, CAUSES_AT_FIRST, 'cards.more_causes'),
    shownAbove(func) && fixIsAbove(),
    constantPlaces(func),
    remarks(func),
  );
}

/** Why the verdict is what it is. */
function reasonInWords(func) {
  return func.reason[state.language];
}

// ---- causes that come together ----

/**
 * The causes of a function, those that always came together as one: 120 features that grow at the same traces are one
 * thing to change.
 */
export function causesTogether(func) {
  const cameAt = new Map();
  for (const event of eventsOfFunctions[func.index]) {
    for (const {code, path} of event.causes) {
      const key = `${code} ${path}`;
      if (!cameAt.has(key)) cameAt.set(key, []);
      cameAt.get(key).push(event.id);
    }
  }
  const groups = new Map();
  for (const cause of func.causes) {
    const when = cameAt.get(`${cause.code} ${cause.path}`)?.join() ?? cause.path; // a finding has no event: it is alone
    const key = `${cause.code} ${cause.evidence} ${cause.note ?? ''} ${when}`;
    if (groups.has(key)) groups.get(key).push(cause);
    else groups.set(key, [cause]);
  }
  return [...groups.values()];
}

function causeItem(func, causes) {
  const [cause] = causes;
  const together = causes.length > 1 && [words('cards.semicolon'), words('cards.together')];
  return h(
    'li',
    null,
    swatch(familyOf(cause.code)),
    h(
      'div',
      null,
      h('div', null, placesOf(causes)),
      h('p', null, causeInWords(cause), howOften(func, cause), together),
      valuesView(func, causes),
    ),
  );
}

function placesOf(causes) {
  const paths = causes.map(({path}) => path);
  const first = paths.slice(0, PATHS_AT_FIRST).map((path, position) => [position > 0 && ', ', h('code', null, path)]);
  return [first, evidenceTag(causes[0]), theOtherPlaces(paths.slice(PATHS_AT_FIRST))];
}

function theOtherPlaces(paths) {
  if (!paths.length) return null;
  const summary = h('summary', null, words('cards.more_places', {n: paths.length}));
  return h('details', null, summary, h('code', null, paths.join(', ')));
}

function evidenceTag({evidence}) {
  return h('span.evidence', {title: words(`cards.evidence_note.${evidence}`)}, words(`cards.evidence.${evidence}`));
}

// ---- in words ----

/** What happened at this place: the same words as in the report for terminals. */
export function causeInWords(cause) {
  return withCode(cause.said[state.language]);
}

function howOften(func, cause) {
  if (SILENT.includes(cause.code) || listingOf(cause) === 'none') return null; // it happens once
  const kind = familyOf(cause.code) === 'compile' && func.compiles > 0 ? 'compiles' : func.failed ? 'attempts' : 'traces';
  const all = kind === 'compiles' ? func.compiles - 1 : countOfExplained(func);
  const key = cause.count <= all ? `cards.of_${kind}` : 'cards.times';
  return [words('cards.semicolon'), words(keyFor(func, key), {n: cause.count, all})];
}

/** The traces that have causes: all but the first ones. */
function countOfExplained(func) {
  return ownTraces(func).filter((event) => event.causes.length > 0).length;
}

/** The traces that the user's code caused. */
function ownTraces(func) {
  return eventsOfFunctions[func.index].filter(({kind, phase}) => kind === 'trace' && phase !== 'internal');
}

// ---- what was seen ----

/**
 * The different values of a place, in order. `whole`: all of them, from the signatures; else those that the recording's
 * summary names, which has a dozen at most.
 */
function valuesSeen(func, cause) {
  if (!seenAt.has(cause)) seenAt.set(cause, findValues(func, cause));
  return seenAt.get(cause);
}

const seenAt = new WeakMap(); // of a cause; thousands of traces are looked through once

function findValues(func, cause) {
  if (func.placeNumber.has(cause.path) && isReadOff(cause)) {
    const compiled = eventsOfFunctions[func.index].filter(({kind}) => kind === 'compile');
    const events = cause.code === 'compile' ? compiled : ownTraces(func);
    const texts = events.map((event) => valueAt(event, cause.path)).filter((text) => text != null);
    const values = [...new Set(texts)];
    if (values.length > 1) return {values, whole: true};
  }
  const values = cause.values.filter((value) => value !== '…');
  return {values, whole: values.length === cause.values.length};
}

function valuesView(func, causes) {
  const [cause] = causes;
  const listing = listingOf(cause);
  if (listing === 'counted' || listing === 'none') return null;
  if (listing === 'note') return cause.note && h('div.values', null, cause.note);
  const lines = causes.map((each) => [each.path, valuesInWords(func, each)]).filter(([, text]) => text);
  if (!lines.length) return null;
  if (lines.every(([, text]) => text === lines[0][1])) return h('div.values', null, lines[0][1]);
  const rows = lines.map(([path, text]) => h('div.values', null, h('span.values-path', null, path), ' ', text));
  return moreOf(h('div'), rows, 4, 'cards.more_places');
}

export function valuesInWords(func, cause) {
  const listing = listingOf(cause);
  const arrow = listing === 'in_order' ? ' → ' : ', ';
  const {values, whole} = valuesSeen(func, cause);
  const named = listing === 'named' ? values.filter((value) => !value.endsWith(' object')) : values;
  const texts = named.map((value) => shorten(value, LONGEST_VALUE));
  if (whole && texts.length <= VALUES_AT_FIRST) return texts.join(arrow);
  if (texts.length < 2) return texts.join(arrow);
  return `${texts.slice(0, VALUES_AT_FIRST - 2).join(arrow)} … ${texts.at(-1)}`;
}

// ---- what else there is to say ----

function constantPlaces(func) {
  const {constant} = func;
  if (!constant.length || eventsOf(func.index).length < 2) return null;
  const names = constant.slice(0, CONSTANTS_AT_FIRST).join(', ');
  return h(
    'div.note',
    null,
    phrase('cards.constant', {n: constant.length, names: h('code', null, names)}),
    theOtherPlaces(constant.slice(CONSTANTS_AT_FIRST)),
  );
}

/** Limits that were reached, the state that was accepted, memory, errors and notes. */
function remarks(func) {
  const lines = [
    ...func.limits[state.language].map((limit) => [phrase('cards.limit', {limit}), 'bad']),
    func.accepted === true && [words('cards.accepted'), 'good'],
    func.accepted === false && [words('cards.worse_than_accepted'), 'bad'],
    func.retraces > 0 && func.bytes > 0 && [words('cards.memory', {size: memory(func.bytes)})],
    func.internal > 0 && [words('cards.internal', {n: func.internal})],
    func.backwards > 0 && [words('cards.backwards', {n: func.backwards})],
    func.compiles > 0 && func.unit !== 'compile' && [words(keyFor(func, 'cards.compiled'), {n: func.compiles})],
    func.graph_breaks.length > 0 && [breaksInWords(func)],
    func.fell_back && [func.fell_back[state.language], 'bad'],
    func.unwatched && [words('cards.compiles_not_watched', {option: func.unwatched})],
    ...sentencesOf(func.notes).map((note) => [note]),
    ...[...errorsOf(func)].map(([error, count]) => [raisedWords(func, error, count), 'bad']),
  ].filter(Boolean);
  if (!lines.length) return null;
  const items = lines.map(([text, mood]) => h('li', {class: mood}, text));
  return moreOf(h('ul.remarks'), items, REMARKS_AT_FIRST, 'cards.more_remarks');
}

/** Where it is cut into several graphs, and why. */
function breaksInWords(func) {
  const first = func.graph_breaks.slice(0, BREAKS_AT_FIRST);
  const places = first.map((text, n) => [n > 0 && words('cards.semicolon'), inEnglish(text)]);
  const more = func.graph_breaks.length > BREAKS_AT_FIRST && ' …';
  return [words('cards.breaks', {n: func.graph_breaks.length}), ' ', places, more];
}

/** A list of which the first few are shown, and the others on request. */
export function moreOf(list, items, most, key) {
  const first = items.length > most + 1 ? most : items.length; // never a button for a single item
  list.append(...items.slice(0, first));
  if (first === items.length) return list;
  const button = h('button.tool.more', {type: 'button'}, words(key, {n: items.length - first}));
  button.addEventListener('click', () => {
    const [next] = items.slice(first);
    list.append(...items.slice(first));
    button.remove();
    next.tabIndex = -1; // so that whoever came here by keyboard goes on reading there
    next.focus();
  });
  return [list, button];
}
