/** Asks before a recording is deleted. */

import { reasonIn, say, toast } from './dom.js';

/** Lets every `[data-delete]` on the page delete its recording; calls `deleted` when one is gone. */
export function confirmDeletions(deleted) {
  const dialog = document.getElementById('delete-dialog');
  const problem = document.getElementById('delete-problem');
  const confirm = document.getElementById('delete-confirm');
  let chosen;

  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-delete]');
    if (!button) return;
    chosen = button.dataset.delete;
    document.getElementById('delete-name').textContent = button.dataset.name;
    problem.hidden = true;
    dialog.showModal();
  });

  confirm.addEventListener('click', async () => {
    confirm.disabled = true;
    try {
      const response = await fetch(`/api/v1/recordings/${chosen}`, { method: 'DELETE' });
      // Whoever else has deleted it meanwhile did what was wanted.
      if (!response.ok && response.status !== 404) throw new Error(reasonIn(await response.text(), response.status));
      dialog.close();
      toast(say('deleted'));
      await deleted(chosen);
    } catch (error) {
      problem.textContent = error instanceof TypeError ? say('no_answer') : error.message;
      problem.hidden = false;
    } finally {
      confirm.disabled = false;
    }
  });
}
