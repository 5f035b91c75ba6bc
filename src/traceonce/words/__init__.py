"""The words for what is kept as codes: a code with its arguments in, a sentence out, in each language.

Why not a message library: Fluent (fluent.runtime 0.4) and gettext with Babel 2.18 were tried on the 333 sentences
here, in both languages. Fluent takes 32 ms to import and 76 ms to parse them (making them here: 4 ms), brings 37 MB
along, most of it Babel's data, takes no list as an argument, and where one is missing says the sentence without it.
gettext loads in 2 ms, but has one number for a sentence and looks at no argument. Here a wrong argument is an error
where a note is made, and tests hold the languages to each other.
"""
