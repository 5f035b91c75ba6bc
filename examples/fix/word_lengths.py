"""Mean length of the words in some lines of text."""

from tensorflow import constant, function, reduce_mean, strings

LINES = ["the quick brown fox", "jumps over", "the lazy dog", "and", "then it sleeps in the sun"]


@function
def mean_length(words):
    lengths = strings.length(words)
    return reduce_mean(lengths)


for line in LINES:
    print(f"{line!r}: {int(mean_length(constant(line.split())))}")
