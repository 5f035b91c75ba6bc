// What must not be overlooked: wrong results, errors, limits; and what is good to know.

import {h} from './dom.js';
import {endingErrorWords} from './errors.js';
import {DATA, headlineFunction, limitedFunctions, shortName, swatch} from './facts.js';
import {openFunction} from './functions.js';
import {linkTo, state} from './state.js';
import {inLanguage, phrase, words} from './words.js';

const ALARMS = 5;
const NOTICES = 3;

/** Wrong results, errors and limits: in red, under the headline. */
export function alarms() {
  const inHeadline = (func) => func === headlineFunction && func.silent;
  const silent = findings(({alarm: words}) => words).filter(([func]) => !inHeadline(func));
  const lines = [
    ...silent.map(([func, cause]) => alarm('silent', phrase(cause.alarm, changeAsCode(func, cause)), func)),
    ...worthALook().map(([func, cause]) => alarm('silent', changedSinceWords(func, cause), func)),
    DATA.error && alarm('failed', endingErrorWords()),
    !DATA.error && DATA.exit_code && alarm('failed', exitWords(DATA.exit_code)),
    ...limitedFunctions.map((func) => alarm('failed', limitWords(func), func)),
    ...DATA.refused.map((unlisted) => alarm('failed', limitWords(unlisted))),
    ...DATA.functions
      .filter((func) => func.accepted === false)
      .map((func) => alarm('failed', phrase('verdict.accepted_not', {name: h('code', null, func.name)}), func)),
  ].filter(Boolean);
  const more = lines.length - ALARMS;
  return more > 0 ? [...lines.slice(0, ALARMS), h('p.note', null, words('verdict.more_alarms', {n: more}))] : lines;
}

/** Values that were found changed at the end only: whether a call came after that is not known. */
export function worthALook() {
  return findings(({changed_since: changed}) => changed);
}

/** Causes of all functions, each with its function. */
function findings(wanted) {
  return DATA.functions.flatMap((func) => func.causes.filter(wanted).map((cause) => [func, cause]));
}

function alarm(family, text, func) {
  return h(
    'p.alarm',
    null,
    swatch(family),
    h('span', null, text),
    func && functionLink(func, words('verdict.see_why')),
  );
}

function changedSinceWords(func, cause) {
  return [phrase('verdict.worth_a_look', changeAsCode(func, cause)), ' ', words('verdict.seen_at_the_end')];
}

function changeAsCode(func, {path, was, now}) {
  const code = (text) => h('code', null, text);
  return {name: code(shortName(func)), path: code(path), was: code(was), now: code(now)};
}

function exitWords(code) {
  return code < 0
    ? phrase('verdict.ended_by_signal', {code: String(-code)})
    : phrase('verdict.ended_with', {code: String(code)});
}

function limitWords({name, limits}) {
  return [phrase('verdict.limit', {name: h('code', null, name)}), ' ', limits[state.language].join(words('cards.semicolon'))];
}

/** What is good to know: without colour. */
export function calmNotes() {
  const unseen = DATA.functions.filter(({unwatched}) => unwatched);
  const names = unseen.slice(0, 5).map(({name}) => name);
  const lines = [
    !DATA.complete && phrase('verdict.incomplete'),
    DATA.runs > 1 && phrase('verdict.merged', {n: DATA.runs}),
    unseen.length > 0 &&
      phrase('verdict.compiles_unseen', {names: h('code', null, names.join(', ')), option: unseen[0].unwatched}),
    ...DATA.notices.slice(0, NOTICES).map((notice) => inLanguage(notice)),
    DATA.notices.length > NOTICES && moreNotices(DATA.notices.slice(NOTICES)),
  ].filter(Boolean);
  return lines.length > 0 && noteList('ul.notes', lines);
}

function moreNotices(notices) {
  const summary = h('summary', null, words('verdict.more_notes', {n: notices.length}));
  return h(
    'details',
    null,
    summary,
    noteList(
      'ul',
      notices.map((notice) => inLanguage(notice)),
    ),
  );
}

function noteList(tag, lines) {
  const items = lines.map((line) => h('li', null, line));
  return h(tag, null, items);
}

export function functionLink(func, text) {
  const follow = (click) => {
    click.preventDefault();
    openFunction(func.index, {scroll: true});
  };
  return h('a', {href: linkTo({fn: func.index}), on: {click: follow}}, text);
}
