// The run: every trace, compilation and backward build on one axis of time. The legend is the filter.

import {byId, h, isTouched, oncePerFrame, refill, styleValue} from './dom.js';
import {countOfFamily, EVENTS, FAMILIES, runSeconds, silentFunctions, swatch} from './facts.js';
import {showOnlyFamily, toggleFamily} from './filtering.js';
import {openFunction} from './functions.js';
import {isPhone, laneOfFunction, lanes, lanesHeight, lanesInView, layOutLanes} from './lanes.js';
import {drawEvents, drawLanes, readPalette} from './marks.js';
import {nameView} from './names.js';
import {integer, moment, seconds, TIME_STEPS} from './numbers.js';
import {isPrinting} from './printing.js';
import {state} from './state.js';
import {followCursor, hotEvent, placeTip, setHotEvent, walkTimeline} from './tip.js';
import {familyName, words} from './words.js';
import {followScale, listenToPlot, panBar, showView, showWholeRun, view, zoomBy} from './zooming.js';

const AXIS_HEIGHT = 32;

export let plot = null; // the uPlot chart
export let laneScroller = null;
let timelineIsNew = true;
let drawnForPhone = false;

export function renderTimeline(container) {
  plot?.destroy();
  plot = null;
  setHotEvent(null);
  const scrolled = scrolledLanes();
  if (!EVENTS.length) {
    refill(
      container,
      h('div.section-head', null, h('h2', null, words('timeline.title'))),
      h('p.empty', null, words('timeline.nothing')),
    );
    return;
  }
  drawnForPhone = isPhone();
  layOutLanes();
  refill(container, timelineHead(), legend(), timelineBody());
  readPalette();
  plot = makePlot(byId('plot'));
  timelineSize.disconnect();
  timelineSize.observe(byId('plot'));
  laneScroller.scrollTop = scrolled;
  tellLanesBelow();
  showView(view);
  timelineIsNew = false;
}

export function scrolledLanes() {
  return laneScroller?.scrollTop ?? 0;
}

function timelineHead() {
  const zoomButton = (id, text, label, click) =>
    h('button.tool', {type: 'button', id, 'aria-label': label, on: {click}}, text);
  return h(
    'div.section-head',
    null,
    h('h2', null, words('timeline.title')),
    h('span.hint', null, words(isTouched() ? 'timeline.hint_touch' : 'timeline.hint')),
    h(
      'span.right',
      null,
      zoomButton('zoom-in', '+', words('timeline.zoom_in'), () => zoomBy(0.5)),
      zoomButton('zoom-out', '−', words('timeline.zoom_out'), () => zoomBy(2)),
      zoomButton('zoom-whole', words('timeline.whole'), null, showWholeRun),
    ),
  );
}

// ---- the legend ----

function legend() {
  const families = FAMILIES.filter((family) => countOfFamily.has(family));
  const tails = EVENTS.some((event) => event.first_run_seconds && event.family !== 'first');
  return h(
    'div.chips',
    {role: 'group', 'aria-label': words('filter.group')},
    families.map(familyChip),
    tails && h('span.pale', null, words('timeline.pale')),
  );
}

function familyChip(family) {
  const click = (event) => (event.shiftKey ? showOnlyFamily(family) : toggleFamily(family));
  return h(
    'button.chip',
    {type: 'button', id: `family-${family}`, 'aria-pressed': String(!state.hidden.has(family)), on: {click}},
    swatch(family),
    familyName(family),
    h('span.num', null, integer(countOfFamily.get(family))),
  );
}

/** Search or legend have changed. */
export function showFilterOnTimeline() {
  if (!plot) return;
  for (const family of FAMILIES)
    byId(`family-${family}`)?.setAttribute('aria-pressed', String(!state.hidden.has(family)));
  layOutLanes();
  refill(byId('lanes'), lanes.map(laneLabel));
  if (state.query) laneScroller.scrollTop = 0;
  setHotEvent(null);
  redrawTimeline();
}

// ---- lanes and chart ----

