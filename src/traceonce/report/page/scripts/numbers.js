// Numbers as people read them. A number and its unit stay on one line.

import {words} from './words.js';

export const NBSP = '\u00a0';

export function integer(n) {
  return n == null ? '' : Math.round(n).toLocaleString('en');
}

/** A duration: 3 ms, 1.4 s, 2 min 5 s, 31 min, 2 h 10 min. */
export function seconds(n) {
  if (n == null) return '';
  if (n === 0) return `0${NBSP}s`;
  if (n < 0.0005) return `<1${NBSP}ms`;
  if (n < 0.9995) return `${Math.round(n * 1000)}${NBSP}ms`;
  if (n < 119.95) return `${n.toFixed(1)}${NBSP}s`;
  const whole = Math.round(n);
  if (whole < 600) return `${Math.floor(whole / 60)}${NBSP}min${NBSP}${whole % 60}${NBSP}s`;
  const minutes = Math.round(n / 60);
  return minutes < 90 ? `${minutes}${NBSP}min` : hours(minutes);
}

function hours(minutes) {
  const rest = minutes % 60 ? `${NBSP}${minutes % 60}${NBSP}min` : '';
  return `${Math.floor(minutes / 60)}${NBSP}h${rest}`;
}

/** A share between 0 and 1: 66 %, 7.0 %, under 0.1 % as <0.1 %. */
export function percent(n) {
  if (n == null) return '';
  if (n <= 0) return `0${NBSP}%`;
  if (n < 0.001) return `<0.1${NBSP}%`;
  return n < 0.0995 ? `${(n * 100).toFixed(1)}${NBSP}%` : `${Math.round(n * 100)}${NBSP}%`;
}

/** Memory: 12.4 MiB, 800 KiB. */
export function memory(bytes) {
  if (bytes == null) return '';
  return bytes >= 2 ** 20 ? `${(bytes / 2 ** 20).toFixed(1)}${NBSP}MiB` : `${Math.round(bytes / 1024)}${NBSP}KiB`;
}

// Between the marks of an axis of time: decimal below a minute, then as clocks have it.
export const TIME_STEPS = [
  ...[-7, -6, -5, -4, -3, -2, -1].flatMap((power) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`))),
  ...[1, 2, 5, 10, 20, 30],
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * 60),
  ...[1, 2, 4, 6, 12, 24, 48, 120, 240, 720, 2400, 7200, 24000].map((hours) => hours * 3600),
];

/** A moment of the run, with as many digits as it takes to tell it from its neighbours at this zoom. */
export function moment(n, span = 100) {
  const digits = Math.min(6, Math.max(0, Math.ceil(2 - Math.log10(Math.max(span, 1e-6)))));
  if (n < 120) return `${Number(n.toFixed(digits))}${NBSP}s`;
  if (span > 7200) return n < 3600 ? `${Math.round(n / 60)}${NBSP}min` : hours(Math.round(n / 60));
  const rest = n % 60;
  const tail = rest < 1e-9 ? '' : `${NBSP}${Number(rest.toFixed(digits))}${NBSP}s`;
  return `${Math.floor(n / 60)}${NBSP}min${tail}`;
}

/** When the run began, in the reader's own time. */
export function date(epochSeconds) {
  const when = new Date(epochSeconds * 1000);
  const two = (n) => String(n).padStart(2, '0');
  const day = `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())}`;
  return `${day}${NBSP}${two(when.getHours())}:${two(when.getMinutes())}`;
}

/** A place in source: train.py:27. */
export function place({file, line}) {
  return file ? `${file}${line ? `:${line}` : ''}` : words('top.no_source');
}
