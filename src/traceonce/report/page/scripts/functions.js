// The functions: a row each, worst first, that opens into a card. A card is built when it is opened.

import {whyPart} from './causes.js';
import {curvePart, sparkline} from './curve.js';
import {announce, byId, h, refill, scrollToElement} from './dom.js';
import {changeText} from './events.js';
import {DATA, eventsOf, familyOf, headlineFunction, runSeconds, swatch} from './facts.js';
import {clearFilter, isFiltered, isFunctionVisible} from './filtering.js';
import {fixCard, fixesOf} from './fix_card.js';
import {gridPart} from './grid.js';
import {nameView, placeView} from './names.js';
import {integer, percent, place, seconds} from './numbers.js';
import {isPrinting} from './printing.js';
import {recordPart} from './record.js';
import {remediesOf} from './remedies.js';
import {signaturePart} from './signatures.js';
import {sourcePart} from './source.js';
import {isDark, keepLink, state} from './state.js';
import {callsInWords} from './verdict.js';
import {eventName, keyFor, phrase, words} from './words.js';

const FUNCTIONS_AT_FIRST = 30;
const DENSE_FROM = 13; // functions, from which on rows are lower
const SORTED_BY = {
  weight: (a, b) => a.index - b.index, // the recording has the worst first
  lost: (a, b) => b.lost_seconds - a.lost_seconds || a.index - b.index,
  traces: (a, b) => b.made - a.made || a.index - b.index,
  name: (a, b) => a.name.localeCompare(b.name) || a.index - b.index,
};

export let shownFunctions = []; // those that search and legend leave, in the order of the page
let allFunctionsListed = false;
let cardsDrawnFor = ''; // language, theme and medium that `cards` were drawn for
const cards = new Map(); // by function index: {article, head, body, parts}

export function renderFunctions(container) {
  forgetCardsDrawnOtherwise();
  shownFunctions = DATA.functions.filter((func) => isFunctionVisible(func.index)).sort(SORTED_BY[state.sort]);
  const listed = allFunctionsListed ? shownFunctions : shownFunctions.slice(0, FUNCTIONS_AT_FIRST);
  refill(
    container,
    functionsHeading(),
    shownFunctions.length
      ? h(
          'div.functions',
          {class: DATA.functions.length >= DENSE_FROM ? 'dense' : null},
          listed.map((func) => cardOf(func.index).article),
        )
      : nothingMatches(),
    listed.length < shownFunctions.length && listTheRest(shownFunctions.length - listed.length),
  );
  for (const func of listed) showWhetherOpen(func.index);
}

// Search and legend only choose among the cards. Drawing them anew would cost a frame per key that is typed.
function forgetCardsDrawnOtherwise() {
  const wanted = `${state.language} ${isDark()} ${isPrinting}`;
  if (wanted === cardsDrawnFor) return;
  for (const card of cards.values()) emptyCard(card);
  cards.clear();
  cardsDrawnFor = wanted;
}

function functionsHeading() {
  const all = DATA.functions.length;
  const count = shownFunctions.length === all ? integer(all) : words('cards.of', {n: shownFunctions.length, all});
  const choose = (change) => {
    state.sort = change.target.value;
    renderFunctions(byId('functions'));
  };
  const choices = Object.keys(SORTED_BY).map((key) =>
    h('option', {value: key, selected: key === state.sort}, words(`cards.sort.${key}`)),
  );
  return h(
    'div.section-head',
    null,
    h('h2', null, words('cards.functions')),
    h('span.hint.num', null, count),
    h(
      'span.right',
      null,
      h('label', {for: 'function-sort'}, words('cards.sort.label')),
      h('select.tool', {id: 'function-sort', on: {change: choose}}, choices),
    ),
  );
}

function nothingMatches() {
  return h(
    'p.empty',
    null,
    words('cards.nothing_matches'),
    ' ',
    isFiltered() && h('button.tool', {type: 'button', on: {click: clearFilter}}, words('cards.show_everything')),
  );
}

