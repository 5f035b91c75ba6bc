/** One recording: the report inside follows the address and the theme of the page around it. */

import { confirmDeletions } from './deleting.js';

/**
 * Begin the report anew: it reads its theme and its place from what follows the `#`, and is another origin, so that we
 * cannot ask it. A link to a place in it is `/recordings/ID#fn=NAME&trace=3`. Each frame is sent somewhere once: one
 * that is sent elsewhere while it loads may end up nowhere.
 */
function show(changes) {
  const frame = document.getElementById('report').cloneNode();
  const address = new URL(frame.dataset.src, location);
  const wanted = new URLSearchParams(address.hash.slice(1));
  const place = new URLSearchParams(location.hash.slice(1));
  for (const [name, value] of [...Object.entries(changes), ...place]) wanted.set(name, value);
  address.hash = wanted.toString();
  frame.dataset.src = frame.src = address;
  document.getElementById('report').replaceWith(frame);
}

document.addEventListener('theme', ({ detail }) => show({ theme: detail }));
window.addEventListener('hashchange', () => show({}));
show({});

confirmDeletions(() => location.assign('/recordings'));
