// Shortcuts, and the list of them. Those of a single key can be turned off (WCAG 2.1.4).

import {copyText} from './clipboard.js';
import {byId, h, refill} from './dom.js';
import {headlineFunction} from './facts.js';
import {clearFilter, isFiltered} from './filtering.js';
import {fixesOf, fixText} from './fix_card.js';
import {selectedTrace, selectTrace, shownFunctions} from './functions.js';
import {setLanguage} from './main.js';
import {isEmbedded, state, storage} from './state.js';
import {plot} from './timeline.js';
import {setHotEvent} from './tip.js';
import {toggleTheme} from './top.js';
import {words} from './words.js';
import {showWholeRun, zoomBy} from './zooming.js';

const SHORTCUTS = [
  ['search', ['/']],
  ['next', ['j', 'k']],
  ['open', ['Enter']],
  ['trace', ['[', ']']],
  ['copy', ['c']],
  ['zoom', ['+', '−', '0']],
  ['timeline', ['←', '→', '↑', '↓']],
  ['theme', ['d']],
  ['language', ['l']],
  ['clear', ['Esc']],
  ['help', ['?']],
];

const OF_THE_HEADER = ['theme', 'language']; // chosen outside where the report is embedded

const ACTIONS = {
  '/': () => byId('search').focus(),
  '?': openHelp,
  ...(!isEmbedded && {
    d: toggleTheme,
    l: () => setLanguage(state.language === 'zh' ? 'en' : 'zh'),
  }),
  '+': () => zoomBy(0.5),
  '=': () => zoomBy(0.5),
  '-': () => zoomBy(2),
  0: showWholeRun,
  j: () => stepToFunction(1),
  k: () => stepToFunction(-1),
  c: copyCurrentFix,
  '[': () => stepTrace(-1),
  ']': () => stepTrace(1),
};

export function openHelp() {
  byId('help').showModal();
}

export function renderHelp(dialog) {
  const choose = ({target}) => {
    state.shortcuts = target.checked;
    storage.set('shortcuts', target.checked ? 'on' : 'off');
  };
  const box = h('input', {type: 'checkbox', id: 'shortcuts', on: {change: choose}});
  box.checked = state.shortcuts;
  dialog.setAttribute('aria-labelledby', 'help-title');
  refill(
    dialog,
    h('h2', {id: 'help-title'}, words('keys.title')),
    h(
      'dl',
      null,
      SHORTCUTS.filter(([name]) => !isEmbedded || !OF_THE_HEADER.includes(name)).map(([name, keys]) => [
        h(
          'dt',
          null,
          keys.map((key) => [h('kbd', null, key), ' ']),
        ),
        h('dd', null, words(`keys.${name}`)),
      ]),
    ),
    h('label', {for: 'shortcuts'}, box, words('keys.single')),
    h('p.buttons', null, h('button.copy', {type: 'button', on: {click: () => dialog.close()}}, words('keys.close'))),
  );
}

/** The function whose card has the focus; else the one that the headline is about. */
function currentFunction() {
  const card = document.activeElement?.closest('article[id^="function-"]');
  const found = card && shownFunctions.find(({index}) => card.id === `function-${index}`);
  return found ?? null;
}

function stepToFunction(step) {
  const current = currentFunction();
  const position = current ? shownFunctions.indexOf(current) + step : 0;
  const next = shownFunctions[Math.max(0, Math.min(shownFunctions.length - 1, position))];
  const head = next && byId(`function-${next.index}-head`);
  head?.focus();
}

function copyCurrentFix() {
  const func = currentFunction() ?? headlineFunction;
  const [fix] = func ? fixesOf(func) : [];
  if (fix) copyText(fixText(fix));
}

function stepTrace(step) {
  const func = currentFunction() ?? headlineFunction;
  if (func) selectTrace(func.index, selectedTrace(func.index) + step);
}

function isTyping({target}) {
  return target.matches?.('input:not([type=checkbox]):not([type=range]), select, textarea');
}

addEventListener('keydown', (press) => {
  if (byId('help').open || press.ctrlKey || press.metaKey || press.altKey) return;
  if (press.key === 'Escape') {
    setHotEvent(null);
    if (isFiltered()) clearFilter();
    if (plot) showWholeRun();
    if (isTyping(press)) press.target.blur();
    return;
  }
  if (!state.shortcuts || isTyping(press)) return;
  const act = ACTIONS[press.key];
  if (!act) return;
  press.preventDefault();
  act();
});
