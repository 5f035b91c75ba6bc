// The run, and what follows from it: nothing here changes while the page is open.

import {byId, h} from './dom.js';

export const DATA = JSON.parse(byId('data').textContent);
export const CATALOGUE = JSON.parse(byId('catalogue').textContent); // of causes
export const EVENTS = DATA.events;

export const FAMILIES = CATALOGUE.legend;

export const SILENT = Object.keys(CATALOGUE.causes).filter((code) => CATALOGUE.causes[code].family === 'silent');

export function familyOf(code) {
  return CATALOGUE.causes[code]?.family ?? 'unknown';
}

/** How what was seen at the place of a cause is listed. */
export function listingOf({code}) {
  return CATALOGUE.causes[code]?.values ?? 'in_order';
}

/** Does the place of a cause itself say what was seen? */
export function isReadOff({code}) {
  return CATALOGUE.causes[code]?.read_off ?? false;
}

/** A small mark in the colour and the texture of a family. */
export function swatch(family) {
  return h('i.sw', {class: family, css: {'--c': `var(--${family})`}, 'aria-hidden': 'true'});
}

/** Is its verdict an alarm about speed, and not about values? */
export function isSlow(func) {
  return func.alarm && !func.silent;
}

export const eventsOfFunctions = DATA.functions.map(() => []);
const mainEvents = DATA.functions.map(() => []);

DATA.functions.forEach((func, index) => {
  func.index = index;
  func.placeNumber = new Map(func.places.map((path, position) => [path, position]));
});

for (const event of EVENTS) {
  event.family = event.families[0];
  event.cost = event.seconds + (event.first_run_seconds ?? 0);
  event.shown = true;
  eventsOfFunctions[event.function].push(event);
}

for (const func of DATA.functions) {
  const own = eventsOfFunctions[func.index].filter((event) => event.phase !== 'internal');
  const main = own.filter((event) => event.kind === func.unit);
  mainEvents[func.index] = main.length ? main : own;
  mainEvents[func.index].forEach((event, position) => {
    event.position = position;
  });
}

/** The traces (for a recompiling function, the compilations) of a function in order, without internal ones. */
export function eventsOf(index) {
  return mainEvents[index];
}

/** What stood at a place when an event happened: a text, or undefined. */
export function valueAt(event, path) {
  const func = DATA.functions[event.function];
  return func.texts[event.v[func.placeNumber.get(path)]];
}

/** The name of a function without the functions that it was defined in. */
export function shortName(func) {
  return func.name.split('.<locals>.').at(-1);
}

// The recording lists the worst function first; that order is the page's, too.
export const functionsByWeight = DATA.functions;
const slowFunctions = DATA.functions.filter(isSlow);
export const silentFunctions = DATA.functions.filter(
  (func) => func.silent || func.causes.some(({alarm}) => alarm),
);
export const limitedFunctions = DATA.functions.filter((func) => func.limits.en.length > 0);
export const headlineFunction =
  slowFunctions[0] ??
  silentFunctions[0] ??
  limitedFunctions[0] ??
  DATA.functions.find((func) => func.accepted === false);

export const functionsWorthALine = DATA.functions.filter(({attention}) => attention === 'avoidable' || attention === 'costly');

export const lostSeconds = DATA.functions.reduce((sum, func) => sum + func.lost_seconds, 0);
export const neededSeconds = DATA.functions.reduce((sum, func) => sum + func.needed_seconds, 0);
// Nobody may have seen the end of the run: then it reaches at least to the end of its last event.
export const SHORTEST_RUN = 1e-3; // an axis must have a length
export const runSeconds = Math.max(DATA.seconds, ...lastMoments(), SHORTEST_RUN);

function lastMoments() {
  return eventsOfFunctions.map((own) => own.reduce((last, event) => Math.max(last, event.start + event.cost), 0));
}

export const countOfFamily = new Map();
for (const event of EVENTS) {
  for (const family of event.families) countOfFamily.set(family, (countOfFamily.get(family) ?? 0) + 1);
}
if (silentFunctions.length) countOfFamily.set('silent', silentFunctions.length);

export const isNotebook = DATA.command
  .slice(0, 3)
  .some((word) => word.startsWith('%%traceonce') || word.includes('ipykernel'));
