// The first screen: what happened, what it cost, why, what to change, and what must not be overlooked.

const CAUSES_IN_HEADLINE = 3;
const LONGEST_ERROR = 240; // characters; the function's card has all of it
const ALARMS = 5;
const NOTICES = 3;

function renderVerdict(container) {
  const func = headlineFunction;
  refill(
    container,
    h('div.finding', null, h('h1', null, headline(func)), lede(func), func && headlineCauses(func), spentView(), alarms(), calmNotes()),
    func && besideHeadline(func),
  );
}

// ---- the sentence ----

function headline(func) {
  if (!DATA.functions.length) return words('verdict.nothing_traced');
  if (!func) return words('verdict.fine');
  const name = h('code', null, func.name);
  if (isSilent(func)) return phrase(`verdict.${silentKey(func)}`, {name});
  if (func.verdict === 'failed') {
    const key = func.traces > 0 ? 'failed_sometimes' : 'failed';
    return phrase(`verdict.${key}`, {name, times: words('count.times', {n: func.failed})});
  }
  if (!SLOW.includes(func.verdict)) return phrase(func.limits.length ? 'verdict.limited' : 'verdict.worse', {name});
  const times = words('count.times', {n: func.verdict === 'recompiling' ? recompilations(func) : func.retraces});
  if (func.calls == null) return phrase(`verdict.${func.verdict}_uncounted`, {name, times});
  return phrase(`verdict.${func.verdict}`, {name, times, calls: words('count.calls', {n: func.calls})});
}

function recompilations(func) {
  return eventsOf(func.index).filter((event) => event.phase === 'retrace').length;
}

/** What was shown to be wrong is said so; what only may be, too. */
function silentKey(func) {
  const [cause] = silentCauses(func);
  const sure = silentCauses(func).some(({evidence}) => evidence === 'measured');
  return cause.code === 'stale' && !sure ? 'stale_maybe' : cause.code;
}

function lede(func) {
  if (!func) {
    const key = DATA.functions.length ? 'verdict.traced_fine' : 'verdict.not_watched';
    const cost = lostSeconds >= 0.01 && words('verdict.cost_fine', {lost: seconds(lostSeconds)});
    return h('p.lede', null, words(key, {n: DATA.functions.length}), cost && [words('top.between_sentences'), cost]);
  }
  if (isSilent(func)) return h('p.lede', null, words(`verdict.lede.${silentKey(func)}`));
  const error = errorOf(func);
  if (error) return h('p.lede', null, inEnglish(shorten(error, LONGEST_ERROR), 'code'));
  return h('p.lede', {title: costNote(func)}, costWords(func), othersCost(func) && [words('top.between_sentences'), togetherWords()]);
}

/** What the last trace of a function that failed has raised. */
function errorOf(func) {
  if (func?.verdict !== 'failed') return null;
  return eventsOfFunctions[func.index].findLast((event) => event.error)?.error;
}

function costWords(func) {
  const lost = seconds(func.lost_seconds);
  const total = seconds(runSeconds);
  if (func.lost_seconds < 0.0005) return words('verdict.no_cost');
  return func.share == null ? phrase('verdict.cost_open', {lost, total}) : phrase('verdict.cost', {lost, total, share: percent(func.share)});
}

function costNote(func) {
  if (!func.first_run_seconds) return null;
  return words('verdict.cost_note', {tracing: seconds(func.seconds), running: seconds(func.first_run_seconds)});
}

function othersCost(func) {
  return DATA.complete && lostSeconds - func.lost_seconds > 0.02 * runSeconds;
}

function togetherWords() {
  return words('verdict.cost_together', {lost: seconds(lostSeconds), share: percent(lostSeconds / runSeconds)});
}

function headlineCauses(func) {
  const groups = causesTogether(func).filter(([cause]) => isSilent(func) || !SILENT.includes(cause.code));
  if (!groups.length) return null;
  return h('ul.why', null, groups.slice(0, CAUSES_IN_HEADLINE).map((causes) => headlineCause(func, causes)));
}

