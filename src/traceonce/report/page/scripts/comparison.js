// Since which trace something changed. A cause is what a trace differs in from the nearest earlier one, which need not
// be the one before: of a value that is new each time, people expect that one.

import {DATA, eventsOf, valueAt} from './facts.js';
import {eventName, words} from './words.js';

/** The last trace before this one that the same process made and that is `wanted`; one that failed left nothing. */
export function lastBefore(event, wanted = () => true) {
  const events = eventsOf(event.function);
  for (let position = (event.position ?? 0) - 1; position >= 0; position -= 1) {
    const earlier = events[position];
    if (earlier.process === event.process && earlier.phase !== 'failed' && wanted(earlier)) return earlier;
  }
  return null;
}

/** The earlier trace that differs from this one in the causes alone. It may lie before the recording: null. */
export function nearestEarlier(event) {
  const {places, texts} = DATA.functions[event.function];
  const causes = new Map(event.causes.map(({path, was}) => [path, was]));
  const fits = ({v}) =>
    places.every((path, number) => (causes.has(path) ? texts[v[number]] === causes.get(path) : v[number] === event.v[number]));
  return lastBefore(event, fits);
}

/**
 * What made a trace necessary, as `changes` since one other trace: since the one before, wherever all of it has changed
 * since then. `since` is null for that one; else it is the earlier trace whose values are told, or undefined where it
 * is not known.
 */
export function changesOfEvent(event) {
  comparisons.set(event, comparisons.get(event) ?? compare(event));
  return comparisons.get(event);
}

const comparisons = new WeakMap(); // a table that is sorted asks for thousands of them

function compare(event) {
  const changes = event.causes;
  const before = lastBefore(event);
  if (!before || !changes.length) return {changes, since: null};
  // Not every cause is about a place of the signature: a new function object has nothing to look up.
  const readable = changes.filter(({path, now}) => valueAt(event, path) === now);
  const then = new Map(readable.map(({path}) => [path, valueAt(before, path)]));
  if (readable.every(({path, now}) => then.get(path) != null && then.get(path) !== now)) {
    return {changes: changes.map((change) => ({...change, was: then.get(change.path) ?? change.was})), since: null};
  }
  const told = readable.every(({path, was}) => then.get(path) === was); // absent before, and told so
  return {changes, since: told ? null : (nearestEarlier(event) ?? undefined)};
}

/** "compared with trace 4", where the trace before is not the one that is told; null where it is. */
export function sinceInWords({since}) {
  if (since === null) return null;
  return since ? words('events.compared_with', {trace: eventName(since)}) : words('events.compared_with_earlier');
}

/** The changes in one line. */
export function changesInWords(event) {
  const told = changesOfEvent(event);
  const changes = told.changes.map(({path, was, now}) => (was ? `${path} ${was} → ${now}` : `${path} ${now}`));
  return changes.join(', ') + asideOf(told);
}

/** The same in brackets, for the end of a line; nothing where the trace before is the one that is told. */
export function asideOf(told) {
  const text = sinceInWords(told);
  return text ? words('events.aside', {text}) : '';
}
