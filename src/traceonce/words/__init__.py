"""The words for what is kept as codes: a code with its arguments in, a sentence out, in each language."""
