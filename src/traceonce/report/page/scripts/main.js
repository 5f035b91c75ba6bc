// The page as a whole: draw it, follow links, keep up with the window and the system.

import {byId, h, refill, toast} from './dom.js';
import {renderEvents} from './events.js';
import {DATA, eventsOf, headlineFunction} from './facts.js';
import {findVisible} from './filtering.js';
import {openFunction, renderFunctions} from './functions.js';
import {renderHelp} from './keyboard.js';
import {address, darkSystem, findFunction, isDark, state, storage} from './state.js';
import {plot, renderTimeline} from './timeline.js';
import {renderTop} from './top.js';
import {renderVerdict} from './verdict.js';
import {words} from './words.js';

export function renderAll() {
  const root = document.documentElement;
  root.lang = state.language === 'zh' ? 'zh-CN' : 'en';
  root.dataset.theme = isDark() ? 'dark' : 'light';
  document.title = pageTitle();
  for (const id of ['run', 'functions', 'events']) byId(id).hidden = !DATA.functions.length; // there is nothing to list
  const focused = document.activeElement?.id;
  renderTop(byId('top'));
  renderVerdict(byId('verdict'));
  renderTimeline(byId('run'));
  renderFunctions(byId('functions'));
  renderEvents(byId('events'));
  renderHelp(byId('help'));
  renderFoot(byId('foot'));
  if (focused) byId(focused)?.focus({preventScroll: true});
}

function pageTitle() {
  const found = headlineFunction
    ? `${headlineFunction.name}: ${words(`verdict.badge.${headlineFunction.verdict}`)}`
    : words('verdict.fine');
  return `${found} · traceonce`;
}

function renderFoot(container) {
  const {platform} = DATA.environment;
  refill(
    container,
    h('span', null, [`traceonce ${DATA.version}`, DATA.schema, platform].filter(Boolean).join(' · ')),
    h('span', null, 'uPlot 1.6.32 (MIT) · IBM Plex (OFL 1.1)'),
  );
}

/** Open what the address names. */
function followLink() {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (!parts.has('fn')) return;
  const index = findFunction(parts.get('fn'));
  if (index < 0) {
    toast(words('top.no_such_function', {name: parts.get('fn')}));
    return;
  }
  const trace = Number(parts.get('trace'));
  if (trace >= 1) state.selected[index] = Math.min(trace, eventsOf(index).length) - 1;
  openFunction(index, {scroll: true});
}

export function setTheme(theme) {
  state.theme = theme;
  storage.set('theme', theme);
  renderAll();
}

export function setLanguage(language) {
  state.language = language;
  storage.set('language', language);
  findVisible();
  renderAll();
}

darkSystem.addEventListener('change', () => {
  if (state.theme === null) renderAll();
});
addEventListener('hashchange', followLink);

if (headlineFunction) state.open.add(headlineFunction.index);
renderAll();
document.fonts.ready.then(() => plot?.redraw(false)); // the axis was drawn with what was there
if (address.has('fn')) requestAnimationFrame(followLink);
requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('interactive')));
