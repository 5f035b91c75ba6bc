// The user's code as it was at the run: the function, the lines that call it, and the names that made it trace again.

import {moreOf} from './causes.js';
import {h} from './dom.js';
import {familyOf, SILENT} from './facts.js';
import {cardHeading} from './functions.js';
import {breakable} from './names.js';
import {place} from './numbers.js';
import {siteInWords} from './signatures.js';
import {keyFor, words} from './words.js';

const SITES_AT_FIRST = 6;
const PYTHON_WORDS = new Set(
  (
    'and as assert async await break case class continue def del elif else except False finally for from global if ' +
    'import in is lambda match None nonlocal not or pass raise return True try while with yield'
  ).split(' '),
);
const TOKEN = /("""|'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|#.*$|[A-Za-z_]\w*)/;

/** The section *Your code*. */
export function sourcePart(func) {
  const views = excerptsOf(func).map((excerpt) => excerptView(func, excerpt));
  const where = func.library ? words('cards.source.library', {place: place(func)}) : breakable(place(func));
  return h(
    'section.source-part',
    null,
    cardHeading(words('cards.source.title'), where),
    views.length ? views : h('p.note', null, words('cards.source.none')),
    callSites(func),
  );
}

/** The pieces of source that there are, with the lines to point at: {line: what it is}. */
function excerptsOf(func) {
  const pieces = [];
  if (func.source) pieces.push({...func.source, marks: new Map([[func.line, 'traced']]), own: true});
  for (const excerpt of func.call_excerpts) pieces.push({...excerpt, marks: new Map([[excerpt.line, 'called']])});
  for (const {file, line} of func.call_sites) {
    const holds = (piece) => piece.file === file && line >= piece.start && line < piece.start + piece.lines.length;
    const piece = pieces.find(holds);
    if (piece && !piece.marks.has(line)) piece.marks.set(line, 'called');
  }
  return pieces;
}

function excerptView(func, {file, start, lines, marks, own}) {
  const guilty = guiltyNames(func, own ? lines : lines.filter((_, offset) => marks.has(start + offset)));
  let quote = null; // the mark that a text over several lines will end with
  const rows = lines.map((text, offset) => {
    const tokens = readLine(text, quote);
    quote = tokens.quote;
    return sourceLine(func, start + offset, tokens.parts, marks.get(start + offset), guilty);
  });
  const label = words('cards.source.of', {place: `${file}:${start}`});
  const name = file !== func.file && h('div.file', null, file);
  return h('div.source', {tabindex: '0', role: 'group', 'aria-label': label}, name, rows);
}

function sourceLine(func, number, parts, mark, guilty) {
  return h(
    'div.line',
    {class: mark ? `marked ${mark}` : null, css: mark ? {'--c': `var(--${func.family})`} : null},
    h('span.n', {'aria-hidden': 'true'}, String(number)),
    h(
      'div',
      null,
      h('code', null, parts.map((part) => tokenView(part, guilty))),
      mark && [' ', h('span.tag', null, `← ${words(`cards.source.${mark}`)}`)],
    ),
  );
}

function tokenView({kind, text}, guilty) {
  if (kind === 'string' || kind === 'comment') return h(`span.${kind}`, null, text);
  if (guilty.has(text)) return h('mark', {css: {'--c': `var(--${guilty.get(text)})`}}, text);
  return PYTHON_WORDS.has(text) ? h('span.keyword', null, text) : text;
}

/**
 * The pieces of a line of Python. `quote` is the mark of the text that the line begins in, or null; the result has that
 * of the next line. It need not be exact: it colours, nothing else.
 */
function readLine(line, quote) {
  const parts = [];
  let rest = line;
  if (quote) {
    const end = rest.indexOf(quote);
    if (end < 0) return {parts: [{kind: 'string', text: rest}], quote};
    parts.push({kind: 'string', text: rest.slice(0, end + 3)});
    rest = rest.slice(end + 3);
  }
  for (;;) {
    const found = TOKEN.exec(rest);
    if (!found) break;
    const [token] = found;
    parts.push({kind: 'plain', text: rest.slice(0, found.index)});
    rest = rest.slice(found.index + token.length);
    if (token !== '"""' && token !== "'''") {
      parts.push({kind: token[0] === '#' ? 'comment' : /["']/.test(token[0]) ? 'string' : 'name', text: token});
      continue;
    }
    const end = rest.indexOf(token);
    if (end < 0) return {parts: [...parts, {kind: 'string', text: token + rest}], quote: token};
    parts.push({kind: 'string', text: token + rest.slice(0, end + 3)});
    rest = rest.slice(end + 3);
  }
  parts.push({kind: 'plain', text: rest});
  return {parts: parts.filter(({text}) => text), quote: null};
}

/**
 * The names that stand for the causes, with their family: `step`, `batch` of batch['ids'].shape[0], `rate` of
 * self.rate. Around a call, a parameter's name means the same thing only if the call itself has it.
 */
function guiltyNames(func, markedLines) {
  const names = new Map();
  for (const {path, code} of func.causes) {
    const name = nameInPath(path);
    const meant = SILENT.includes(code) || markedLines.some((line) => line.split(/\W+/).includes(name));
    if (name && meant && code !== 'context' && !names.has(name)) names.set(name, familyOf(code));
  }
  return names;
}

function nameInPath(path) {
  if (path === '<lambda>') return 'lambda';
  const inside = path.replace(/^len\((.*)\)$/, '$1');
  return /^(?:self|cls)\.(\w+)/.exec(inside)?.[1] ?? /^[A-Za-z_]\w*/.exec(inside)?.[0];
}

/** All lines that it was called from, with their counts; a single one that is shown above needs no list. */
function callSites(func) {
  const sites = func.call_sites;
  if (!sites.length || (sites.length === 1 && !sites[0].via && func.call_excerpts.length)) return null;
  const count = (site) => h('span.num', null, words(keyFor(func, 'cards.source.caused'), {n: site.count}));
  const items = sites.map((site) => h('li', null, h('code', null, siteInWords(site)), ' ', count(site)));
  const list = moreOf(h('ul.sites'), items, SITES_AT_FIRST, 'cards.source.more_sites');
  return [h('h5', null, words('cards.source.sites')), list];
}
