// On paper: light, as wide as the page, all lanes, and the cards of what needs attention open.

import {byId} from './dom.js';
import {functionsByWeight} from './facts.js';
import {renderAll} from './main.js';
import {state} from './state.js';
import {plot} from './timeline.js';

export const PAPER_WIDTH = 700; // pixels of the page on A4 and Letter
const CARDS_ON_PAPER = 4;

export let isPrinting = false;
let beforePrinting = null;

addEventListener('beforeprint', () => {
  beforePrinting = {theme: state.theme, open: new Set(state.open)};
  isPrinting = true;
  state.theme = 'light';
  const acute = functionsByWeight.filter(({attention}) => attention === 'alarms');
  for (const func of acute.slice(0, CARDS_ON_PAPER)) state.open.add(func.index);
  renderAll();
  plot?.setSize({width: PAPER_WIDTH - byId('lanes').offsetWidth, height: plot.height});
});

addEventListener('afterprint', () => {
  if (!beforePrinting) return;
  isPrinting = false;
  state.theme = beforePrinting.theme;
  state.open = beforePrinting.open;
  beforePrinting = null;
  renderAll();
});
