// Where the time of the run went: one bar.

import {h} from './dom.js';
import {DATA, lostSeconds, neededSeconds, runSeconds, SHORTEST_RUN, shortName, swatch} from './facts.js';
import {breakable, shorten} from './names.js';
import {seconds} from './numbers.js';
import {LONGEST_NAME} from './verdict.js';
import {phrase, words} from './words.js';

const NAMED_AS_COSTLY = 5;
const COSTLY = 0.015; // of the run

// Several threads and processes can lose more time than the run took.
const isParallel = lostSeconds + neededSeconds > 1.001 * runSeconds;

/** One bar for the whole run: the costliest functions, what could not be saved, and the program itself. */
export function spentView() {
  if (!DATA.functions.length || runSeconds <= SHORTEST_RUN) return null;
  const parts = spentParts().filter((part) => part.time > 0);
  const whole = parts.reduce((sum, {time}) => sum + time, 0); // shares that add up to less than 1 would not fill a bar
  const bar = parts.map(({family, time}) =>
    h('i', {class: family, css: {'--c': `var(--${family})`, flex: `${(100 * time) / whole} 0 0`}}),
  );
  const key = parts.map(({family, time, text}) =>
    h('li', null, swatch(family), h('span', null, h('b.num', null, seconds(time)), ' ', text)),
  );
  return h(
    'div.spent',
    null,
    h('h2', null, words(isParallel ? 'verdict.spent_parallel' : 'verdict.spent', {total: seconds(runSeconds)})),
    h('div.bar', {'aria-hidden': 'true'}, bar),
    h('ul.bar-key', null, key),
  );
}

function spentParts() {
  const losing = DATA.functions.filter((func) => func.lost_seconds > 0);
  const isQuiet = ({attention}) => attention === 'quiet';
  const [quiet, acute] = [losing.filter(isQuiet), losing.filter((func) => !isQuiet(func))];
  const costly = acute.filter((func) => func.lost_seconds > COSTLY * runSeconds);
  const named = costly.sort((a, b) => b.lost_seconds - a.lost_seconds).slice(0, NAMED_AS_COSTLY);
  const others = acute.filter((func) => !named.includes(func));
  if (others.length === 1) named.push(others.pop()); // its name is no longer than "1 other function"
  const nameOf = (func) => h('bdi', null, breakable(shorten(shortName(func), LONGEST_NAME)));
  const again = (func) => phrase(`verdict.spent_again.${func.unit}`, {name: nameOf(func)});
  const lostIn = (functions) => functions.reduce((sum, func) => sum + func.lost_seconds, 0);
  return [
    ...named.map((func) => ({family: func.family, time: func.lost_seconds, text: again(func)})),
    {
      family: 'other',
      time: lostIn(others),
      text: words(named.length ? 'verdict.spent_others' : 'verdict.spent_all', {n: others.length}),
    },
    {
      family: 'bounded', // a colour says what to change: this needs none
      time: lostIn(quiet),
      text:
        quiet.length === 1
          ? phrase('verdict.spent_bounded', {name: nameOf(quiet[0])})
          : words('verdict.spent_bounded_all', {n: quiet.length}),
    },
    {family: 'first', time: neededSeconds, text: words('verdict.spent_needed')},
    {family: 'rest', time: Math.max(0, runSeconds - lostSeconds - neededSeconds), text: words('verdict.spent_rest')},
  ];
}
