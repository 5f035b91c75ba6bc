// The first screen: what happened, what it cost, why, and what to change.

import {alarms, calmNotes, functionLink, worthALook} from './alarms.js';
import {causeInWords, causesTogether, valuesInWords} from './causes.js';
import {h, refill} from './dom.js';
import {headlineErrorView, lastErrorOf} from './errors.js';
import {
  DATA,
  familyOf,
  functionsWorthALine,
  headlineFunction,
  isSlow,
  listingOf,
  lostSeconds,
  runSeconds,
  shortName,
  SILENT,
  swatch,
} from './facts.js';
import {fixCard, howToProve} from './fix_card.js';
import {shownAbove} from './functions.js';
import {breakable, nameView, shorten} from './names.js';
import {percent, place, seconds} from './numbers.js';
import {remediesOf} from './remedies.js';
import {spentView} from './spent.js';
import {isEmbedded, state} from './state.js';
import {runLine} from './top.js';
import {keyFor, phrase, withCode, words} from './words.js';

const CAUSES_IN_HEADLINE = 3;
const WORTH_A_LINE = 6;
const MUCH = 0.1; // of the run, and
const MUCH_SECONDS = 0.5;
export const LONGEST_NAME = 90; // characters; a headline is not a list

export function renderVerdict(container) {
  const func = headlineFunction;
  refill(
    container,
    h(
      'div.finding',
      null,
      !isEmbedded && runLine(), // seen where the bar at the top has no room for it
      h('h1', null, headline(func)),
      lede(func),
      func && headlineCauses(func),
      spentView(),
      worthALineView(),
      alarms(),
      calmNotes(),
    ),
    func && besideHeadline(func),
  );
}

// ---- the sentence ----

function headline(func) {
  if (!DATA.functions.length) return words(DATA.refused.length ? 'verdict.all_refused' : 'verdict.nothing_traced');
  if (!func) return headlineOfNone();
  const name = h('code', {title: func.name}, breakable(shorten(shortName(func), LONGEST_NAME)));
  if (func.wrong) return phrase(func.wrong.headline, {name});
  if (func.verdict === 'failed') {
    const key = func.traces > 0 ? 'failed_sometimes' : 'failed';
    return phrase(`verdict.${key}`, {name, times: words('count.times', {n: func.failed})});
  }
  if (func.verdict === 'fell_back') return phrase('verdict.fell_back', {name, n: func.compilations});
  if (!isSlow(func)) return phrase(func.limits.en.length ? 'verdict.limited' : 'verdict.worse', {name});
  const times = words('count.times', {n: func.again});
  if (func.calls == null) return phrase(keyFor(func, `verdict.${func.verdict}_uncounted`), {name, times});
  return phrase(keyFor(func, `verdict.${func.verdict}`), {name, times, calls: callsInWords(func)});
}

function headlineOfNone() {
  const n = functionsWorthALine.length;
  if (n) return words('verdict.no_alarm', {n});
  return words(worthALook().length ? 'verdict.fine_but' : 'verdict.fine');
}

export function callsInWords({calls, calls_at_least: atLeast}) {
  return words(atLeast ? 'count.calls_at_least' : 'count.calls', {n: calls});
}

function lede(func) {
  if (!DATA.functions.length && DATA.refused.length) return null;
  if (!func) {
    const key = functionsWorthALine.length
      ? 'traced_no_alarm'
      : worthALook().length
        ? 'traced_but'
        : DATA.functions.length
          ? 'traced_fine'
          : 'not_watched';
    const cost = lostSeconds >= 0.01 && [words('top.between_sentences'), boundedCost()];
    return h('p.lede', null, words(`verdict.${key}`, {n: DATA.functions.length}), cost);
  }
  if (func.wrong) return h('p.lede', null, words(func.wrong.lede));
  const error = lastErrorOf(func);
  if (error) return headlineErrorView(func, error);
  return h(
    'p.lede',
    {title: costNote(func)},
    func.fell_back && [func.fell_back[state.language], words('top.between_sentences')],
    costWords(func),
    othersCost(func) && [words('top.between_sentences'), togetherWords()],
    func.accepted && [words('top.between_sentences'), words('cards.accepted')],
  );
}

/** Did retraces that need no change take a good part of the run? Then that is said, and what becomes of it. */
function costsMuch() {
  return lostSeconds >= MUCH_SECONDS && lostSeconds >= MUCH * runSeconds;
}

function boundedCost() {
  const lost = seconds(lostSeconds);
  if (!costsMuch()) return words('verdict.cost_fine', {lost});
  const over = ({growth, causes}) => growth === 'levelled' || causes.every(({finite}) => finite);
  const key = DATA.functions.filter((func) => func.lost_seconds > 0).every(over) ? 'cost_bounded' : 'cost_so_far';
  return phrase(`verdict.${key}`, {lost, share: percent(Math.min(1, lostSeconds / runSeconds))});
}

