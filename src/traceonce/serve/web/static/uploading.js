/** Sends files to the server, one after the other, and shows how each of them fares. */

import { element, reasonIn, say, toast } from './dom.js';

const MIB = 1024 * 1024;

class Upload {
  constructor(file) {
    this.file = file;
    this.progress = element('progress', { max: 1, value: 0, ariaLabel: file.name });
    this.state = element('span', { className: 'upload-state', textContent: say('waiting') });
    this.row = element('li', { className: 'upload' }, element('span', { textContent: file.name }), this.progress, this.state);
  }

  /** Why it cannot be sent, as far as that is known here; else nothing. */
  problem(limit) {
    if (this.file.size === 0) return say('is_empty');
    if (this.file.size > limit) {
      return say('too_large', { size: (this.file.size / MIB).toFixed(1), limit: Math.floor(limit / MIB) });
    }
    return '';
  }

  /** Sends it; resolves to the recording's id, or to nothing where it was refused. fetch cannot tell how far it is. */
  send() {
    return new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.open('POST', `/api/v1/recordings?name=${encodeURIComponent(this.file.name)}`);
      request.setRequestHeader('Content-Type', 'application/octet-stream');
      request.upload.addEventListener('progress', ({ loaded, total }) => this.#advance(loaded / total));
      request.addEventListener('error', () => resolve(this.fail(say('no_answer'))));
      request.addEventListener('load', () => {
        if (request.status === 200 || request.status === 201) resolve(this.#succeed(request));
        else resolve(this.fail(reasonIn(request.responseText, request.status)));
      });
      request.send(this.file);
    });
  }

  #advance(share) {
    this.progress.value = share;
    this.state.textContent = share < 1 ? say('sending', { percent: Math.floor(100 * share) }) : say('reading');
  }

  #succeed(request) {
    const { id } = JSON.parse(request.responseText);
    this.progress.value = 1;
    this.row.classList.add('done');
    this.state.textContent = say(request.status === 201 ? 'added' : 'known');
    this.state.append(' · ', element('a', { href: `/recordings/${id}`, textContent: say('open') }));
    return id;
  }

  fail(reason) {
    this.row.classList.add('failed');
    this.progress.remove();
    this.state.textContent = reason;
    return null;
  }
}

/** Uploads files, shown in the section `#uploads`; calls `arrived` with the ids when all are through. */
export async function uploadFiles(files, limit, arrived) {
  const section = document.getElementById('uploads');
  const uploads = [...files].map((file) => new Upload(file));
  section.hidden = false;
  document.getElementById('upload-list').prepend(...uploads.map((upload) => upload.row));
  const ids = [];
  for (const upload of uploads) {
    const problem = upload.problem(limit);
    const id = problem ? upload.fail(problem) : await upload.send();
    if (id) ids.push(id);
  }
  toast(say('uploaded_all', { done: ids.length, failed: uploads.length - ids.length }));
  if (ids.length) await arrived(ids);
}

/** Files may be dropped anywhere on the page, or chosen with the button. */
export function acceptFiles(take) {
  const files = document.getElementById('files');
  const overlay = document.getElementById('drop');
  const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');

  document.getElementById('adding').hidden = false;
  document.getElementById('choose-files').addEventListener('click', () => files.click());
  files.addEventListener('change', () => {
    take([...files.files]);
    files.value = ''; // so that the same file may be chosen again
  });
  document.addEventListener('dragover', (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    overlay.hidden = false;
  });
  document.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) overlay.hidden = true; // it has left the window
  });
  document.addEventListener('drop', (event) => {
    overlay.hidden = true;
    if (!carriesFiles(event)) return;
    event.preventDefault();
    take([...event.dataTransfer.files]);
  });
}
