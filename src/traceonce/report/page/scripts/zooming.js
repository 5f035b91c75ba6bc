// Moving about in the run: by dragging, wheel, buttons, keys, fingers, and the bar below.

import {byId, h, wantsLessMotion} from './dom.js';
import {runSeconds} from './facts.js';
import {openEvent} from './functions.js';
import {moment} from './numbers.js';
import {laneScroller, plot} from './timeline.js';
import {hotEvent, setHotEvent} from './tip.js';
import {words} from './words.js';

const CLOSEST = 1e5; // the run can be seen this many times enlarged
const GLIDE = 180; // ms
const STEP = 0.2; // of what is in view, for one key

export let view = {from: 0, to: runSeconds};
let gliding = 0;

/** Show this part of the run, or as much of it as there is. */
export function showView({from, to}) {
  const span = Math.min(runSeconds, Math.max(to - from, runSeconds / CLOSEST));
  const start = Math.max(0, Math.min(from, runSeconds - span));
  plot?.setScale('x', {min: start, max: start + span});
}

/** The same with a short glide, unless less motion is wanted. */
function glideTo(target) {
  cancelAnimationFrame(gliding);
  if (wantsLessMotion()) return showView(target);
  const origin = {...view};
  const began = performance.now();
  const step = (now) => {
    const done = Math.min(1, (now - began) / GLIDE);
    const eased = 1 - (1 - done) ** 3;
    showView({
      from: origin.from + (target.from - origin.from) * eased,
      to: origin.to + (target.to - origin.to) * eased,
    });
    if (done < 1) gliding = requestAnimationFrame(step);
  };
  gliding = requestAnimationFrame(step);
}

export function showWholeRun() {
  glideTo({from: 0, to: runSeconds});
}

/** The view enlarged (factor below 1) around a moment that stays where it is. */
function zoomedView(factor, around) {
  return {from: around - (around - view.from) * factor, to: around + (view.to - around) * factor};
}

export function zoomBy(factor) {
  const around = hotEvent ? hotEvent.start : (view.from + view.to) / 2;
  glideTo(zoomedView(factor, around));
}

function panBy(time) {
  const span = view.to - view.from;
  const from = Math.max(0, Math.min(runSeconds - span, view.from + time));
  showView({from, to: from + span});
}

/** uPlot has another scale: remember it, and move the bar. */
export function followScale(chart, axis) {
  if (axis !== 'x') return;
  view = {from: chart.scales.x.min, to: chart.scales.x.max};
  const bar = byId('pan');
  if (!bar) return;
  const whole = view.to - view.from >= runSeconds * 0.999;
  bar.classList.toggle('on', !whole);
  bar.tabIndex = whole ? -1 : 0;
  bar.setAttribute(
    'aria-valuenow',
    String(Math.round((100 * view.from) / Math.max(1e-9, runSeconds - (view.to - view.from)) || 0)),
  );
  bar.setAttribute(
    'aria-valuetext',
    `${moment(view.from, view.to - view.from)} – ${moment(view.to, view.to - view.from)}`,
  );
  const thumb = bar.firstChild;
  thumb.style.left = `${(100 * view.from) / runSeconds}%`;
  thumb.style.width = `${(100 * (view.to - view.from)) / runSeconds}%`;
}

/** The bar below the chart: which part of the run is in view. */
export function panBar() {
  const thumb = h('i');
  const bar = h(
    'div.pan',
    {
      id: 'pan',
      role: 'scrollbar',
      tabindex: '-1',
      'aria-controls': 'plot',
      'aria-orientation': 'horizontal',
      'aria-label': words('timeline.pan'),
      'aria-valuemin': '0',
      'aria-valuemax': '100',
      'aria-valuenow': '0',
      on: {keydown: panByKey},
    },
    thumb,
  );
  bar.addEventListener('pointerdown', (press) => {
    bar.setPointerCapture(press.pointerId);
    const {from} = view;
    const move = ({clientX}) => panBy(from - view.from + ((clientX - press.clientX) / bar.clientWidth) * runSeconds);
    bar.addEventListener('pointermove', move);
    bar.addEventListener('lostpointercapture', () => bar.removeEventListener('pointermove', move), {once: true});
  });
  return bar;
}

function panByKey(press) {
  const span = view.to - view.from;
  const by = {
    ArrowLeft: -STEP * span,
    ArrowRight: STEP * span,
    PageUp: -span,
    PageDown: span,
    Home: -runSeconds,
    End: runSeconds,
  }[press.key];
  if (by == null) return;
  press.preventDefault();
  panBy(by);
}

export function listenToPlot(chart) {
  const area = chart.over;
  area.addEventListener('wheel', turnWheel, {passive: false});
  area.addEventListener('mouseleave', () => setHotEvent(null));
  let pressedAt = null;
  area.addEventListener('pointerdown', ({clientX}) => (pressedAt = clientX));
  area.addEventListener('click', ({clientX}) => {
    const dragged = pressedAt != null && Math.abs(clientX - pressedAt) > 4;
    if (hotEvent && !dragged) openEvent(hotEvent);
  });
  listenToFingers(area);
}

/** With Ctrl the wheel zooms, with Shift or sideways it pans; else it scrolls the page as ever. */
function turnWheel(turn) {
  const zooms = turn.ctrlKey || turn.metaKey;
  const sideways = Math.abs(turn.deltaX) > Math.abs(turn.deltaY) || turn.shiftKey;
  const inView = view.to - view.from < runSeconds * 0.999;
  if (!zooms && !(sideways && inView)) return;
  turn.preventDefault();
  const {left, width} = plot.over.getBoundingClientRect();
  if (zooms) showView(zoomedView(Math.exp(turn.deltaY * 0.004), plot.posToVal(turn.clientX - left, 'x')));
  else panBy(((turn.deltaX || turn.deltaY) / width) * (view.to - view.from));
}

/** Two fingers zoom and move the view, one finger moves it; up and down is left to the page. Names lie on the chart. */
function listenToFingers(area) {
  const fingers = new Map(); // pointer id → x
  let grip = null; // {moments, xs}: what was under the fingers when they came down
  const hold = () => {
    const {left} = area.getBoundingClientRect();
    const xs = [...fingers.values()].map((x) => x - left);
    grip = {
      left,
      width: area.clientWidth,
      moments: xs.map((x) => view.from + (x / area.clientWidth) * (view.to - view.from)),
    };
  };
  laneScroller.addEventListener('pointerdown', (press) => {
    if (press.pointerType !== 'touch' || fingers.size === 2) return;
    fingers.set(press.pointerId, press.clientX);
    hold();
  });
  laneScroller.addEventListener('pointermove', (move) => {
    if (!fingers.has(move.pointerId)) return;
    fingers.set(move.pointerId, move.clientX);
    moveView(
      [...fingers.values()].map((x) => x - grip.left),
      grip,
    );
  });
  for (const end of ['pointerup', 'pointercancel']) {
    laneScroller.addEventListener(end, ({pointerId}) => {
      if (fingers.delete(pointerId)) hold();
    });
  }
}

/** Show the part of the run that puts the moments that were taken hold of under the fingers again. */
function moveView([x, otherX], {width, moments: [held, otherHeld]}) {
  if (otherX == null) {
    const span = view.to - view.from;
    panBy(held - (x / width) * span - view.from);
    return;
  }
  if (Math.abs(otherX - x) < 1 || held === otherHeld) return;
  const perPixel = (otherHeld - held) / (otherX - x);
  if (perPixel <= 0) return; // the fingers have crossed
  const from = held - x * perPixel;
  showView({from, to: from + width * perPixel});
}
