// The bar at the top: what was run, the search, and the settings of the page.

import {byId, h, refill} from './dom.js';
import {CATALOGUE, DATA, isNotebook} from './facts.js';
import {search} from './filtering.js';
import {openHelp} from './keyboard.js';
import {isPhone} from './lanes.js';
import {setLanguage, setTheme} from './main.js';
import {placeView} from './names.js';
import {date, NBSP, seconds} from './numbers.js';
import {isDark, isEmbedded, state} from './state.js';
import {words} from './words.js';

const NAMES = CATALOGUE.titles;
const SEARCH_DELAY = 70; // ms without a key before the page follows

export function renderTop(container) {
  const otherLanguage = state.language === 'zh' ? 'en' : 'zh';
  const own = !isEmbedded; // the page around it says what was run, and chooses language and theme for both
  refill(
    container,
    h(
      'div.wrap',
      null,
      own && h('span.brand', null, h('i', {'aria-hidden': 'true'}), 'traceonce', h('small', null, ` ${DATA.version}`)),
      own && runLine(),
      searchBox(),
      h(
        'div.tools',
        null,
        own && topButton('language', words('top.language'), () => setLanguage(otherLanguage), {lang: otherLanguage}),
        own && topButton('theme', words(isDark() ? 'top.light' : 'top.dark'), toggleTheme),
        topButton('print', words('top.print'), () => print(), {class: 'wide'}),
        topButton('keys', words('top.keys'), openHelp, {class: 'wide'}),
      ),
    ),
  );
  if (isEmbedded) container.setAttribute('role', 'presentation'); // not a second banner
  byId('skip').textContent = words('top.skip');
}

function topButton(id, text, click, more = {}) {
  return h('button.tool', {type: 'button', id, on: {click}, ...more}, text);
}

export function toggleTheme() {
  setTheme(isDark() ? 'light' : 'dark');
}

/** The command, how long it took, how it ended, when, and with which versions. */
export function runLine() {
  const facts = [
    DATA.runs > 1 && words('top.runs', {n: DATA.runs}),
    seconds(DATA.seconds),
    DATA.exit_code != null && words('top.exit', {n: String(DATA.exit_code)}),
    DATA.started > 0 && DATA.started < 1e11 && date(DATA.started), // later than any clock: not a time
    ...Object.entries(NAMES).map(([key, name]) => DATA.environment[key] && `${name}${NBSP}${DATA.environment[key]}`),
  ].filter(Boolean);
  const command = isNotebook ? DATA.command.join(' ') : `python ${DATA.command.join(' ')}`;
  return h(
    'div.run',
    null,
    DATA.command.length > 0 && placeView('code', command),
    h('span', null, facts.join(' · ')),
  );
}

let searchTimer = 0;

function searchBox() {
  const follow = (input) => {
    clearTimeout(searchTimer);
    searchTimer = setTimeout(() => search(input.target.value), SEARCH_DELAY);
  };
  const box = h('input', {
    id: 'search',
    type: 'search',
    placeholder: words(isPhone() ? 'top.search_briefly' : 'top.search'),
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-label': words('top.search'),
    'aria-keyshortcuts': '/',
    on: {input: follow},
  });
  box.value = state.query;
  return h('div.search', {role: 'search'}, box, h('kbd', {'aria-hidden': 'true'}, '/'));
}
