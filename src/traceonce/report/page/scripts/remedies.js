// What to change where no repair does it: a sentence for each cause.

/** What to do about one cause. A function inside a library can only be changed from outside. */
function remedyWords(func, cause) {
  const {code, note} = cause;
  if (code === 'shape' && func.library) return words('codes.shape.do_library');
  if (code === 'variable_creation' && func.verdict === 'failed') return words('codes.variable_creation.do_failed');
  if (code === 'new_function' || code === 'new_instance') {
    if (note) return words(`codes.${code}.do_differs`, {what: note});
    if (func.name.endsWith('[dataset]')) return words('codes.new_function.do_dataset');
    if (func.library && func.file?.includes('keras')) return words('codes.new_function.do_keras');
    if (func.library) return words('codes.new_function.do_library');
  }
  return words(`codes.${code}.do`);
}

/** The remedies of a function: [{text, causes}], each said once, with the causes that it is for. */
function remediesOf(func) {
  const remedies = new Map();
  for (const cause of func.causes) {
    const text = remedyWords(func, cause);
    if (remedies.has(text)) remedies.get(text).causes.push(cause);
    else remedies.set(text, {text, causes: [cause]});
  }
  return [...remedies.values()];
}
