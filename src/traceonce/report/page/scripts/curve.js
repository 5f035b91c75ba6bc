// Traces over calls: does it level off? And the same, small, in a function's row.

import {h, oncePerFrame, styleValue, svg} from './dom.js';
import {DATA, eventsOf, runSeconds} from './facts.js';
import {cardHeading, selectedTrace, selectTrace} from './functions.js';
import {integer, moment, seconds, TIME_STEPS} from './numbers.js';
import {clock} from './signatures.js';
import {keyFor, words} from './words.js';

const CURVE_HEIGHT = 190;
const CURVE_POINTS = 1500; // steps drawn; more would not be seen
const SPARK = {width: 92, height: 28, points: 80};

/**
 * The steps of a function: how many traces there were at which x. `axis` says what x is: calls, or, where those are
 * not known for every trace, or counted by several processes each for itself, seconds of the run.
 */
function stepsOf(index) {
  const func = DATA.functions[index];
  const made = eventsOf(index).filter((event) => event.phase !== 'failed');
  const oneProcess = new Set(made.map((event) => event.process)).size <= 1;
  const byCalls = func.calls != null && oneProcess && made.every((event) => event.call != null);
  const axis = byCalls ? 'calls' : 'time';
  const at = made.map((event) => positionOf(event, {axis})).sort((a, b) => a - b); // threads end in any order
  return {axis, at, end: byCalls ? Math.max(func.calls, at.at(-1) ?? 1) : runSeconds};
}

/** The points of a staircase through the steps: x and the number of traces up to there. */
function staircase({at, end}, most) {
  const every = Math.max(1, Math.ceil(at.length / most));
  const xs = [0];
  const ys = [0];
  at.forEach((x, position) => {
    if (position % every && position !== at.length - 1) return;
    if (x === xs.at(-1)) ys[ys.length - 1] = position + 1;
    else {
      xs.push(x);
      ys.push(position + 1);
    }
  });
  if (xs.at(-1) < end) {
    xs.push(end);
    ys.push(at.length);
  }
  return [xs, ys];
}

