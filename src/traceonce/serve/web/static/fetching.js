/** Takes a region of a page from the server and puts it in place of the one that is shown. */

import { reasonIn, say, toast } from './dom.js';
import { enliven } from './site.js';

/**
 * One region of the page. What is asked for last is what is shown: an earlier request is given up.
 * The server renders the whole page, as it does without scripts, so that everything in it is escaped in one place.
 */
export class Region {
  #asking = null;

  constructor(id) {
    this.id = id;
  }

  get element() {
    return document.getElementById(this.id);
  }

  /** Shows the region as it is on the page at `address`; says whether it does. */
  async load(address, options = {}) {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.element.setAttribute('aria-busy', 'true');
    try {
      const headers = { Accept: 'text/html' };
      const response = await fetch(address, { ...options, headers, signal: asking.signal });
      if (response.status === 401 || new URL(response.url).pathname === '/login') {
        location.assign('/login'); // the token has changed, or the cookie is too old
        return false;
      }
      const text = await response.text();
      const page = new DOMParser().parseFromString(text, 'text/html');
      const region = page.getElementById(this.id);
      if (!region) {
        toast(page.querySelector('main .lede')?.textContent.trim() ?? reasonIn(text, response.status));
        return false;
      }
      this.element.replaceWith(document.adoptNode(region));
      enliven(this.element);
      return true;
    } catch (error) {
      if (error.name !== 'AbortError') toast(say('no_answer'));
      return false;
    } finally {
      if (this.#asking === asking) this.element.removeAttribute('aria-busy');
    }
  }
}
