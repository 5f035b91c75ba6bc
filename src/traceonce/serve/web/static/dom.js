/** What all scripts share: words in the page's language, small elements, messages. Text is set, never parsed. */

const WORDS = JSON.parse(document.getElementById('words').textContent);

/** A word in the page's language, its places filled in. */
export function say(key, values = {}) {
  return WORDS[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** An element with these properties and children; children that are strings become text. */
export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Show a message for a moment; screen readers say it. */
export function toast(text) {
  let shown = document.querySelector('.toast');
  if (!shown) {
    shown = element('div', { className: 'toast', role: 'status' });
    document.body.append(shown);
  }
  shown.textContent = text;
  shown.classList.add('shown');
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => shown.classList.remove('shown'), 2500);
}

/** Why the server refused something: what it said, or at least its status. */
export function reasonIn(body, status) {
  try {
    const { detail } = JSON.parse(body);
    if (typeof detail === 'string') return detail;
  } catch {
    // not from our server: a proxy's page, perhaps
  }
  return say('refused', { status });
}
