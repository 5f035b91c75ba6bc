// What was raised. The text of an error stands on the page once, with how often it came; elsewhere its type names it.

import {functionLink} from './alarms.js';
import {h} from './dom.js';
import {DATA, eventsOfFunctions, headlineFunction, shortName} from './facts.js';
import {linkToTop} from './functions.js';
import {shorten} from './names.js';
import {inEnglish, phrase, words} from './words.js';

const LONGEST_ERROR = 1200; // characters

/** The same error may be told with the module of its type, and without. */
function withoutModule(error) {
  return error.replace(/^(?:\w+\.)+(?=\w+(?::|$))/, '');
}

/** `ValueError`, of `ValueError: not a number`. */
export function errorType(error) {
  return /^\w+(?=:|$)/.exec(withoutModule(error))?.[0] ?? shorten(error, 40);
}

/** What the traces of a function raised: each error with how often it came, in order. */
export function errorsOf(func) {
  const counts = new Map();
  for (const {error} of eventsOfFunctions[func.index]) {
    if (error) counts.set(withoutModule(error), (counts.get(withoutModule(error)) ?? 0) + 1);
  }
  return counts;
}

/** What the last trace of a function that failed has raised. */
export function lastErrorOf(func) {
  return func?.verdict === 'failed' ? ([...errorsOf(func).keys()].at(-1) ?? null) : null;
}

const headlineError = lastErrorOf(headlineFunction);
const endingError = DATA.error && withoutModule(DATA.error);

// Where each error is told: at the top of the page (null), or in the card of the first function that raised it.
const homesOfErrors = new Map([headlineError, endingError].filter(Boolean).map((error) => [error, null]));
for (const func of DATA.functions) {
  for (const error of errorsOf(func).keys()) if (!homesOfErrors.has(error)) homesOfErrors.set(error, func);
}

function errorText(error) {
  return inEnglish(shorten(error, LONGEST_ERROR), 'code');
}

/** Under the headline of a function that could not be traced. */
export function headlineErrorView(func, error) {
  const times = words('count.times', {n: errorsOf(func).get(error)});
  return h('p.lede', null, words('verdict.raised', {times}), errorText(error));
}

/** What the program ended with. */
export function endingErrorWords() {
  if (endingError === headlineError) return phrase('verdict.ended_by_this');
  return [phrase('verdict.ended_by'), ' ', errorText(endingError)];
}

/** In the card of a function: an error, or where it is told. */
export function raisedWords(func, error, count) {
  const home = homesOfErrors.get(error);
  const times = words('count.times', {n: count});
  if (home === func) return phrase('cards.raised', {times, error: errorText(error)});
  const link = home ? functionLink(home, shortName(home)) : linkToTop();
  return phrase(home ? 'cards.raised_there' : 'cards.raised_above', {times, link, name: h('code', null, errorType(error))});
}

/** What one trace raised: its type, and which of the errors of its function it is. */
export function eventErrorWords(event) {
  const all = [...errorsOf(DATA.functions[event.function]).keys()];
  const name = errorType(event.error);
  if (all.length === 1) return words('cards.signature.raised', {name});
  const n = all.indexOf(withoutModule(event.error)) + 1;
  return words('cards.signature.raised_one_of', {name, n: String(n), all: String(all.length)});
}
