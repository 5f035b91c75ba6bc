// A repair: what to change, whether it was proved, and the text to take along.

import {copyText} from './clipboard.js';
import {h} from './dom.js';
import {DATA, isNotebook} from './facts.js';
import {breakable} from './names.js';
import {integer, place, seconds} from './numbers.js';
import {phrase, sentencesOf, words} from './words.js';

const PROVING = {proved: 'good', refuted: 'bad', not_proved: 'open'};

/** The repairs of a function that have something to show, the proved ones first. */
export function fixesOf(func) {
  const shown = func.fixes.filter((fix) => fix.snippet || fix.diff);
  const weight = (fix) => (fix.proof?.verdict === 'proved' ? 0 : fix.safety === 'advice' ? 2 : fix.proof ? 3 : 1);
  return shown.sort((a, b) => weight(a) - weight(b));
}

/** A card for one repair. The `hero` is the one at the top of the page: the first thing to change. */
export function fixCard(func, fix, {hero = false} = {}) {
  const heading = h(hero ? 'h2' : 'h4', null, words(hero ? heroTitle(fix) : 'fix.title'), fixPlace(func, fix));
  return h(
    'section.fix',
    {'aria-label': `${words('fix.title')}: ${func.name}`},
    h('header', null, heading, copyButtons(fix)),
    fix.diff ? diffView(fix.diff, func.name, hero ? 1 : 3) : snippetView(fix.snippet, func.name),
    h('div.proof', null, fix.proof ? proofView(fix.proof) : unprovedView(func, fix), fixNotes(fix)),
  );
}

function heroTitle(fix) {
  return fix.safety === 'advice' ? 'fix.consider' : 'fix.first';
}

function fixPlace(func, fix) {
  const file = fix.diff?.match(/^\+\+\+ (?:b\/)?(\S+)/m)?.[1] ?? func.file;
  const where = file && file !== func.file ? file : place(func);
  return h(
    'small',
    null,
    breakable(where),
    ' · ',
    h('span', {title: words(`fix.safety_note.${fix.safety}`)}, words(`fix.safety.${fix.safety}`)),
  );
}

function isProved(fix) {
  return fix.proof?.verdict === 'proved';
}

function copyButtons(fix) {
  const copying = (text) => ({type: 'button', on: {click: () => copyText(text)}});
  return [
    fix.diff && h('button.tool.wide', copying(fix.diff), words('fix.copy_patch')),
    // What nobody has run is not offered as the thing to do.
    h(`button.${isProved(fix) ? 'copy' : 'tool'}`, copying(fixText(fix)), words('fix.copy')),
  ];
}

/** What *Copy fix* takes: the new code; the whole patch where there is no shorter form. */
export function fixText(fix) {
  return fix.snippet ?? fix.diff;
}

// ---- the change ----

function snippetView(snippet, name) {
  const lines = snippet.replace(/\n+$/, '').split('\n');
  return codeBox(
    name,
    lines.map((line) => diffLine('+', null, line)),
  );
}

/**
 * A unified diff with line numbers, and with so many lines of `context` around each change. The indentation that all
 * lines of a hunk share is left out.
 */
function diffView(diff, name, context) {
  const files = splitDiff(diff).map(({file, hunks}) => ({
    file,
    hunks: hunks.map((lines) => nearChanges(lines, context)),
  }));
  const rows = files.flatMap(({file, hunks}) => [
    files.length > 1 && h('div.file', null, file),
    hunks.flatMap((lines, position) => [position > 0 && h('div.gap', {'aria-hidden': 'true'}, '⋯'), hunkRows(lines)]),
  ]);
  return codeBox(name, rows);
}

function codeBox(name, rows) {
  return h('div.diff', {tabindex: '0', role: 'group', 'aria-label': words('fix.change_of', {name})}, rows);
}

function nearChanges(lines, context) {
  const changed = lines.flatMap(({mark}, position) => (mark === ' ' ? [] : [position]));
  const near = lines.filter((_, position) => changed.some((change) => Math.abs(change - position) <= context));
  const told = near.map(({mark, text}) => mark !== ' ' || text.trim() !== '');
  return near.slice(told.indexOf(true), told.lastIndexOf(true) + 1); // no empty line at either end
}

function hunkRows(lines) {
  const indents = lines.filter(({text}) => text.trim()).map(({text}) => text.search(/\S/));
  const shared = indents.length ? Math.min(...indents) : 0;
  return lines.map(({mark, number, text}) => diffLine(mark, number, text.slice(shared)));
}

function diffLine(mark, number, text) {
  const kind = {'+': 'add', '-': 'del'}[mark] ?? 'same';
  return h(
    `div.${kind}`,
    null,
    number != null && h('span.n', {'aria-hidden': 'true'}, String(number)),
    h('span.m', {'aria-hidden': kind === 'same'}, mark),
    h('code', null, text),
  );
}

