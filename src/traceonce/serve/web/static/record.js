/** One record: say whether a workaround worked, so that others on this server know. */

import { reasonIn, say, toast } from './dom.js';

const { record } = document.getElementById('workarounds')?.dataset ?? {};

async function note(row, worked) {
  const outcome = { record, workaround: Number(row.dataset.workaround), worked };
  const headers = { 'Content-Type': 'application/json' };
  try {
    const response = await fetch('/api/v1/outcomes', { method: 'POST', headers, body: JSON.stringify(outcome) });
    if (!response.ok) throw new Error(reasonIn(await response.text(), response.status));
    row.replaceChildren(say('noted'));
    row.classList.add('muted');
  } catch (error) {
    toast(error instanceof TypeError ? say('no_answer') : error.message);
  }
}

for (const row of document.querySelectorAll('[data-workaround]')) {
  row.hidden = false;
  row.addEventListener('click', ({ target }) => {
    const { worked } = target.dataset;
    if (worked) note(row, worked === 'true');
  });
}
