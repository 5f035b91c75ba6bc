/** On every page: the theme, copying, times in the reader's own zone, menus, and the key that leads to the search. */

import { say, toast } from './dom.js';

const YEAR = 365 * 24 * 60 * 60;

/** The theme changes at once; the server reads the cookie, so that the next page does not flash. */
function chooseTheme(link) {
  const { value } = link.dataset;
  document.cookie = `traceonce_theme=${value}; path=/; max-age=${YEAR}; samesite=lax`;
  if (value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
  for (const other of link.parentElement.children) other.removeAttribute('aria-current');
  link.setAttribute('aria-current', 'true');
  document.dispatchEvent(new CustomEvent('theme', { detail: value }));
}

/** The other language of what is shown now: a search may have changed the address since the page was made. */
function chooseLanguage(link) {
  const address = new URL(location.href);
  address.searchParams.set('lang', link.dataset.value);
  location.assign(address);
}

async function copy(button) {
  const { textContent } = button.closest('.code').querySelector('pre');
  try {
    await navigator.clipboard.writeText(textContent);
    toast(say('copied'));
  } catch {
    toast(say('copy_failed')); // a page without https has no clipboard
  }
}

/** Shows what needs scripts, and times as the reader's clock has them. */
export function enliven(part) {
  for (const button of part.querySelectorAll('.copy[hidden], [data-delete][hidden]')) button.hidden = false;
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
  for (const time of part.querySelectorAll('time[datetime]')) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    time.title = time.textContent;
    time.textContent = format.format(moment);
  }
}

function isTyping() {
  return document.activeElement?.matches('input:not([type=checkbox]), textarea, select') ?? false;
}

document.addEventListener('click', (event) => {
  const choice = event.target.closest('[data-choice]');
  const plain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (choice && plain) {
    event.preventDefault();
    if (choice.dataset.choice === 'theme') chooseTheme(choice);
    else chooseLanguage(choice);
  }
  const copying = event.target.closest('.copy');
  if (copying) copy(copying);
  for (const menu of document.querySelectorAll('.menu[open]')) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    for (const menu of document.querySelectorAll('.menu[open]')) {
      menu.open = false;
      menu.querySelector('summary').focus();
    }
  }
  const search = document.getElementById('search');
  if (event.key === '/' && search && !isTyping() && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    search.select();
    search.focus();
  }
});

enliven(document);
