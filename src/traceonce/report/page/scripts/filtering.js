// Search and legend: what is shown. On the timeline the rest is dimmed, in the lists it is left out.

import {announce, byId} from './dom.js';
import {renderEvents} from './events.js';
import {countOfFamily, DATA, EVENTS, eventsOfFunctions, FAMILIES, familyOf, silentFunctions} from './facts.js';
import {renderFunctions} from './functions.js';
import {state} from './state.js';
import {showFilterOnTimeline} from './timeline.js';
import {familyName, words} from './words.js';

/** Is an event shown, as search and legend stand? */
export function isVisible(event) {
  return event.shown;
}

/** Is anything of a function shown? Of one that is silently wrong, the finding counts like an event. */
export function isFunctionVisible(index) {
  const func = DATA.functions[index];
  if (eventsOfFunctions[index].some((event) => event.shown && event.phase !== 'internal')) return true;
  return silentFunctions.includes(func) && !state.hidden.has('silent') && matchesFunction(func, state.query);
}

function matchesFunction(func, query) {
  if (!query) return true;
  const {name, file, line, verdict, causes} = func;
  const known = [name, `${file ?? ''}:${line ?? ''}`, verdict, words(`verdict.badge.${verdict}`)];
  for (const {code, path} of causes) known.push(code, path, familyName(familyOf(code)));
  return known.some((text) => text.toLowerCase().includes(query));
}

function matchesEvent(event, query) {
  const {site} = event;
  if (site && `${site.file}:${site.line}`.toLowerCase().includes(query)) return true;
  return event.causes.some(
    (cause) =>
      cause.path.toLowerCase().includes(query) || cause.code.includes(query) || cause.now.toLowerCase() === query,
  );
}

export function findVisible() {
  const matching = DATA.functions.map((func) => matchesFunction(func, state.query));
  for (const event of EVENTS) {
    event.shown =
      !event.families.every((family) => state.hidden.has(family)) &&
      (matching[event.function] || matchesEvent(event, state.query));
  }
}

export function isFiltered() {
  return state.query !== '' || state.hidden.size > 0;
}

export function countShown() {
  return {shown: EVENTS.filter((event) => event.shown).length, all: EVENTS.length};
}

/** Search or legend have changed: show what they leave. */
function applyFilter() {
  findVisible();
  showFilterOnTimeline();
  renderFunctions(byId('functions'));
  renderEvents(byId('events'));
  const {shown, all} = countShown();
  announce(words('filter.shown', {n: shown, all}));
}

export function toggleFamily(family) {
  if (!state.hidden.delete(family)) state.hidden.add(family);
  applyFilter();
}

/** Show one family only; once more, and all are shown again. */
export function showOnlyFamily(family) {
  const others = FAMILIES.filter((other) => other !== family && countOfFamily.has(other));
  const alone = !state.hidden.has(family) && others.every((other) => state.hidden.has(other));
  state.hidden = new Set(alone ? [] : others);
  applyFilter();
}

export function search(text) {
  state.query = text.trim().toLowerCase();
  applyFilter();
}

/** Show everything again. */
export function clearFilter() {
  state.hidden.clear();
  state.query = '';
  byId('search').value = '';
  applyFilter();
}
