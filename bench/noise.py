"""What happens to a message before somebody looks it up: prefixes, colours, wrapping, cutting, company. Seeded."""

from __future__ import annotations

import json
import random
import textwrap
from collections.abc import Callable, Iterator

from harvest import SHORT, Message

WIDTH = 80
COMPANY = [  # harmless lines of a training log
    "2026-11-15 12:13:01,101 INFO reading shard 3 of 12",
    "Epoch 2/10",
    "110/110 [==============================] - 1s 8ms/step - loss: 0.4312 - accuracy: 0.8127",
    "2026-11-15 12:13:04,733 INFO checkpoint written to checkpoints/ckpt-110",
    "I0000 00:00:1763208781.638855   14398 port.cc:153] oneDNN custom operations are on.",
    "learning rate 0.001, batch size 32, 4 workers",
    "INFO:absl:Function `serve` contains input name(s) x, y with unsupported characters.",
]


def _stamp(random: random.Random) -> str:
    day, hour, minute, second = (random.randint(*limits) for limits in ((1, 28), (0, 23), (0, 59), (0, 59)))
    return f"2026-11-{day:02} {hour:02}:{minute:02}:{second:02}"


def timestamp(text: str, random: random.Random) -> str:
    """Before the first line, as `logging` does."""
    level = random.choice(["ERROR", "WARNING", "INFO", "CRITICAL"])
    form = random.choice(
        [
            "{t},{ms} {l} {x}",
            "{t},{ms} - trainer - {l} - {x}",
            "[{t}] [{l}] {x}",
            "{t}.{ms} | {l} | train:main:12 - {x}",
        ]
    )
    return form.format(t=_stamp(random), ms=random.randint(100, 999), l=level, x=text)


def timestamps(text: str, random: random.Random) -> str:
    """Before every line, as containers and build servers do."""
    form = random.choice(["{t}.{ms}Z ", "{t} ", "[{t}] ", "{t}.{ms}Z stderr F "])
    between = "T" if "stderr" in form else random.choice("T ")
    stamps = [form.format(t=_stamp(random).replace(" ", between), ms=random.randint(10**6, 10**7)) for _ in range(2)]
    return "\n".join(f"{random.choice(stamps)}{line}" for line in text.splitlines())


def ranks(text: str, random: random.Random) -> str:
    rank = random.randint(0, 63)
    prefix = random.choice(
        [f"[1,{rank}]<stderr>:", f"[rank{rank}]: ", f"(Worker pid={rank + 4000}) ", f"worker-{rank}  | ", f"{rank}: "]
    )
    return "\n".join(prefix + line for line in text.splitlines())


def colours(text: str, random: random.Random) -> str:
    """Around lines, and in the middle of them."""
    lines = []
    for line in text.splitlines():
        at = random.randint(0, len(line))
        lines.append(
            f"\x1b[1;{random.randint(31, 37)}m{line[:at]}\x1b[0m\x1b[38;5;{random.randint(0, 255)}m{line[at:]}\x1b[0m"
        )
    return "\n".join(lines)


def pytest(text: str, random: random.Random) -> str:
    indent = random.choice(["   ", "       "])
    return "\n".join(f"E{indent}{line}" for line in text.splitlines())


def json_line(text: str, random: random.Random) -> str:
    return json.dumps({"time": _stamp(random), "level": "error", "message": text, "host": "node-7"})


def boxed(text: str, random: random.Random) -> str:
    """As rich shows tracebacks."""
    width = random.choice([90, 100, 118])
    inside = [part for line in text.splitlines() for part in textwrap.wrap(line, width, drop_whitespace=False) or [""]]
    return "\n".join(
        ["╭" + "─" * width + "╮", *(f"│ {line.ljust(width)} │" for line in inside), "╰" + "─" * width + "╯"]
    )


def wrapped(text: str, random: random.Random) -> str:
    """Between words, as mail and issue trackers do."""
    return "\n".join(
        part
        for line in text.splitlines()
        for part in textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False) or [""]
    )


def cut_by_terminal(text: str, random: random.Random) -> str:
    """At the last column, in the middle of words."""
    return "\n".join(line[at : at + WIDTH] for line in text.splitlines() for at in range(0, max(1, len(line)), WIDTH))


def embedded(text: str, random: random.Random) -> str:
    before = random.choices(COMPANY, k=random.randint(1, 12))
    after = random.choices(COMPANY, k=random.randint(1, 12))
    return "\n".join([*before, text, *after])


def together(text: str, random: random.Random) -> str:
    """Several at once, in the order in which they come about: a prefix, company, then colours or a narrow window."""
    text = random.choice([timestamp, timestamps, ranks])(text, random)
    return random.choice([colours, wrapped, cut_by_terminal])(embedded(text, random), random)


WHOLE: list[Callable[[str, random.Random], str]] = [
    timestamp,
    timestamps,
    ranks,
    colours,
    pytest,
    json_line,
    boxed,
    wrapped,
    cut_by_terminal,
    embedded,
    together,
]


def variants(message: Message, seed: int) -> Iterator[tuple[str, str]]:
    """The message as it was, and with every kind of noise that can befall it."""
    yield "as it was", message.text
    for make in WHOLE:
        yield (
            make.__name__.replace("_", " "),
            make(message.text, random.Random(f"{seed} {make.__name__} {message.text}")),
        )
    if message.key and message.kind == "error":
        yield "last line only", message.key
    if message.short:
        yield f"first {SHORT} characters", message.short
