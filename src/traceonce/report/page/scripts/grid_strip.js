// The columns of a grid in small.

import {h, oncePerFrame, styleValue} from './dom.js';
import {words} from './words.js';

/** All columns of a grid at once, a few pixels high: a click or a drag on it goes there. */
export class GridStrip {
  constructor(grid) {
    this.grid = grid;
    this.canvas = h('canvas', {'aria-hidden': 'true'});
    this.pane = h('div.strip-pane', {'aria-hidden': 'true'});
    this.element = h(
      'div.strip',
      {
        role: 'slider',
        tabindex: '0',
        'aria-label': words('cards.grid.strip'),
        'aria-orientation': 'horizontal',
        on: {
          pointerdown: (press) => this.grasp(press),
          pointermove: (move) => this.drag(move),
          keydown: (press) => this.step(press),
        },
      },
      this.canvas,
      this.pane,
    );
    this.go = oncePerFrame((first) => grid.show(first));
  }

  /** Put the pane over the columns that are shown. */
  mark() {
    const {first, columns, events} = this.grid;
    const all = events.length;
    this.pane.style.setProperty('left', `${(first / all) * 100}%`);
    this.pane.style.setProperty('width', `${(columns / all) * 100}%`);
    this.element.setAttribute('aria-valuemin', '1');
    this.element.setAttribute('aria-valuemax', String(all - columns + 1));
    this.element.setAttribute('aria-valuenow', String(first + 1));
    this.element.setAttribute('aria-valuetext', this.grid.range.textContent);
  }

  grasp(press) {
    if (press.button !== 0) return;
    this.element.setPointerCapture(press.pointerId);
    this.drag(press);
  }

  drag(move) {
    if (!this.element.hasPointerCapture(move.pointerId)) return;
    const box = this.element.getBoundingClientRect();
    const {columns, events} = this.grid;
    this.go(((move.clientX - box.left) / box.width) * events.length - columns / 2);
  }

  step(press) {
    const {first, columns, events} = this.grid;
    const target = {
      ArrowLeft: first - 1,
      ArrowRight: first + 1,
      ArrowDown: first - 1,
      ArrowUp: first + 1,
      PageDown: first - columns,
      PageUp: first + columns,
      Home: 0,
      End: events.length,
    }[press.key];
    if (target == null) return;
    press.preventDefault();
    this.grid.show(target);
  }

  /** A line of pixels per row; where several traces share a pixel, it is the stronger the more of them changed. */
  draw() {
    const {rows, events} = this.grid;
    const scale = devicePixelRatio || 1;
    const line = Math.round(Math.max(3, Math.min(8, 48 / rows.length)) * scale);
    const width = Math.round(this.element.clientWidth * scale);
    this.canvas.width = width;
    this.canvas.height = rows.length * line;
    const context = this.canvas.getContext('2d');
    const perPixel = events.length / width;
    rows.forEach(({cells}, number) => {
      const counts = new Map(); // by family: how many cells of it fall on each pixel
      cells.forEach((cell, position) => {
        if (!cell.family) return;
        if (!counts.has(cell.family)) counts.set(cell.family, new Uint16Array(width + 1));
        counts.get(cell.family)[Math.floor(position / perPixel)] += 1;
      });
      for (const [family, pixels] of counts) {
        context.fillStyle = styleValue(`--${family}`);
        const wide = Math.max(1, 1 / perPixel);
        pixels.forEach((count, x) => {
          if (!count) return;
          context.globalAlpha = Math.min(1, 0.25 + (0.75 * count) / Math.max(1, perPixel));
          context.fillRect(x, number * line, wide, line - scale);
        });
      }
    });
  }
}
