// Names and paths where there is little room: cut in the middle. What tells one from another is often at its end.

import {h} from './dom.js';
import {DATA, shortName} from './facts.js';

const SHORTEST_HEAD = 6; // characters: one more than are always seen, so that dots tell of a cut
const SHORTEST_TAIL = 12;
const LONGEST_TAIL = 32;
const WIDE = /[^\u0000-\u1fff]/gu; // may be drawn twice as wide as a letter: Chinese, emoji
const DIRECTIONS = /[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g; // turn text around, and have no width
const GRAPHEMES = new Intl.Segmenter('en', {granularity: 'grapheme'});

/** A text of one line. What does not fit is cut in its middle; the whole of it is its text, and its `title`. */
export function cut(tag, text, {tail = SHORTEST_TAIL, title = text} = {}) {
  const line = text.replace(/\s+/g, ' ');
  const marks = characters(line.replace(DIRECTIONS, ''));
  const kept = Math.min(Math.max(tail, SHORTEST_TAIL), LONGEST_TAIL, marks.length - SHORTEST_HEAD);
  const width = (part) => `${part.length + (part.join('').match(WIDE)?.length ?? 0)}ch`;
  const css = {'--whole': width(marks)};
  if (marks.length <= SHORTEST_TAIL) return h(`${tag}.cut`, {class: 'whole', title, css}, h('bdi', null, line));
  const end = marks.slice(-kept);
  // What is heard, searched and copied is the text; the two pieces of it are only seen.
  const piece = (name, part) => h(`span.cut-${name}`, {'aria-hidden': 'true', 'data-text': part.join('')});
  return h(
    `${tag}.cut`,
    {title, css: {...css, '--tail': width(end)}},
    h('span.cut-text', null, line),
    piece('head', marks.slice(0, -kept)),
    piece('tail', end),
  );
}

function characters(text) {
  return /^[\x20-\x7e]*$/.test(text) ? [...text] : [...GRAPHEMES.segment(text)].map(({segment}) => segment);
}

/** How many characters of its end tell each of these texts from all others. */
function distinctTails(texts) {
  const turned = [...new Set(texts)].map((text) => [characters(text).reverse().join(''), text]).sort();
  const shared = ([one], [other] = ['']) => {
    let length = 0;
    while (length < one.length && one[length] === other[length]) length += 1;
    return length;
  };
  return new Map(
    turned.map((entry, n) => [entry[1], 1 + Math.max(shared(entry, turned[n - 1]), shared(entry, turned[n + 1]))]),
  );
}

const tailsOfNames = distinctTails(DATA.functions.map(shortName));

/** The name of a function, in one line: its last part is kept, and what tells it from the others. */
export function nameView(tag, func) {
  const name = shortName(func);
  const lastPart = name.length - name.lastIndexOf('.') - 1;
  return cut(tag, name, {title: func.name, tail: Math.max(lastPart, tailsOfNames.get(name))});
}

/** A file and its line, in one line: file name and line are what is kept. */
export function placeView(tag, text, title = text) {
  return cut(tag, text, {title, tail: text.length - text.lastIndexOf('/') - 1});
}

/** A text that is at most so many characters long, without its middle. */
export function shorten(text, most) {
  const marks = text.length > most ? characters(text) : [];
  if (marks.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${marks.slice(0, most - 1 - end).join('')}…${marks.slice(-end).join('')}`;
}

/** A name of several lines, broken where its parts begin rather than inside of them. */
export function breakable(text) {
  return text.split(/(?<=[._/])(?=[^._/])|(?<=[a-z])(?=[A-Z])/).flatMap((part, n) => (n ? [h('wbr'), part] : [part]));
}