function headlineCause(func, causes) {
  const [cause] = causes;
  const paths = causes.slice(0, 2).map(({path}, position) => [position > 0 && ', ', h('code', null, path)]);
  const more = causes.length > 2 && ` +${causes.length - 2}`;
  const values = SILENT.includes(cause.code) ? `${cause.was} → ${cause.now}` : valuesInWords(func, cause);
  return h(
    'li',
    null,
    swatch(familyOf(cause.code)),
    h('span.paths', null, paths, more),
    h('span', null, causeInWords(func, cause), values && [' ', h('span.values', null, values)]),
  );
}

// ---- where the time went ----

/** One bar for the whole run: the costliest functions, what could not be saved, and the program itself. */
function spentView() {
  if (!DATA.functions.length) return null;
  const parts = spentParts().filter((part) => part.time > 0);
  const bar = parts.map(({family, time}) => h('i', {class: family, css: {'--c': `var(--${family})`, flex: `${time} 0 0`}}));
  const key = parts.map(({family, time, text}) => h('li', null, swatch(family), h('span', null, h('b.num', null, seconds(time)), ' ', text)));
  return h(
    'div.spent',
    null,
    h('h2', null, words('verdict.spent', {total: seconds(runSeconds)})),
    h('div.bar', {'aria-hidden': 'true'}, bar),
    h('ul.bar-key', null, key),
  );
}

function spentParts() {
  const costly = DATA.functions.filter((func) => func.lost_seconds > 0.015 * runSeconds);
  const named = costly.sort((a, b) => b.lost_seconds - a.lost_seconds).slice(0, 5);
  const others = DATA.functions.filter((func) => func.lost_seconds > 0 && !named.includes(func));
  if (others.length === 1) named.push(others.pop()); // its name is no longer than "1 other function"
  const again = (func) => words(func.verdict === 'recompiling' ? 'verdict.spent_recompiled' : 'verdict.spent_again', {name: shortName(func)});
  return [
    ...named.map((func) => ({family: func.family, time: func.lost_seconds, text: again(func)})),
    {family: 'other', time: others.reduce((sum, func) => sum + func.lost_seconds, 0), text: words('verdict.spent_others', {n: others.length})},
    {family: 'first', time: neededSeconds, text: words('verdict.spent_needed')},
    {family: 'rest', time: Math.max(0, runSeconds - lostSeconds - neededSeconds), text: words('verdict.spent_rest')},
  ];
}

// ---- what to do ----

function besideHeadline(func) {
  const fix = shownAbove(func);
  return fix ? fixCard(func, fix, {hero: true}) : lookFirst(func);
}

/** No repair is at hand: what to change in words, and which functions to look at. */
function lookFirst(func) {
  const remedies = remediesOf(func).map(({text, causes}) =>
    h('li', null, swatch(familyOf(causes[0].code)), h('span', null, h('code', null, causes[0].path), causes.length > 1 && ` +${causes.length - 1}`, ' ', text)),
  );
  const others = DATA.functions.filter((other) => SLOW.includes(other.verdict) || isSilent(other));
  return h(
    'section.fix',
    {'aria-label': words('verdict.look_first')},
    h('header', null, h('h2', null, words('verdict.look_first'), h('small', null, place(func)))),
    remedies.length > 0 && h('ul.remedies', null, remedies.slice(0, 4)),
    remedies.length === 0 && knownAdvice(func),
    others.length > 1 && h('ol.ranking', null, others.slice(0, 6).map(rankedFunction)),
    h('div.proof', null, h('p.note', null, func.library ? words('verdict.no_fix_library') : phrase('verdict.no_fix', {command: h('code', null, fixCommand())}))),
  );
}