/** The files of a unified diff, each with its hunks: lines with their mark and number. */
function splitDiff(diff) {
  const files = [];
  let oldLine = 0;
  let newLine = 0;
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (line.startsWith('--- ')) continue;
    if (line.startsWith('+++ ')) {
      files.push({file: line.slice(4).replace(/^b\//, ''), hunks: []});
    } else if (start) {
      [oldLine, newLine] = [Number(start[1]), Number(start[2])];
      files.at(-1)?.hunks.push([]);
    } else if (/^[-+ ]/.test(line)) {
      const mark = line[0];
      files
        .at(-1)
        ?.hunks.at(-1)
        ?.push({mark, number: mark === '-' ? oldLine : newLine, text: line.slice(1)});
      if (mark !== '+') oldLine += 1;
      if (mark !== '-') newLine += 1;
    }
  }
  return files;
}

// ---- the proof ----

function proofView(proof) {
  if (proof.verdict !== 'proved') {
    return h(
      'p.note',
      {class: PROVING[proof.verdict]},
      h('b', null, words(`fix.${proof.verdict}`)),
      ' ',
      sentencesOf({en: [proof.reason.en], zh: [proof.reason.zh]}),
    );
  }
  return [
    proofFacts(proof),
    raceView(proof),
    h('p.note', null, words('fix.proved'), words('top.between_sentences'), comparedWords(proof)),
  ];
}

function proofFacts(proof) {
  const same = proof.outputs_equal;
  const output = same ? (proof.measure === 'eager' ? 'corrected' : 'same') : same === false ? 'differ' : 'unknown';
  const faster = proof.speedup != null && proof.speedup >= 1.05;
  const fact = (name, value, mood) =>
    h('div', null, h('dt', null, words(`fix.${name}`)), h('dd.num', {class: mood}, value));
  return h(
    'dl.facts',
    null,
    fact('traces', `${integer(proof.before.traces)} → ${integer(proof.after.traces)}`),
    fact('outputs', words(`fix.output.${output}`), same ? 'good' : same === false ? 'bad' : null),
    fact(
      isPerCall(proof) ? 'call' : 'whole_run',
      faster ? words('fix.faster', {x: proof.speedup.toFixed(1)}) : words('fix.no_faster'),
      faster ? 'good' : null,
    ),
  );
}

function isPerCall({before, after}) {
  return before.seconds_per_call != null && after.seconds_per_call != null;
}

/** Two bars: the time of a call (or of the run) before and after. */
function raceView(proof) {
  if (proof.speedup == null || proof.speedup < 1.05) return null;
  const time = (run) => (isPerCall(proof) ? run.seconds_per_call : run.seconds);
  const longest = time(proof.before);
  return h(
    'div.race',
    null,
    ['before', 'after'].map((when) => [
      h('span', null, words(`fix.${when}`)),
      h('div.b', {class: when, css: {width: `${Math.max(0.6, (time(proof[when]) / longest) * 100)}%`}}),
      h('b.num', null, seconds(time(proof[when]))),
    ]),
  );
}

function comparedWords(proof) {
  const sentences = [];
  if (proof.outputs_equal && proof.compared === 0) sentences.push(words('fix.compared_callers'));
  else if (proof.outputs_equal)
    sentences.push(words(`fix.compared_${proof.measure}`, {n: proof.compared ?? proof.after.calls}));
  if (isPerCall(proof))
    sentences.push(words('fix.run_went', {before: seconds(proof.before.seconds), after: seconds(proof.after.seconds)}));
  return sentences.join(words('top.between_sentences'));
}

function unprovedView(func, fix) {
  const {predicted_traces: predicted} = fix;
  const promise = predicted != null && predicted < func.traces;
  return h(
    'p.note.open',
    null,
    h('b', null, words('fix.unproved')),
    words('top.between_sentences'),
    promise && words('fix.predicted', {before: func.traces, after: predicted}),
    promise && words('top.between_sentences'),
    fix.safety === 'advice' ? words('fix.advice') : howToProve('fix.prove_it'),
  );
}

/** The command that proves a change; there is none for a notebook. */
export function howToProve(key) {
  return isNotebook ? words('fix.notebook') : phrase(key, {command: h('code', null, DATA.fix_command)});
}

/** What to know before it is used; nothing of that matters where it was not proved. */
function fixNotes(fix) {
  if (fix.proof && fix.proof.verdict !== 'proved') return null;
  const caution = ['review', 'narrow', 'advice'].includes(fix.safety) && words(`fix.safety_note.${fix.safety}`);
  const sentences = [caution, ...sentencesOf(fix.notes)].filter(Boolean);
  return [
    sentences.length > 0 && h('ul.note.sentences', null, sentences.map((said) => h('li', null, said))),
    fix.wider && h('details.note', null, h('summary', null, words('fix.wider')), h('code', null, fix.wider)),
  ];
}
