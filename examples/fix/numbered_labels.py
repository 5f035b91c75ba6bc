"""Put the number of the page in front of every line of a page."""

import tensorflow as tf


@tf.function
def label(lines, page):
    return tf.strings.join([f"page {page}: ", lines])


pages = [["one", "two"], ["three", "four"], ["five", "six"], ["seven", "eight"], ["nine", "ten"]]
for page, lines in enumerate(pages, start=1):
    for line in label(tf.constant(lines), page).numpy():
        print(line.decode())
