// What is known of a failure like this: the record, with the runs that its advice rests on.

import {moreOf} from './causes.js';
import {copyText} from './clipboard.js';
import {h} from './dom.js';
import {DATA, headlineFunction} from './facts.js';
import {cardHeading} from './functions.js';
import {isPrinting} from './printing.js';
import {state} from './state.js';
import {withCode, words} from './words.js';

const ADVICE_AT_FIRST = 3;

/** The section *What is known*: a line for each record, which opens; null where there is none. */
export function recordPart(func) {
  const known = func.records.filter((id) => DATA.records[id]);
  if (!known.length) return null;
  return h(
    'section.record-part',
    null,
    cardHeading(words('cards.record.title'), words('cards.record.note')),
    known.map((id) => recordView(func, id)),
  );
}

function recordView(func, id) {
  const record = DATA.records[id][state.language] ?? DATA.records[id].en;
  const first = record.try_first ? [record.try_first] : [];
  const key = `${func.index} ${id}`;
  // On paper nobody can open one: that of the headline is.
  const open = state.openRecords.has(key) || (isPrinting && func === headlineFunction && id === func.records[0]);
  const remember = () => state.openRecords.delete(key) || state.openRecords.add(key);
  return h(
    'details.record',
    {open},
    h('summary', {on: {click: remember}}, h('span', null, withCode(record.signature), ' ', h('code.record-id', null, id))),
    h(
      'div.record-body',
      null,
      h('p.record-cause', null, withCode(record.root_cause)),
      h('div', null, adviceList('try_first', first, 'works'), adviceList('others', record.other_workarounds, 'works')),
      h('div', null, adviceList('do_not', record.do_not, 'fails')),
      recordFoot(record),
    ),
  );
}

function adviceList(key, list = [], effect = 'works') {
  if (!list.length) return null;
  const items = list.map((advice) => adviceItem(advice, effect));
  const shown = moreOf(h('ul.advice'), items, ADVICE_AT_FIRST, 'cards.record.more');
  return [h('h5', null, words(`cards.record.${key}`)), shown];
}

function adviceItem(advice, effect) {
  return h(
    'li',
    {class: effect},
    h('b', {'aria-hidden': 'true'}, effect === 'works' ? '✓' : '✕'),
    h(
      'div',
      null,
      h('p', null, withCode(advice.action)),
      advice.why && h('p.note', null, withCode(advice.why)),
      advice.condition && h('p.note', null, words('cards.record.when'), ' ', withCode(advice.condition)),
      advice.cost && h('p.note', null, words('cards.record.cost'), ' ', withCode(advice.cost)),
      h('p.note.num', null, evidenceInWords(advice.shown, effect)),
      advice.how && codeToCopy(advice.how),
    ),
  );
}

/** In how many runs it held, and with which versions: "it helped in 9 of 9 runs (2.15.1, 2.16.2)". */
function evidenceInWords(shown, effect) {
  if (!shown) return words('cards.record.never_run');
  const {held, runs, versions} = shown;
  return words(`cards.record.${effect}`, {held, n: runs, versions: versionsInWords(versions)});
}

function versionsInWords(versions) {
  const byProgram = new Map();
  for (const version of versions) {
    const [, program, number] = /^(.*?) (\S+)$/.exec(version) ?? [null, version, ''];
    byProgram.set(program, [...(byProgram.get(program) ?? []), number]);
  }
  return [...byProgram].map(([program, numbers]) => `${program} ${numbers.join(', ')}`.trim()).join('; ');
}

function codeToCopy(code) {
  const title = words('cards.record.how');
  const text = h('pre', null, h('code', null, code));
  return h(
    'details.how',
    null,
    h('summary', null, title),
    h('div.source', {tabindex: '0', role: 'group', 'aria-label': title}, text),
    h('button.tool', {type: 'button', on: {click: () => copyText(code)}}, words('cards.record.copy')),
  );
}

function recordFoot(record) {
  const link = {href: record.url, rel: 'noreferrer', target: '_blank'};
  return h(
    'div.record-foot',
    null,
    h('p.note', null, words(`cards.record.tier.${record.tier}`)),
    relatedRecords('comes_next', record.comes_next),
    relatedRecords('confused_with', record.confused_with),
    isWebAddress(record.url) && h('p.note', null, h('a', link, words('cards.record.official'))),
  );
}

function relatedRecords(key, records = []) {
  if (!records.length) return null;
  const names = records.map(({record, signature}, n) => [n > 0 && ', ', h('code', {title: signature}, record)]);
  return h('p.note', null, words(`cards.record.${key}`), ' ', names);
}

function isWebAddress(url) {
  return /^https?:\/\//.test(url ?? '');
}
