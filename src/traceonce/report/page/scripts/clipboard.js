// Copying a text, and saying that it is copied.

import {h, toast} from './dom.js';
import {words} from './words.js';

export async function copyText(text) {
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copied = copyBySelection(text); // no permission, or no clipboard outside of a secure context
  }
  toast(words(copied ? 'top.copied' : 'top.not_copied'));
}

function copyBySelection(text) {
  const area = h('textarea.vh', {'aria-hidden': 'true', tabindex: '-1'});
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}
