/** Explain: the answer comes as soon as something is pasted, and with the button. */

import { Region } from './fetching.js';

const form = document.getElementById('ask');
const text = document.getElementById('text');
const example = document.getElementById('example');
const answer = new Region('answer');

async function ask() {
  if (!text.value.trim()) return;
  const asked = new URLSearchParams({ text: text.value });
  if (await answer.load(form.action, { method: 'POST', body: asked })) {
    document.getElementById('answered').textContent = answer.element.dataset.count;
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  ask();
});
text.addEventListener('paste', () => setTimeout(ask)); // once the text is in its place
text.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
example.hidden = false;
example.addEventListener('click', () => {
  text.value = example.dataset.text;
  ask();
});
