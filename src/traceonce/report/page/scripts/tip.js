// One event under the pointer, or reached by keys: what it is, in a few lines.

import {changesOfEvent, sinceInWords} from './comparison.js';
import {announce, byId, h, isTouched, refill} from './dom.js';
import {errorType} from './errors.js';
import {DATA, EVENTS} from './facts.js';
import {openEvent} from './functions.js';
import {barOf, firstReaching, laneAt, laneOfFunction, lanes, lanesInView} from './lanes.js';
import {shorten} from './names.js';
import {moment, place, seconds} from './numbers.js';
import {laneScroller, plot, scrolledLanes} from './timeline.js';
import {eventName, familyName, words} from './words.js';
import {showView, showWholeRun, view, zoomBy} from './zooming.js';

const REACH = {mouse: 7, touch: 16}; // pixels around an event that count as on it
const CAUSES_IN_TIP = 4;

export let hotEvent = null;

/** Point at an event (or at none): it gets an outline and a box with its facts. */
export function setHotEvent(event) {
  if (event === hotEvent) return;
  hotEvent = event;
  showTip(event);
  plot?.redraw(false);
}

export function followCursor(chart) {
  const {left, top} = chart.cursor;
  setHotEvent(left == null || left < 0 ? null : eventNear(left, top));
}

/** The event nearest to a point of the chart, in its lane; of equally near ones, that of the row pointed at. */
function eventNear(x, y) {
  const lane = laneAt(y + scrolledLanes());
  if (!lane) return null;
  const perPixel = (view.to - view.from) / plot.over.clientWidth;
  const reach = (isTouched() ? REACH.touch : REACH.mouse) * perPixel;
  const at = view.from + x * perPixel;
  let best = null;
  let bestDistance = Infinity;
  for (let position = firstReaching(lane, at - reach); position < lane.events.length; position += 1) {
    const event = lane.events[position];
    if (event.start > at + reach) break;
    if (!event.shown) continue;
    const aside = event.start > at ? event.start - at : Math.max(0, at - event.start - event.cost);
    const bar = barOf(event);
    const offRow = Math.max(0, bar.y - scrolledLanes() - y, y - (bar.y - scrolledLanes() + bar.height));
    const onTail = at > event.start + event.seconds ? 0.5 : 0; // what lies on a pale tail is meant, not the tail
    const distance = aside / perPixel + 2 * offRow + onTail + (event.phase === 'internal' ? 0.25 : 0);
    if (aside <= reach && distance < bestDistance) [best, bestDistance] = [event, distance];
  }
  return best;
}

function showTip(event) {
  const box = byId('tip');
  if (!box) return;
  box.hidden = !event;
  if (!event) return;
  refill(box, tipLines(event));
  placeTip(box, event);
  announce([...box.children].map((line) => line.textContent).join(', '));
}

const severalWorkers = new Set(EVENTS.map(({process, thread}) => `${process} ${thread}`)).size > 1;

function tipLines(event) {
  const func = DATA.functions[event.function];
  const {seconds: traced, first_run_seconds: ran, site, error} = event;
  const time =
    ran > 0.0005 ? words('timeline.first_run', {trace: seconds(traced), run: seconds(ran)}) : seconds(traced);
  const at = words('timeline.at', {moment: moment(event.start, Math.min(1, view.to - view.from))});
  const told = changesOfEvent(event);
  const call = event.call != null && words('timeline.call', {n: event.call});
  return [
    h('div', null, h('b', null, func.name), ' ', eventName(event)),
    h(
      'div.dim',
      null,
      [event.families.map((family) => familyName(family)).join(' + '), time, at, call]
        .filter(Boolean)
        .join(' · '),
    ),
    told.changes
      .slice(0, CAUSES_IN_TIP)
      .map(({path, was, now}) => h('div', null, h('code', null, `${path}  ${shorten(was, 40)} → ${shorten(now, 40)}`))),
    sinceInWords(told) && h('div.dim', null, sinceInWords(told)),
    error && h('div', null, h('code', {lang: 'en'}, errorType(error))),
    site && h('div.dim', null, h('code', null, place(site))),
    severalWorkers &&
      h('div.dim', null, words('timeline.process', {process: event.process || '?', thread: event.thread})),
  ];
}

/** Beside the event, below its lane; inside the chart, and above the lane where there is no room below. */
export function placeTip(box, event) {
  const area = byId('timeline').getBoundingClientRect();
  const over = plot.over.getBoundingClientRect();
  const x = over.left - area.left + plot.valToPos(Math.max(event.start, view.from), 'x');
  const left = x + 12 + box.offsetWidth > area.width ? Math.max(0, x - box.offsetWidth - 12) : x + 12;
  const lane = laneOfFunction[event.function];
  const below = over.top - area.top + lane.top + lane.height - scrolledLanes() + 4;
  const roomBelow = innerHeight - (area.top + below);
  const above = below - lane.height - box.offsetHeight - 8;
  box.style.left = `${left}px`;
  box.style.top = `${roomBelow < box.offsetHeight && area.top + above > 60 ? above : below}px`;
}

// ---- by keys ----

/** Keys in the chart: left and right along a function, up and down between functions, Enter opens. */
export function walkTimeline(press) {
  if (press.ctrlKey || press.metaKey || press.altKey) return;
  const act = {
    ArrowRight: () => stepAlongLane(1),
    ArrowLeft: () => stepAlongLane(-1),
    ArrowDown: () => stepToLane(1),
    ArrowUp: () => stepToLane(-1),
    Home: () => goToEvent(shownIn(hotLane())[0]),
    End: () => goToEvent(shownIn(hotLane()).at(-1)),
    Enter: () => hotEvent && openEvent(hotEvent),
    '+': () => zoomBy(0.5),
    '=': () => zoomBy(0.5),
    '-': () => zoomBy(2),
    0: showWholeRun,
  }[press.key];
  if (!act) return;
  press.preventDefault();
  press.stopPropagation();
  act();
}

function hotLane() {
  return hotEvent ? laneOfFunction[hotEvent.function] : lanes[0];
}

function shownIn(lane) {
  return lane.events.filter((event) => event.shown);
}

function stepAlongLane(step) {
  const events = shownIn(hotLane());
  const position = hotEvent ? events.indexOf(hotEvent) + step : step > 0 ? 0 : events.length - 1;
  goToEvent(events[position]);
}

/** The nearest event, in time, of the next lane that has any to show. */
function stepToLane(step) {
  const at = hotEvent?.start ?? view.from;
  const start = hotEvent ? lanes.indexOf(hotLane()) + step : 0;
  for (let number = start; number >= 0 && number < lanes.length; number += step) {
    const events = shownIn(lanes[number]);
    if (!events.length) continue;
    goToEvent(events.reduce((best, event) => (Math.abs(event.start - at) < Math.abs(best.start - at) ? event : best)));
    return;
  }
}

function goToEvent(event) {
  if (!event) return;
  const span = view.to - view.from;
  if (event.start < view.from || event.start > view.to)
    showView({from: event.start - span / 2, to: event.start + span / 2});
  const lane = laneOfFunction[event.function];
  if (lane.top < scrolledLanes()) laneScroller.scrollTop = lane.top;
  else if (lane.top + lane.height > scrolledLanes() + lanesInView())
    laneScroller.scrollTop = lane.top + lane.height - lanesInView();
  setHotEvent(event);
}
