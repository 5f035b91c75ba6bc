/** One recording: the report inside follows the address and the theme of the page around it. */

import { confirmDeletions } from './deleting.js';

/** The report reads its theme and its place from what follows the `#`; it is another origin, so that we cannot ask it. */
function addressWith(changes) {
  const address = new URL(document.getElementById('report').src);
  const wanted = new URLSearchParams(address.hash.slice(1));
  for (const [name, value] of Object.entries(changes)) wanted.set(name, value);
  address.hash = wanted.toString();
  return address;
}

/** A link to a place in the report: `/recordings/ID#fn=NAME&trace=3`. */
function passOn() {
  if (location.hash.length < 2) return;
  const place = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  document.getElementById('report').contentWindow.location.replace(addressWith(place));
}

/** A report takes its theme when it begins: let it begin anew. */
function show(theme) {
  const frame = document.getElementById('report');
  const anew = frame.cloneNode();
  anew.src = addressWith({ theme });
  anew.addEventListener('load', passOn);
  frame.replaceWith(anew);
}

document.addEventListener('theme', ({ detail }) => show(detail));
window.addEventListener('hashchange', passOn);
// Before it has loaded, a frame may drop what it is told.
document.getElementById('report').addEventListener('load', passOn);
passOn();

confirmDeletions(() => location.assign('/recordings'));
