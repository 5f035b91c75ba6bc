// Drawing the events: colour and texture say why, the pale tail is the first run of the new graph.

import {styleValue} from './dom.js';
import {FAMILIES} from './facts.js';
import {isFiltered} from './filtering.js';
import {barOf, firstReaching, lanes} from './lanes.js';
import {state} from './state.js';
import {scrolledLanes} from './timeline.js';
import {hotEvent} from './tip.js';

const NARROW = 4; // pixels, below which a texture could not be seen
const DIMMED = 0.13;
const PALE = 0.34;
const TEXTURES = {compile: drawHatching, unknown: drawDots};

let palette = {}; // colours of this theme, and the textures made from them

export function readPalette() {
  palette = {};
  for (const name of [...FAMILIES, 'internal', 'line', 'surface', 'ink']) palette[name] = styleValue(`--${name}`);
  palette.textures = Object.fromEntries(
    Object.entries(TEXTURES).map(([family, draw]) => [family, texture(palette[family], draw)]),
  );
}

function texture(colour, draw) {
  const scale = devicePixelRatio || 1;
  const tile = document.createElement('canvas');
  tile.width = tile.height = Math.round(6 * scale);
  const context = tile.getContext('2d');
  context.fillStyle = context.strokeStyle = colour;
  draw(context, tile.width, scale);
  return context.createPattern(tile, 'repeat');
}

function drawHatching(context, size, scale) {
  context.globalAlpha = 0.42;
  context.fillRect(0, 0, size, size);
  context.globalAlpha = 1;
  context.lineWidth = 2 * scale;
  context.beginPath();
  for (let x = -size; x <= 2 * size; x += size) {
    context.moveTo(x, size);
    context.lineTo(x + size, 0);
  }
  context.stroke();
}

function drawDots(context, size, scale) {
  context.globalAlpha = 0.18;
  context.fillRect(0, 0, size, size);
  context.globalAlpha = 1;
  for (const [x, y] of [
    [0.25, 0.25],
    [0.75, 0.75],
  ]) {
    context.beginPath();
    context.arc(x * size, y * size, 1.2 * scale, 0, 2 * Math.PI);
    context.fill();
  }
}

/** The lines between the lanes. */
export function drawLanes(plot) {
  const {ctx, bbox} = plot;
  const scale = devicePixelRatio || 1;
  ctx.save();
  clipToLanes(ctx, bbox);
  ctx.fillStyle = palette.line;
  for (const lane of lanes)
    ctx.fillRect(
      bbox.left,
      Math.round(bbox.top + (lane.top + lane.height - scrolledLanes()) * scale) - 1,
      bbox.width,
      1,
    );
  ctx.restore();
}

function clipToLanes(ctx, bbox) {
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
}

/** All events of the lanes in view, what is filtered out first and dimmed. */
export function drawEvents(plot) {
  const {ctx, bbox} = plot;
  const brush = {
    ctx,
    scale: devicePixelRatio || 1,
    left: bbox.left,
    top: bbox.top,
    from: plot.scales.x.min,
    to: plot.scales.x.max,
  };
  brush.perSecond = bbox.width / (brush.to - brush.from);
  const first = scrolledLanes();
  const inView = lanes.filter((lane) => lane.top + lane.height > first && lane.top < first + bbox.height / brush.scale);
  ctx.save();
  clipToLanes(ctx, bbox);
  for (const lane of inView) {
    const events = eventsInView(lane, brush);
    if (isFiltered())
      drawLane(
        brush,
        events.filter((event) => !event.shown),
        DIMMED,
      );
    drawLane(brush, isFiltered() ? events.filter((event) => event.shown) : events, 1);
  }
  if (hotEvent) drawOutline(brush, hotEvent);
  ctx.restore();
}

function eventsInView(lane, {from, to}) {
  const begin = firstReaching(lane, from);
  let end = begin;
  while (end < lane.events.length && lane.events[end].start <= to) end += 1;
  return lane.events.slice(begin, end);
}

