// Words in the language of the page.

import {byId, h} from './dom.js';
import {CATALOGUE, DATA} from './facts.js';
import {integer} from './numbers.js';
import {state} from './state.js';

const WORDS = JSON.parse(byId('words').textContent);
const FORMS = /\{(\w+):((?:[^{}|]|\{\w+\})*)\|((?:[^{}]|\{\w+\})*)\}/g; // {n:once|{n} times}, as Python's sentences have it

/** The entry at a dotted key, in the current language. A key that does not exist is shown as it is. */
function wordsEntry(key) {
  if (typeof key !== 'string') return key[state.language];
  const entry = key.split('.').reduce((found, part) => found?.[part], WORDS[state.language]);
  return entry ?? key;
}

/** A key for this function: what its framework calls otherwise is its own entry, in each language. */
export function keyFor(func, key) {
  return DATA.dialects[func.backend]?.[key] ?? key;
}

function template(key, values) {
  return wordsEntry(key).replace(FORMS, (_, name, one, several) => (Number(values[name]) === 1 ? one : several));
}

function asText(value) {
  return typeof value === 'number' ? integer(value) : String(value ?? '');
}

/** A text: `words('count.calls', {n: 3})`. Numbers are grouped (12,345); bold marks (**) are left out. */
export function words(key, values = {}) {
  return template(key, values)
    .replaceAll('**', '')
    .replace(/\{(\w+)\}/g, (_, name) => asText(values[name]));
}

/** The same as a fragment of the document: values may be elements, and **text** is bold. */
export function phrase(key, values = {}) {
  const fragment = document.createDocumentFragment();
  template(key, values)
    .split('**')
    .forEach((part, position) => {
      const bold = position % 2 === 1;
      const host = bold ? document.createElement('b') : fragment;
      host.append(
        ...part
          .split(/(\{\w+\})/)
          .filter(Boolean)
          .map((piece) => {
            const name = /^\{(\w+)\}$/.exec(piece)?.[1];
            if (!name) return piece;
            return values[name] instanceof Node ? values[name] : asText(values[name]);
          }),
      );
      if (bold) fragment.append(host);
    });
  return fragment;
}

/** A text that exists in English only (a note, an error), marked as such on a page in another language. */
export function inEnglish(text, tag = 'span') {
  const content = tag === 'code' ? text : withCode(text); // what is code as a whole is shown as it is
  return h(tag, {lang: state.language === 'en' ? null : 'en'}, content);
}

/** A text that comes in every language; what an older recording has, or an error in it, is in English. */
export function inLanguage(text) {
  return text[state.language] === text.en ? inEnglish(text.en) : withCode(text[state.language]);
}

/** Sentences that come in every language; an older recording has the English ones alone. */
export function sentencesOf(notes) {
  return notes[state.language].map((note, n) => (note === notes.en[n] ? inEnglish(note) : withCode(note)));
}

/** Text with `code` between backticks, as elements. */
export function withCode(text) {
  return (text ?? '')
    .split(/(`[^`]+`)/)
    .map((part) => (/^`.+`$/.test(part) ? h('code', null, part.slice(1, -1)) : part));
}

/** What the legend calls a family of causes, or of events that have none. */
export function familyName(family) {
  return CATALOGUE.families[family][state.language];
}

/** "trace 3", "compile 2": what an event is called, within its function. */
export function eventName(event) {
  const key = event.phase === 'internal' ? 'internal' : event.kind;
  return words(keyFor(DATA.functions[event.function], `timeline.event.${key}`), {n: String(event.ordinal)});
}