/** What the first of its records says to try. */
function knownAdvice(func) {
  const record = DATA.records[func.records[0]]?.[state.language];
  if (!record?.try_first) return null;
  return h('ul.remedies', null, h('li', null, swatch(func.family), h('span', null, withCode(record.try_first.action))));
}

function rankedFunction(func) {
  return h('li', null, swatch(func.family), functionLink(func, func.name), h('b.num', null, func.lost_seconds > 0 ? seconds(func.lost_seconds) : ''));
}

function functionLink(func, text) {
  const follow = (click) => {
    click.preventDefault();
    openFunction(func.index, {scroll: true});
  };
  return h('a', {href: linkTo({fn: func.index}), on: {click: follow}}, text);
}

// ---- what must not be overlooked ----

/** Wrong results, errors and limits: in red, under the headline. */
function alarms() {
  const elsewhere = silentFunctions.filter((func) => func !== headlineFunction || !isSilent(func)); // else it is the headline
  const silent = elsewhere.flatMap((func) => silentCauses(func).filter(({note}) => !note).map((cause) => [func, cause]));
  const lines = [
    ...silent.map(([func, cause]) => alarm('silent', silentWords(func, cause), func)),
    DATA.error && alarm('failed', [phrase('verdict.ended_by'), DATA.error !== errorOf(headlineFunction) && [' ', inEnglish(shorten(DATA.error, LONGEST_ERROR), 'code')]]),
    !DATA.error && DATA.exit_code && alarm('failed', exitWords(DATA.exit_code)),
    ...limitedFunctions.map((func) => alarm('failed', limitWords(func), func)),
    ...DATA.functions.filter((func) => func.accepted === false).map((func) => alarm('failed', phrase('verdict.accepted_not', {name: h('code', null, func.name)}), func)),
  ].filter(Boolean);
  return lines.slice(0, ALARMS);
}

function alarm(family, text, func) {
  return h('p.alarm', null, swatch(family), h('span', null, text), func && functionLink(func, words('verdict.alarm.see')));
}

function silentWords(func, cause) {
  const code = (text) => h('code', null, text);
  const key = cause.code === 'stale' && cause.evidence !== 'measured' ? 'stale_maybe' : cause.code;
  return phrase(`verdict.alarm.${key}`, {name: code(func.name), path: code(cause.path), was: code(cause.was), now: code(cause.now)});
}

function exitWords(code) {
  return code < 0 ? phrase('verdict.ended_by_signal', {code: String(-code)}) : phrase('verdict.ended_with', {code: String(code)});
}

function limitWords(func) {
  return [phrase('verdict.limit', {name: h('code', null, func.name)}), ' ', inEnglish(func.limits.join('; '))];
}

/** What is good to know: without colour. */
function calmNotes() {
  const code = (text) => h('code', null, text);
  const seen = DATA.functions.flatMap((func) => silentCauses(func).filter(({note}) => note).map((cause) => [func, cause]));
  const unseen = DATA.functions.filter((func) => func.jit_compile && !func.compiles);
  const lines = [
    !DATA.complete && phrase('verdict.incomplete'),
    ...seen.map(([func, cause]) => [
      phrase('verdict.worth_a_look', {name: code(func.name), path: code(cause.path), was: code(cause.was), now: code(cause.now)}),
      ' ',
      inEnglish(cause.note),
    ]),
    unseen.length > 0 && phrase('verdict.compiles_unseen', {names: code(unseen.slice(0, 5).map((func) => func.name).join(', '))}),
  ].filter(Boolean);
  const notices = DATA.notices.map((notice) => inEnglish(notice));
  const first = notices.slice(0, NOTICES);
  const rest = notices.slice(NOTICES);
  if (!lines.length && !notices.length) return null;
  return h(
    'ul.notes',
    null,
    [...lines, ...first].map((line) => h('li', null, line)),
    rest.length > 0 && h('li', null, h('details', null, h('summary', null, words('verdict.more_notes', {n: rest.length})), h('ul', null, rest.map((line) => h('li', null, line))))),
  );
}