export function sparkline(index) {
  const {width, height, points} = SPARK;
  const steps = stepsOf(index);
  const [xs, ys] = staircase(steps, points);
  const highest = Math.max(4, steps.at.length);
  let path = `M0 ${height}`;
  xs.forEach((x, position) => {
    path += `H${((x / steps.end) * width).toFixed(1)}V${(height - (ys[position] / highest) * (height - 1)).toFixed(1)}`;
  });
  return svg(
    'svg',
    {class: 'spark', viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true'},
    svg('path', {class: 'base', d: `M0 ${height}H${width}`}),
    svg('path', {d: path}),
  );
}

/** Does it level off? In one sentence. */
function growthInWords(index) {
  const func = DATA.functions[index];
  const steps = stepsOf(index);
  const count = steps.at.length;
  if (count < 2) return words(keyFor(func, `cards.growth.one.${func.unit}`));
  if (steps.axis === 'time') {
    const key = func.calls == null ? 'not_counted' : `over_time.${func.unit}`;
    return words(`cards.growth.${key}`, {last: clock(steps.at.at(-1)), end: seconds(steps.end)});
  }
  if (func.growth === 'growing' && func.calls_at_least) return words('cards.growth.still');
  if (func.growth === 'growing') {
    const perCall = count / steps.end;
    const rate = perCall >= 0.095 ? Number(perCall.toFixed(1)) : Number(perCall.toPrecision(1));
    return words('cards.growth.growing', {rate: String(rate)});
  }
  const key = func.growth === 'levelled' || func.growth === 'none' ? 'levelled' : 'unclear';
  return words(`cards.growth.${key}`, {
    last: steps.at.at(-1),
    calls: func.calls_at_least ? words('count.at_least', {n: steps.end}) : steps.end,
  });
}

/** The section with the curve; null where there is only one trace, and so nothing to see. */
export function curvePart(index) {
  const steps = stepsOf(index);
  if (steps.at.length < 2) return null;
  const func = DATA.functions[index];
  const title = words(keyFor(func, `cards.curve.${func.unit}.over_${steps.axis}`));
  const growth = growthInWords(index);
  const count = words(keyFor(func, `cards.count.${func.unit}`), {n: steps.at.length});
  const box = h('div.curve', {role: 'img', 'aria-label': `${title}: ${count}. ${growth}`});
  const reading = h('small.reading.num', {'aria-hidden': 'true'});
  let chart = null;
  let width = 0;
  const resize = () => {
    if (!box.clientWidth || box.clientWidth === width) return;
    width = box.clientWidth;
    if (chart) chart.setSize({width, height: CURVE_HEIGHT});
    else chart = drawCurve(box, index, steps, reading);
  };
  const watcher = new ResizeObserver(oncePerFrame(resize));
  return {
    element: h('section.curve-part', null, cardHeading(title, growth, reading), box),
    attached() {
      resize();
      watcher.observe(box);
    },
    select() {
      chart?.redraw(false);
    },
    destroy() {
      watcher.disconnect();
      chart?.destroy();
    },
  };
}

function drawCurve(box, index, steps, reading) {
  const byCalls = steps.axis === 'calls';
  const names = ['ink', 'muted', 'line', 'faint', 'surface'];
  const colours = Object.fromEntries(names.map((name) => [name, styleValue(`--${name}`)]));
  const axis = {stroke: colours.muted, font: '12px "Plex Sans", system-ui, sans-serif', ticks: {show: false}};
  const func = DATA.functions[index];
  const onlyNeeded = func.again === 0; // several graphs under one name, each of them traced once
  const goal = words(keyFor(func, `cards.curve.${func.unit}.goal`));
  const atTick = (x) => (byCalls ? wholeOnly(x) : moment(x, steps.end));
  const options = {
    width: box.clientWidth,
    height: CURVE_HEIGHT,
    padding: [10, 14, 0, 0],
    legend: {show: false},
    cursor: {y: false, drag: {x: false, y: false}, points: {size: 7}},
    scales: {x: {time: false, range: [0, steps.end]}, y: {range: [0, Math.max(4, steps.at.length) * 1.04]}},
    axes: [
      {
        ...axis,
        grid: {show: false},
        size: 28,
        space: 60,
        ...(byCalls ? {} : {incrs: TIME_STEPS}),
        values: (_, ticks) => ticks.map(atTick),
      },
      {...axis, grid: {stroke: colours.line, width: 1}, size: 50, values: (_, ticks) => ticks.map(wholeOnly)},
    ],
    series: [{}, {stroke: colours.ink, width: 2, paths: uPlot.paths.stepped({align: 1}), points: {show: false}}],
    hooks: {
      draw: [
        (chart) => onlyNeeded || drawGoal(chart, colours, goal),
        (chart) => drawSelected(chart, index, steps, colours.ink),
      ],
      setCursor: [(chart) => readCurve(chart, steps, reading)],
    },
  };
  const chart = new uPlot(options, staircase(steps, CURVE_POINTS), box);
  chart.over.addEventListener('click', () => selectNearest(index, steps, chart.posToVal(chart.cursor.left, 'x')));
  return chart;
}

function wholeOnly(n) {
  return Number.isInteger(n) ? integer(n) : '';
}

/** A dashed line at one trace: what there would be if nothing went wrong. */
function drawGoal(chart, colours, text) {
  const {ctx, bbox} = chart;
  const scale = devicePixelRatio || 1;
  const y = chart.valToPos(1, 'y', true);
  ctx.save();
  ctx.strokeStyle = colours.faint;
  ctx.setLineDash([3 * scale, 4 * scale]);
  ctx.lineWidth = scale;
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${12 * scale}px "Plex Sans", system-ui, sans-serif`;
  ctx.textAlign = 'right';
  const right = bbox.left + bbox.width - 4 * scale;
  const width = ctx.measureText(text).width;
  ctx.fillStyle = colours.surface; // so that no line of the grid goes through the words
  ctx.fillRect(right - width - 3 * scale, y - 16 * scale, width + 6 * scale, 14 * scale);
  ctx.fillStyle = colours.muted;
  ctx.fillText(text, right, y - 5 * scale);
  ctx.restore();
}

/** A dot at the trace that grid and signature show; one that failed is not on the curve. */
function drawSelected(chart, index, steps, colour) {
  const event = eventsOf(index)[selectedTrace(index)];
  if (event.phase === 'failed') return;
  const x = positionOf(event, steps);
  const n = steps.at.findLastIndex((at) => at <= x) + 1;
  const {ctx} = chart;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.arc(chart.valToPos(x, 'x', true), chart.valToPos(n, 'y', true), 4 * (devicePixelRatio || 1), 0, 2 * Math.PI);
  ctx.fill();
  ctx.restore();
}

function positionOf(event, {axis}) {
  return axis === 'calls' ? event.call : event.start;
}

function readCurve(chart, steps, reading) {
  const {left} = chart.cursor;
  if (left == null || left < 0) {
    reading.textContent = '';
    return;
  }
  const x = chart.posToVal(left, 'x');
  const n = steps.at.findLastIndex((at) => at <= x) + 1;
  const where = steps.axis === 'calls' ? words('cards.curve.at_call', {call: Math.floor(x)}) : moment(x, steps.end);
  reading.textContent = `${where}: ${integer(n)}`;
}

/** Look at the trace that was made at, or last before, this point of the curve. */
function selectNearest(index, steps, x) {
  const events = eventsOf(index);
  selectTrace(index, Math.max(0, events.findLastIndex((event) => positionOf(event, steps) <= x)));
}
