/** Search as you type: the results follow what is typed, the address follows the results. */

const PAUSE = 150; // milliseconds without a key

/** Connects a form with the region that shows its results; `changed` is called when they are others. */
export function searchAsYouType(form, region, changed = () => {}) {
  const count = document.getElementById('count');
  let timer;

  function address() {
    const found = new URL(form.action);
    for (const [name, value] of new FormData(form)) {
      if (value.trim()) found.searchParams.set(name, value);
    }
    return found;
  }

  function report() {
    count.textContent = region.element.dataset.count;
    changed();
  }

  async function search() {
    clearTimeout(timer);
    const asked = address();
    if (await region.load(asked)) {
      history.replaceState(null, '', asked);
      report();
    }
  }

  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(search, PAUSE);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    search();
  });
  report();
  return search;
}

/** Arrow keys walk from the search through the results and back; Enter opens, as it does with any link. */
export function walkWithArrows(input, region, selector) {
  document.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const stops = [input, ...region.element.querySelectorAll(selector)];
    const at = stops.indexOf(document.activeElement);
    const next = stops[at + step];
    if (at < 0 || !next) return;
    event.preventDefault();
    next.focus();
  });
}