function listTheRest(count) {
  const listAll = () => {
    allFunctionsListed = true;
    renderFunctions(byId('functions'));
  };
  return h('button.tool.more', {type: 'button', on: {click: listAll}}, words('cards.more_functions', {n: count}));
}

export function cardOf(index) {
  if (!cards.has(index)) cards.set(index, makeCard(DATA.functions[index]));
  return cards.get(index);
}

function makeCard(func) {
  const body = h('div.card-body', {id: `function-${func.index}-body`, hidden: true});
  const head = h(
    'button.card-head',
    {
      type: 'button',
      id: `function-${func.index}-head`,
      'aria-expanded': 'false',
      'aria-controls': body.id,
      on: {click: () => toggleFunction(func.index)},
    },
    rowParts(func),
  );
  const article = h('article.card', {id: `function-${func.index}`}, h('h3', null, head), body);
  return {article, head, body, parts: []};
}

function rowParts(func) {
  const file = func.library ? `${place(func)} · ${words('cards.in_library')}` : place(func);
  return [
    h('span.badge', null, swatch(func.ignorable ? 'first' : func.family), badgeWords(func)),
    h('span.card-name', null, nameView('b', func), placeView('small', file)),
    h('span.card-spark', null, sparkline(func.index)),
    h('span.card-counts.num', null, h('small', null, countsInWords(func))),
    lostTime(func),
    h('span.chevron', {'aria-hidden': 'true'}, '›'),
  ];
}

function badgeWords(func) {
  const costly = func.costly ? [words('cards.comma'), words('verdict.badge.costly')] : [];
  return [words(`verdict.badge.${func.verdict}`), ...costly].join('');
}

function countsInWords(func) {
  const made = words(keyFor(func, `cards.count.${func.unit}`), {n: func.made});
  const failed = func.failed ? words('cards.count.failed', {n: func.failed}) : null;
  const calls = func.calls == null ? null : callsInWords(func);
  return [made, failed, calls].filter(Boolean).join(words('cards.comma'));
}

function lostTime(func) {
  const share = func.share ?? (DATA.complete ? func.lost_seconds / runSeconds : null);
  const width = Math.min(100, ((share ?? func.lost_seconds / runSeconds) || 0) * 100);
  return h(
    'span.card-lost',
    null,
    func.lost_seconds > 0
      ? h('b.num', null, unseen(words('cards.lost')), seconds(func.lost_seconds), ' ', h('small', null, percent(share)))
      : h('b', null, unseen(words('cards.nothing_lost')), h('span', {'aria-hidden': 'true'}, '–')),
    h('i', {'aria-hidden': 'true'}, h('i', {css: {width: `${width}%`}})),
  );
}

/** Words for whoever hears the page: on the screen, the place where the number stands says the same. */
function unseen(text) {
  return h('span.vh', null, text, ' ');
}

function toggleFunction(index, open = !state.open.has(index)) {
  if (open) state.open.add(index);
  else state.open.delete(index);
  showWhetherOpen(index);
  if (open) keepLink({fn: index, trace: eventsOf(index).length > 1 ? selectedTrace(index) : null});
}

function showWhetherOpen(index) {
  const {article, head, body} = cardOf(index);
  const open = state.open.has(index);
  article.classList.toggle('open', open);
  head.setAttribute('aria-expanded', String(open));
  body.hidden = !open;
  if (open) fillCard(index);
}

/** Open a function; what hides it, a search or the end of the short list, gives way. */
export function openFunction(index, {scroll = false} = {}) {
  if (!isFunctionVisible(index)) clearFilter();
  if (!cardOf(index).article.isConnected) {
    allFunctionsListed = true;
    renderFunctions(byId('functions'));
  }
  toggleFunction(index, true);
  showSelection(index);
  if (!scroll) return;
  const {article, head} = cardOf(index);
  scrollToElement(article);
  head.focus({preventScroll: true});
}

