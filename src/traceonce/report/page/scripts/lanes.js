// The lanes of the timeline: one per function, worst first. Events of one lane that overlap in time (threads,
// processes, a function that calls itself) are stacked in rows, so that none hides another.

import {isTouched} from './dom.js';
import {eventsOfFunctions, functionsByWeight} from './facts.js';
import {isPrinting} from './printing.js';
import {state} from './state.js';

const MOST_ROWS = 12;
const LANES_IN_VIEW = 12.5; // the half lane shows that there is more
const LANES_ON_PHONE = 8.5;
const NAME_ON_PHONE = 44; // pixels above the events of a lane
const LANE_HEIGHT = {wide: 36, dense: 24, touched: 44, phone: 66}; // on a phone, names stand above the events
const ROW_HEIGHT = 13;
const DENSE_LANES = 20;
const PAPER_HEIGHT = 800; // pixels of the page on A4 and Letter, less the heading

export let lanes = []; // {func, events, top, height, rows}, in the order of the page
export let laneOfFunction = [];
export let lanesHeight = 0;

// Where each event lies within its lane does not depend on the size of the page: it is found once.
const rowsOfFunction = eventsOfFunctions.map(stackEvents);

/** Give every event the first row that is free when it starts; returns the number of rows. */
function stackEvents(events) {
  const rows = []; // {solid, tail, worker}: until when the last event of a row lasts, without and with its first run
  for (const event of events) {
    const worker = `${event.process} ${event.thread}`;
    // What a thread does during the first run of its own graph is part of that run, and may lie on its pale tail.
    let row = rows.findIndex((last) => event.start >= (last.worker === worker ? last.solid : last.tail) - 1e-4);
    if (row < 0) row = rows.length < MOST_ROWS ? rows.length : soonestFree(rows);
    rows[row] = {worker, solid: event.start + event.seconds, tail: event.start + event.cost};
    event.row = row;
  }
  return Math.max(1, rows.length);
}

function soonestFree(rows) {
  return rows.reduce((best, row, position) => (row.tail < rows[best].tail ? position : best), 0);
}

export function isPhone() {
  return innerWidth <= 640;
}

function baseLaneHeight() {
  const withEvents = eventsOfFunctions.filter((events) => events.length).length;
  if (isPhone()) return LANE_HEIGHT.phone;
  if (isTouched()) return LANE_HEIGHT.touched;
  return withEvents > DENSE_LANES ? LANE_HEIGHT.dense : LANE_HEIGHT.wide;
}

/** Put the lanes one below the other. While something is searched for, those that match come first. */
export function layOutLanes() {
  const withEvents = functionsByWeight.filter((func) => eventsOfFunctions[func.index].length);
  const matching = (func) => eventsOfFunctions[func.index].some((event) => event.shown);
  const ordered = state.query
    ? [...withEvents.filter(matching), ...withEvents.filter((func) => !matching(func))]
    : withEvents;
  const base = baseLaneHeight();
  laneOfFunction = [];
  lanesHeight = 0;
  lanes = ordered.map((func) => {
    const rows = rowsOfFunction[func.index];
    const room = isPhone() ? NAME_ON_PHONE + 6 : 10;
    const lane = {
      func,
      events: eventsOfFunctions[func.index],
      top: lanesHeight,
      height: Math.max(base, rows * ROW_HEIGHT + room),
      rows,
    };
    lanesHeight += lane.height;
    laneOfFunction[func.index] = lane;
    return lane;
  });
}

/** The height of the part in view; a little too much is rather shown than scrolled. On paper nothing scrolls. */
export function lanesInView() {
  const most = isPrinting ? PAPER_HEIGHT : (isPhone() ? LANES_ON_PHONE : LANES_IN_VIEW) * baseLaneHeight();
  return lanesHeight <= most * 1.15 ? lanesHeight : most;
}

/** Where the bar of an event is within the lanes: {y, height}, in pixels of the page. */
export function barOf(event) {
  const lane = laneOfFunction[event.function];
  const above = isPhone() ? NAME_ON_PHONE : 5;
  const room = lane.height - above - 5;
  const height = lane.rows === 1 ? room : Math.floor(room / lane.rows) - 2;
  return {y: lane.top + above + event.row * (lane.rows === 1 ? 0 : height + 2), height};
}

export function laneAt(y) {
  return lanes.find((lane) => y >= lane.top && y < lane.top + lane.height) ?? null;
}

/** The position of the first event of a lane that may reach beyond a moment. */
export function firstReaching(lane, moment) {
  lane.longest ??= lane.events.reduce((most, event) => Math.max(most, event.cost), 0);
  let low = 0;
  let high = lane.events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane.events[middle].start < moment - lane.longest) low = middle + 1;
    else high = middle;
  }
  return low;
}
