// What the reader has chosen: language, theme, search, filters, what is open. All of it can be sent as a link.

import {DATA} from './facts.js';

/** What is kept between visits. A page in a sandbox, or from a file, may have no storage. */
export const storage = {
  get(key) {
    try {
      return localStorage.getItem(`traceonce.${key}`);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(`traceonce.${key}`, value);
    } catch {
      // not kept, then
    }
  },
};

export const address = new URLSearchParams(location.hash.slice(1));
// In the page of a server, which has a header of its own. A notebook shows a report in a frame, too, but has none.
export const isEmbedded = address.has('embedded');
export const darkSystem = matchMedia('(prefers-color-scheme: dark)');

function oneOf(choices, ...wishes) {
  return wishes.find((wish) => choices.includes(wish));
}

export const state = {
  language: oneOf(['en', 'zh'], address.get('lang'), storage.get('language'), DATA.language, 'en'),
  theme: oneOf(['light', 'dark'], address.get('theme'), storage.get('theme')) ?? null, // null: as the system has it
  query: '',
  hidden: new Set(), // families that are turned off
  open: new Set(), // indexes of functions
  openRecords: new Set(), // "function id": records that are open in the card of a function
  selected: {}, // by function index: the position in eventsOf(index) that grid and signatures show
  sort: 'weight',
  shortcuts: storage.get('shortcuts') !== 'off',
};

export function isDark() {
  return (state.theme ?? (darkSystem.matches ? 'dark' : 'light')) === 'dark';
}

/** How a link names a function: by its name, and by its place where several share that name. */
function functionSlug(index) {
  const func = DATA.functions[index];
  const namesakes = DATA.functions.filter((other) => other.name === func.name);
  return namesakes.length > 1 ? `${func.name}@${func.file ?? ''}:${func.line ?? ''}` : func.name;
}

export function findFunction(slug) {
  const index = DATA.functions.findIndex((_, candidate) => functionSlug(candidate) === slug);
  return index >= 0 ? index : DATA.functions.findIndex((func) => func.name === slug);
}

/** The link to a function (by its index) and, where one is given, to a trace (its position in eventsOf). */
export function linkTo({fn, trace = null}) {
  const parts = new URLSearchParams();
  parts.set('fn', functionSlug(fn));
  if (trace != null) parts.set('trace', String(trace + 1));
  for (const key of ['lang', 'theme', 'embedded']) if (address.has(key)) parts.set(key, address.get(key));
  return `#${parts}`;
}

/** Let the address of the page say what is looked at, without a step in its history. */
export function keepLink(target) {
  try {
    history.replaceState(null, '', linkTo(target));
  } catch {
    // the address of a sandboxed page cannot be changed
  }
}