// Tails lie below the bars of other events. Bars that would cover one another exactly are drawn once.
function drawLane(brush, events, alpha) {
  const {ctx} = brush;
  const boxes = events.map((event) => boxOf(brush, event));
  ctx.globalAlpha = alpha * PALE;
  boxes.forEach((box, position) => {
    if (box.tail > 1.5 * brush.scale && events[position].family !== 'first') {
      const family = shownFamily(events[position]);
      const {y, height} = lowered(family, box, brush.scale);
      fillBar(ctx, palette[family], box.x + box.width, y, box.tail - brush.scale, height);
    }
  });
  ctx.globalAlpha = alpha;
  const drawn = []; // per row: how far it is covered, and in which colour
  boxes.forEach((box, position) => {
    const event = events[position];
    const family = shownFamily(event);
    const last = drawn[event.row];
    if (last?.family === family && box.x + box.width <= last.end + 0.5) return;
    drawn[event.row] = {family, end: box.x + box.width};
    drawBar(brush, event, family, box);
  });
}

/** The colour of an event: its main cause, or the second one while the first is turned off in the legend. */
function shownFamily({families}) {
  return families.find((family) => !state.hidden.has(family)) ?? families[0];
}

function boxOf({scale, left, top, from, perSecond}, event) {
  const {y, height} = barOf(event);
  const length = event.seconds * perSecond;
  return {
    x: left + (event.start - from) * perSecond,
    y: top + (y - scrolledLanes()) * scale,
    width: Math.max(1.25 * scale, length - (length > 5 * scale ? scale : 0)),
    height: height * scale,
    tail: (event.first_run_seconds ?? 0) * perSecond,
  };
}

/** Backward graphs are half as high as traces, what the framework does for itself is a line. */
function lowered(family, {y, height}, scale) {
  const drawn = family === 'backward' ? height / 2 : family === 'internal' ? Math.min(height, 4 * scale) : height;
  return {y: y + height - drawn, height: drawn};
}

function drawBar({ctx, scale}, event, family, box) {
  const {x, width, tail} = box;
  const {y, height} = lowered(family, box, scale);
  if (family === 'first') return drawHollow(ctx, palette.first, x, y, width + tail, height, 1.25 * scale);
  const wide = width > NARROW * scale;
  if (family === 'failed' && wide) return drawFailed(ctx, x, y, width, height, scale);
  fillBar(ctx, (wide && palette.textures[family]) || palette[family], x, y, width, height);
  if (wide && palette.textures[family]) drawHollow(ctx, palette[family], x, y, width, height, scale, false);
  const second = event.families[1];
  if (second && family === event.family && !state.hidden.has(second))
    fillBar(ctx, palette[second], x, y + height * 0.68, width, height * 0.32);
}

function fillBar(ctx, fill, x, y, width, height) {
  ctx.fillStyle = fill;
  ctx.fillRect(x, y, width, height);
}

function drawHollow(ctx, colour, x, y, width, height, line, filled = true) {
  if (filled) fillBar(ctx, palette.surface, x, y, width, height);
  ctx.strokeStyle = colour;
  ctx.lineWidth = line;
  ctx.strokeRect(x + line / 2, y + line / 2, Math.max(0.1, width - line), height - line);
}

/** A trace that raised: an outline that is crossed out. */
function drawFailed(ctx, x, y, width, height, scale) {
  drawHollow(ctx, palette.failed, x, y, width, height, 2 * scale);
  ctx.lineWidth = 1.5 * scale;
  ctx.beginPath();
  ctx.moveTo(x + scale, y + height - scale);
  ctx.lineTo(x + width - scale, y + scale);
  ctx.stroke();
}

function drawOutline(brush, event) {
  const {ctx, scale} = brush;
  const {x, y, width, height, tail} = boxOf(brush, event);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = palette.ink;
  ctx.lineWidth = 2 * scale;
  ctx.strokeRect(x - 2 * scale, y - 2 * scale, Math.max(3 * scale, width + tail) + 4 * scale, height + 4 * scale);
}
