// Building the document. Texts go in as text nodes only: nothing that a program is called can become markup.

/** An element: `h('button.tool', {type: 'button', on: {click}}, 'Print')`.
 *
 * `tag` may carry classes. Of `props`, `on` holds listeners, `css` style properties (`--c`, `width`), `class` more
 * classes; the others are attributes (true: an empty one; null, undefined or false: none). Of the children, null,
 * undefined and false are left out; arrays are spread.
 */
export function h(tag, props, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name || 'div');
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value == null || value === false) continue;
    if (key === 'on') for (const [type, listener] of Object.entries(value)) element.addEventListener(type, listener);
    else if (key === 'css')
      for (const [property, text] of Object.entries(value)) element.style.setProperty(property, text);
    else if (key === 'class') element.classList.add(...String(value).split(' ').filter(Boolean));
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...present(children));
  return element;
}

/** An SVG element. */
export function svg(name, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, value);
  element.append(...present(children));
  return element;
}

function present(children) {
  return children.flat(Infinity).filter((child) => child != null && child !== false);
}

/** Put new children into a container, in the place of what it holds. */
export function refill(container, ...children) {
  container.replaceChildren(...present(children));
}

export function byId(id) {
  return document.getElementById(id);
}

/** The value of a custom property of the page, such as a colour of the palette. */
export function styleValue(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A function that runs `work` once before the next frame, however often it is called. */
export function oncePerFrame(work) {
  let waiting = 0;
  return (...values) => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => work(...values));
  };
}

/** Is the page used with a finger? Then what is touched must be larger. */
export function isTouched() {
  return matchMedia('(pointer: coarse)').matches;
}

export function wantsLessMotion() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Bring an element into view below the bar at the top. */
export function scrollToElement(element) {
  element.scrollIntoView({behavior: wantsLessMotion() ? 'auto' : 'smooth', block: 'start'});
}

/** Say something to whoever cannot see the page change. */
export function announce(text) {
  byId('live').textContent = text;
}

let toastTimer = 0;

/** A short message at the bottom of the page. */
export function toast(text) {
  const box = byId('toast');
  box.textContent = text;
  box.classList.add('on');
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => box.classList.remove('on'), 1600);
}
