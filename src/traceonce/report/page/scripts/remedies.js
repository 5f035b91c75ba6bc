// What to change where no repair does it: a sentence for each cause, which the report knows in every language.

import {state} from './state.js';

/** The remedies of a function: [{text, causes}], each said once, with the causes that it is for. */
export function remediesOf(func) {
  const remedies = new Map();
  for (const cause of func.causes) {
    const text = cause.remedy[state.language];
    if (remedies.has(text)) remedies.get(text).causes.push(cause);
    else remedies.set(text, {text, causes: [cause]});
  }
  return [...remedies.values()];
}
