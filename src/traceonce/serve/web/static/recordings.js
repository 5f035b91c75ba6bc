/** The list of recordings: search, upload, delete, and two to compare. */

import { confirmDeletions } from './deleting.js';
import { say } from './dom.js';
import { Region } from './fetching.js';
import { searchAsYouType } from './live_search.js';
import { acceptFiles, uploadFiles } from './uploading.js';

const results = new Region('results');

/** Two can be compared, not one and not three. */
function countPicked() {
  const button = document.getElementById('compare');
  if (!button) return;
  const picked = document.querySelectorAll('input[name=run]:checked').length;
  const words = ['pick_two', 'pick_one_more', 'two_picked'][picked] ?? 'too_many_picked';
  document.getElementById('picked').textContent = say(words, { n: picked });
  button.disabled = picked !== 2;
}

const refresh = searchAsYouType(document.getElementById('filter'), results, countPicked);

document.addEventListener('change', (event) => {
  if (event.target.name === 'run') countPicked();
});

acceptFiles((files) => {
  uploadFiles(files, Number(document.getElementById('adding').dataset.max), async (ids) => {
    document.getElementById('search').value = '';
    await refresh();
    for (const id of ids) document.getElementById(`run-${id}`)?.classList.add('fresh');
  });
});

confirmDeletions(refresh);