/** Open the function of an event at that event. A backward graph has no column of its own: at the last trace before. */
export function openEvent(event) {
  const events = eventsOf(event.function);
  const exact = events.indexOf(event);
  const position = exact >= 0 ? exact : events.findLastIndex((other) => other.start <= event.start);
  state.selected[event.function] = Math.max(0, position);
  openFunction(event.function, {scroll: true});
}

/** The position in eventsOf(index) that is looked at: the first retrace, unless another was chosen. */
export function selectedTrace(index) {
  const last = eventsOf(index).length - 1;
  return Math.min(state.selected[index] ?? 1, last);
}

/** Look at another trace of a function. */
export function selectTrace(index, position, {focus = false} = {}) {
  const last = eventsOf(index).length - 1;
  state.selected[index] = Math.max(0, Math.min(last, position));
  showSelection(index, {focus});
  const event = eventsOf(index)[state.selected[index]];
  announce([eventName(event), changeText(event)].filter(Boolean).join(': '));
  keepLink({fn: index, trace: state.selected[index]});
}

function showSelection(index, {focus = false} = {}) {
  for (const part of cardOf(index).parts) part.select?.(selectedTrace(index), {focus});
}

/** Build what is inside a card, if that has not been done. */
function fillCard(index) {
  const card = cardOf(index);
  if (card.body.firstChild) return;
  const func = DATA.functions[index];
  const curve = curvePart(index);
  const grid = gridPart(index);
  const signature = signaturePart(index);
  const source = sourcePart(func);
  const repair = repairPart(func);
  card.parts = [curve, grid, signature].filter(Boolean);
  refill(
    card.body,
    h('div.pair', {class: repair ? 'with-repair' : null}, whyPart(func), repair ?? curve?.element),
    grid?.element,
    repair && curve
      ? [h('div.pair', null, signature?.element, curve.element), source]
      : h('div.pair', null, signature?.element, source),
    recordPart(func),
  );
  for (const part of card.parts) part.attached?.();
}

/** The repairs of a function; what to change in words where there are none; null where there is nothing to change. */
function repairPart(func) {
  const above = shownAbove(func);
  const fixes = fixesOf(func).filter((fix) => fix !== above);
  if (fixes.length) return h('div.fixes', null, fixes.map((fix) => fixCard(func, fix)));
  if (above || func.attention === 'quiet') return null;
  const remedies = remediesOf(func);
  if (!remedies.length) return null;
  const heading = h('header', null, h('h4', null, words('cards.remedies')));
  return h('section.fix', null, heading, h('ul.remedies', null, remedies.map(remedyItem)));
}

function remedyItem({text, causes}) {
  const [{code, path}] = causes;
  const others = causes.length > 1 && ` +${causes.length - 1}`;
  return h('li', null, swatch(familyOf(code)), h('span', null, h('code', null, path), others, ' ', text));
}

/** The fix that stands at the top of the page; it is not repeated. */
export function shownAbove(func) {
  if (func !== headlineFunction) return null;
  return fixesOf(func).find(({proof}) => proof == null || proof.verdict === 'proved');
}

export function fixIsAbove() {
  return h('p.note', null, phrase('cards.fix_above', {link: linkToTop()}));
}

export function linkToTop() {
  const follow = (click) => {
    click.preventDefault(); // the address keeps naming the function
    scrollToElement(byId('verdict'));
    byId('verdict').focus({preventScroll: true});
  };
  return h('a', {href: '#verdict', on: {click: follow}}, words('cards.at_the_top'));
}

function emptyCard(card) {
  for (const part of card.parts) part.destroy?.();
  card.parts = [];
}

/** A heading inside a card, with a remark. */
export function cardHeading(text, remark, ...more) {
  return h('h4.part-head', null, text, remark && h('small', null, remark), more);
}