function timelineBody() {
  const height = lanesInView();
  const events = words('count.events', {n: EVENTS.filter((event) => event.phase !== 'internal').length});
  laneScroller = h(
    'div.lane-scroller',
    {
      class: height < lanesHeight ? 'scrolls' : null,
      css: {height: `${height + AXIS_HEIGHT}px`},
      on: {scroll: oncePerFrame(followLaneScroll)},
    },
    h(
      'div.lane-space',
      {css: {height: `${lanesHeight + AXIS_HEIGHT}px`}},
      h('ol.lanes', {id: 'lanes', 'aria-label': words('timeline.functions')}, lanes.map(laneLabel)),
      h('div.plot', {
        id: 'plot',
        tabindex: '0',
        role: 'application',
        'aria-label': words('timeline.label', {events, time: seconds(runSeconds)}),
        class: timelineIsNew ? 'new' : null,
        on: {keydown: walkTimeline, blur: () => setHotEvent(null)},
      }),
    ),
  );
  const foot = h('div.timeline-foot', null, h('span', {id: 'lanes-below'}), panBar());
  return h('div.timeline', {id: 'timeline'}, laneScroller, foot, h('div.tip', {id: 'tip', hidden: true}));
}

/** The name of a function beside its lane. All names are one stop of the Tab key: the arrows go from one to the next. */
function laneLabel(lane, position) {
  const {func} = lane;
  const open = () => openFunction(func.index, {scroll: true});
  const label = h(
    'button',
    {type: 'button', tabindex: position ? '-1' : '0', on: {click: open, keydown: walkLaneLabels}},
    silentFunctions.includes(func) && swatch('silent'),
    nameView('span', func),
  );
  return h('li', {css: {height: `${lane.height}px`}}, label);
}

function walkLaneLabels(press) {
  const labels = [...byId('lanes').querySelectorAll('button')];
  const position = labels.indexOf(press.target);
  const next = {ArrowDown: position + 1, ArrowUp: position - 1, Home: 0, End: labels.length - 1}[press.key];
  if (!labels[next]) return;
  press.preventDefault();
  press.target.tabIndex = -1;
  labels[next].tabIndex = 0;
  labels[next].focus();
}

function followLaneScroll() {
  const lane = hotEvent && laneOfFunction[hotEvent.function];
  const inView = lane && lane.top + lane.height > scrolledLanes() && lane.top < scrolledLanes() + lanesInView();
  if (inView) placeTip(byId('tip'), hotEvent);
  else setHotEvent(null);
  redrawTimeline();
}

/** Say how many functions are below those in view; their names must not run into the axis. */
function tellLanesBelow() {
  const end = scrolledLanes() + lanesInView();
  const below = lanes.filter((lane) => lane.top + lane.height / 2 > end).length;
  byId('lanes-below').textContent = below ? words('timeline.more_below', {n: below}) : '';
  byId('lanes').style.clipPath = `inset(0 0 ${Math.max(0, lanesHeight - end) + AXIS_HEIGHT}px 0)`;
}

function redrawTimeline() {
  tellLanesBelow();
  plot.redraw(false);
}

function makePlot(box) {
  const rule = styleValue('--rule');
  const options = {
    width: box.clientWidth || 600,
    height: lanesInView() + AXIS_HEIGHT,
    padding: [0, 14, 0, 14],
    legend: {show: false},
    cursor: {y: false, points: {show: false}, drag: {x: true, y: false, setScale: true, dist: 4}},
    scales: {
      x: {time: false, range: (_, from, to) => [Math.max(0, from ?? 0), Math.min(runSeconds, to ?? runSeconds)]},
      y: {range: [0, 1]},
    },
    axes: [
      {
        stroke: styleValue('--muted'),
        font: '12px "Plex Sans", system-ui, sans-serif',
        size: AXIS_HEIGHT,
        gap: 6,
        space: 70,
        incrs: TIME_STEPS,
        grid: {show: false},
        ticks: {stroke: rule, width: 1, size: 5},
        values: (chart, ticks) => ticks.map((tick) => moment(tick, chart.scales.x.max - chart.scales.x.min)),
      },
      {show: false},
    ],
    series: [{}, {paths: () => null, points: {show: false}}],
    hooks: {drawClear: [drawLanes], draw: [drawEvents], setCursor: [followCursor], setScale: [followScale]},
  };
  const chart = new uPlot(
    options,
    [
      [0, runSeconds],
      [0, 0],
    ],
    box,
  );
  listenToPlot(chart);
  return chart;
}

const timelineSize = new ResizeObserver(oncePerFrame(fitTimeline)); // a window, or fonts that have come, change it

/** The chart takes the width that there is beside the names. */
function fitTimeline() {
  if (!plot || isPrinting) return;
  if (drawnForPhone !== isPhone()) {
    renderTimeline(byId('run'));
    return;
  }
  const width = byId('plot').clientWidth;
  byId('timeline').style.setProperty('--labels', `${drawnForPhone ? 0 : byId('lanes').offsetWidth}px`);
  if (width && width !== plot.width) plot.setSize({width, height: plot.height});
}
