// The bar at the top: what was run, the search, and the settings of the page.

const NAMES = {tensorflow: 'TensorFlow', jax: 'JAX', torch: 'PyTorch', python: 'Python'};
const SEARCH_DELAY = 70; // ms without a key before the page follows

function renderTop(container) {
  const otherLanguage = state.language === 'zh' ? 'en' : 'zh';
  refill(
    container,
    h(
      'div.wrap',
      null,
      h('span.brand', null, h('i', {'aria-hidden': 'true'}), 'traceonce'),
      runLine(),
      searchBox(),
      h(
        'div.tools',
        null,
        topButton('language', words('top.language'), () => setLanguage(otherLanguage), {lang: otherLanguage}),
        topButton('theme', words(isDark() ? 'top.light' : 'top.dark'), toggleTheme),
        topButton('print', words('top.print'), () => print(), {class: 'wide'}),
        topButton('keys', words('top.keys'), openHelp, {class: 'wide'}),
      ),
    ),
  );
  byId('skip').textContent = words('top.skip');
}

function topButton(id, text, click, more = {}) {
  return h('button.tool', {type: 'button', id, on: {click}, ...more}, text);
}

function toggleTheme() {
  setTheme(isDark() ? 'light' : 'dark');
}

/** The command, how long it took, how it ended, when, and with which versions. */
function runLine() {
  const facts = [
    DATA.runs > 1 && words('top.runs', {n: DATA.runs}),
    seconds(DATA.seconds),
    DATA.exit_code != null && words('top.exit', {n: String(DATA.exit_code)}),
    DATA.started > 0 && DATA.started < 1e11 && date(DATA.started), // later than any clock: not a time
    ...Object.entries(NAMES).map(([key, name]) => DATA.environment[key] && `${name}${NBSP}${DATA.environment[key]}`),
  ].filter(Boolean);
  const command = isNotebook ? DATA.command.join(' ') : `python ${DATA.command.join(' ')}`;
  const text = facts.join(' · ');
  return h(
    'span.run',
    {title: `${command} · ${text}`},
    DATA.command.length > 0 && h('code', null, command),
    DATA.command.length > 0 && ' · ',
    text,
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
    placeholder: words('top.search'),
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-label': words('top.search'),
    'aria-keyshortcuts': '/',
    on: {input: follow},
  });
  box.value = state.query;
  return h('div.search', {role: 'search'}, box, h('kbd', {'aria-hidden': 'true'}, '/'));
}