function costWords(func) {
  const lost = seconds(func.lost_seconds);
  const total = seconds(runSeconds);
  if (func.lost_seconds < 0.0005) return words('verdict.no_cost');
  if (func.lost_seconds > runSeconds) return phrase('verdict.cost_parallel', {lost, total});
  return func.share == null
    ? phrase('verdict.cost_open', {lost, total})
    : phrase('verdict.cost', {lost, total, share: percent(func.share)});
}

function costNote(func) {
  if (!func.first_run_seconds) return null;
  return words('verdict.cost_note', {tracing: seconds(func.seconds), running: seconds(func.first_run_seconds)});
}

function othersCost(func) {
  return DATA.complete && lostSeconds - func.lost_seconds > 0.02 * runSeconds;
}

function togetherWords() {
  const share = lostSeconds > runSeconds ? null : percent(lostSeconds / runSeconds);
  return words(share ? 'verdict.cost_together' : 'verdict.cost_together_parallel', {lost: seconds(lostSeconds), share});
}

function headlineCauses(func) {
  const groups = causesTogether(func).filter(([cause]) => func.silent || !SILENT.includes(cause.code));
  if (!groups.length) return null;
  return h(
    'ul.why',
    null,
    groups.slice(0, CAUSES_IN_HEADLINE).map((causes) => headlineCause(func, causes)),
  );
}

function headlineCause(func, causes) {
  const [cause] = causes;
  const paths = causes.slice(0, 2).map(({path}, position) => [position > 0 && ', ', h('code', null, path)]);
  const more = causes.length > 2 && ` +${causes.length - 2}`;
  const saysIt = !['unknown', 'fell_back'].includes(cause.code) && listingOf(cause) !== 'counted'; // numbers of objects say nothing
  const change = cause.was !== cause.now && `${cause.was} → ${cause.now}`; // of random numbers there is none to show
  const values = SILENT.includes(cause.code) ? change : saysIt && valuesInWords(func, cause);
  return h(
    'li',
    null,
    swatch(familyOf(cause.code)),
    h('span.paths', null, paths, more),
    h('span', null, causeInWords(cause), values && [' ', h('span.values', null, values)]),
  );
}

/** What is no alarm and yet worth a line, each with its reason and its causes. */
function worthALineView() {
  const functions = functionsWorthALine.slice(0, WORTH_A_LINE);
  if (!functions.length) return null;
  const more = functionsWorthALine.length - functions.length;
  return h('ul.why', null, functions.map(worthALineItem), more > 0 && h('li', null, h('span', null, `+${more}`)));
}

function worthALineItem(func) {
  const paths = [...new Set(func.causes.map(({path}) => path))].slice(0, CAUSES_IN_HEADLINE);
  return h(
    'li',
    null,
    swatch(func.family),
    h('span.paths', null, functionLink(func, h('code', null, breakable(shorten(shortName(func), LONGEST_NAME))))),
    h(
      'span',
      null,
      `${words(`verdict.badge.${func.attention}`)}: ${func.reason[state.language]}`,
      func.costly && [' ', h('b.num', null, seconds(func.lost_seconds))],
      paths.length > 0 && [' ', h('span.values', null, paths.join(', '))],
    ),
  );
}

// ---- what to do ----

function besideHeadline(func) {
  const fix = shownAbove(func);
  return fix ? fixCard(func, fix, {hero: true}) : lookFirst(func);
}

/** No repair is at hand: what to change in words, and which functions to look at. */
function lookFirst(func) {
  const remedies = remediesOf(func).map(({text, causes}) =>
    h(
      'li',
      null,
      swatch(familyOf(causes[0].code)),
      h('span', null, h('code', null, causes[0].path), causes.length > 1 && ` +${causes.length - 1}`, ' ', text),
    ),
  );
  const others = DATA.functions.filter(({attention}) => attention === 'alarms');
  return h(
    'section.fix',
    {'aria-label': words('verdict.look_first')},
    h('header', null, h('h2', null, words('verdict.look_first'), h('small', null, place(func)))),
    remedies.length > 0 && h('ul.remedies', null, remedies.slice(0, 4)),
    remedies.length === 0 && knownAdvice(func),
    others.length > 1 && h('ol.ranking', null, others.slice(0, 6).map(rankedFunction)),
    h(
      'div.proof',
      null,
      h(
        'p.note',
        null,
        func.library ? words('verdict.no_fix_library') : howToProve('verdict.no_fix'),
      ),
    ),
  );
}

/** What the first of its records says to try. */
function knownAdvice(func) {
  const record = DATA.records[func.records[0]]?.[state.language];
  if (!record?.try_first) return null;
  return h('ul.remedies', null, h('li', null, swatch(func.family), h('span', null, withCode(record.try_first.action))));
}

function rankedFunction(func) {
  return h(
    'li',
    null,
    swatch(func.family),
    functionLink(func, nameView('span', func)),
    h('b.num', null, func.lost_seconds > 0 ? seconds(func.lost_seconds) : ''),
  );
}
