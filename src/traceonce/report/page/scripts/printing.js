// On paper: light, as wide as the page, with the cards of what needs attention open.

const PAPER_WIDTH = 700; // pixels of the page on A4 and Letter
const CARDS_ON_PAPER = 8;

let beforePrinting = null;

addEventListener('beforeprint', () => {
  beforePrinting = {theme: state.theme, open: new Set(state.open), view};
  state.theme = 'light';
  const acute = functionsByWeight.filter((func) => SLOW.includes(func.verdict) || isSilent(func));
  for (const func of acute.slice(0, CARDS_ON_PAPER)) state.open.add(func.index);
  renderAll();
  plot?.setSize({width: PAPER_WIDTH - byId('lanes').clientWidth, height: plot.height});
});

addEventListener('afterprint', () => {
  if (!beforePrinting) return;
  state.theme = beforePrinting.theme;
  state.open = beforePrinting.open;
  beforePrinting = null;
  renderAll();
});
