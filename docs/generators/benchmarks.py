"""The plots and tables of docs/benchmarks.md, from the files in bench/results: no figure there is typed in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from generators.svg import BLUE, FAINT, GREY, INK, LINE, RED, Drawing

RESULTS = Path(__file__).parents[2] / "bench" / "results"
TABLE = re.compile(r"(?<=<!-- figures: )(\w+)( -->\n).*?(?=<!-- end of figures -->)", re.S)


def load(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


class Ratio(NamedTuple):
    """A measured ratio with its middle half, and that of the same thing against itself."""

    label: str
    median: float
    low: float
    high: float
    noise: float


def ratio(label: str, measured: dict[str, Any], kind: str) -> Ratio:
    of = measured[kind]
    return Ratio(label, of["median"], of["low"], of["high"], measured["a_a"]["median"])


# ── what watching costs ──────────────────────────────────────────────────────────────────────────────────────────────


def overhead() -> list[Ratio]:
    """A call that needs no trace, watched, against the same call unwatched; and a retrace."""
    observe, backends = load("observe"), load("backends")
    hits = [
        ratio(f"tf.function, {many} tensor argument{'s' * (many != '1')}", measured, "watched")
        for many, measured in observe["hits"].items()
    ]
    others = [ratio(name.replace("leaves", "leaf" if " 1 " in name else "leaves"), measured, "watched")
              for name, measured in backends["hits"].items()]  # fmt: skip
    return [*hits, *others, ratio("a retrace of tf.function", observe["misses"], "watched_and_explained")]


def limits() -> list[Ratio]:
    guard = load("guard")
    hits = [
        ratio(f"tf.function, {many} tensor argument{'s' * (many != '1')}", measured, "guarded")
        for many, measured in guard["hits"].items()
    ]
    return [*hits, ratio("a retrace of tf.function", guard["misses"], "guarded")]


def dispatch() -> list[Ratio]:
    """`traceonce.function` against `tf.function`."""
    speed = load("bounded")["speed"]
    return [ratio(re.sub(r"^1 tensors", "1 tensor", name), measured, "ours") for name, measured in speed.items()]


def draw_ratios(title: str, rows: Sequence[Ratio], least: float, most: float, step: float) -> str:
    """A row per ratio: a dot at the median, a line over the middle half, a mark where nothing would have changed."""
    left, right, top, pitch = 270, 760, 64, 26
    height = top + pitch * len(rows) + 46
    drawing = Drawing(860, height, title)
    drawing.text(20, 30, title, size=16, bold=True)

    def at(value: float) -> float:
        return left + (right - left) * (value - least) / (most - least)

    marks = [least + step * number for number in range(round((most - least) / step) + 1)]
    for mark in marks:
        same = abs(mark - 1) < 1e-9
        drawing.line(at(mark), top - 14, at(mark), height - 40, ink=INK if same else LINE)
        drawing.text(at(mark), height - 22, f"{mark:g}", size=12, ink=FAINT, anchor="middle")
    for number, row in enumerate(rows):
        y = top + pitch * number
        drawing.text(left - 14, y + 4, row.label, size=12, anchor="end")
        drawing.line(at(row.low), y, at(row.high), y, ink=BLUE, width=3)
        drawing.dot(at(row.median), y, BLUE)
        drawing.text(right + 16, y + 4, f"{row.median:.3f}", size=12)
    return drawing.render()


# ── what repairs leave, what a recompile costs ───────────────────────────────────────────────────────────────────────


class Bar(NamedTuple):
    label: str
    value: float
    shown: str
    ink: str


def draw_bars(title: str, bars: Sequence[Bar]) -> str:
    left, right, top, pitch = 300, 700, 60, 34
    drawing = Drawing(860, top + pitch * len(bars) + 8, title)
    drawing.text(20, 30, title, size=16, bold=True)
    most = max(bar.value for bar in bars)
    for number, bar in enumerate(bars):
        y = top + pitch * number
        drawing.text(left - 14, y + 14, bar.label, size=13, anchor="end")
        width = (right - left) * bar.value / most
        drawing.bar(left, y, width, 20, bar.ink)
        drawing.text(left + width + 10, y + 15, bar.shown, size=13)
    return drawing.render()


FRAMEWORKS = {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}


def repairs(measured: dict[str, Any]) -> list[Bar]:
    bars = []
    for framework, found in measured["in_all"].items():
        traces = found["traces"]
        shown = [("as they were", "before", GREY), ("fixed by traceonce fix", "after", BLUE)]
        if traces["relaxed"]:
            shown.insert(1, ("with reduce_retracing=True", "relaxed", RED))
        for label, variant, ink in shown:
            bars.append(Bar(f"{FRAMEWORKS[framework]}, {label}", traces[variant], f"{traces[variant]} traces", ink))
    return bars


def recompiles() -> list[Bar]:
    """In training steps: what one new sequence length costs on an accelerator."""
    measured = load("backends_accelerator")
    found = [("jax.jit", measured["jax"]), *((f"torch.compile, {kind}", of) for kind, of in measured["torch"].items()
             if kind in ("static", "automatic"))]  # fmt: skip
    names = {"torch.compile, static": "torch.compile(dynamic=False)", "torch.compile, automatic": "torch.compile"}
    return [
        Bar(names.get(name, name), of["steps_per_recompile"], f"{of['steps_per_recompile']:,} steps", BLUE)
        for name, of in found
    ]  # fmt: skip


def memory() -> list[Bar]:
    kinds = {"shapes": "1,000 shapes", "floats": "1,000 floats", "strings": "1,000 strings"}
    found = []
    for kind, label in kinds.items():
        of = load("bounded")["memory"][kind]
        for who, name, ink in (("tf.function", "tf.function", GREY), ("traceonce", "traceonce.function", BLUE)):
            kept = of[who]["kept_mib"]
            found.append(Bar(f"{label}, {name}", kept, f"{kept:.1f} MiB", ink))
    return found


PICTURES: dict[str, Callable[[], str]] = {
    "bench-watching": lambda: draw_ratios("Watched / unwatched: the time of a call", overhead(), 0.9, 1.1, 0.05),
    "bench-dispatch": lambda: draw_ratios("traceonce.function / tf.function: a call", dispatch(), 0.0, 1.0, 0.2),
    "bench-repairs": lambda: draw_bars("Traces of all programs that need a fix", repairs(load("fix"))),
    "bench-recompiles": lambda: draw_bars("What one recompile costs, in training steps", recompiles()),
    "bench-memory": lambda: draw_bars("Memory kept after 1,000 calls, each with something new", memory()),
}  # fmt: skip


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def ratio_table(rows: Sequence[Ratio], what: str) -> str:
    head = [f"| median (middle half) | {what} | the same thing twice |", "|---|---|---|"]
    lines = [f"| {row.label} | {row.median:.3f} ({row.low:.3f} to {row.high:.3f}) | {row.noise:.3f} |" for row in rows]
    return "\n".join([*head, *lines])


def start_up() -> str:
    start, explained = load("observe")["start"], load("observe")["thousand_traces"]
    plugin = load("guard")["pytest"]
    return "\n".join(
        [
            "| what | adds |",
            "|---|---|",
            f"| `import traceonce` | {start['import traceonce']['beyond_python_ms']:.1f} ms |",
            f"| `traceonce --help` | {start['traceonce --help']['beyond_python_ms']:.0f} ms |",
            f"| the pytest plugin, to the start of pytest | {plugin['fastest_adds_ms']:.1f} ms "
            f"(pytest against itself: {plugin['fastest_a_a_ms']:.1f} ms) |",
            f"| explaining the {explained['traces']:,}th trace of a function | {explained['median_ms']:.1f} ms |",
        ]
    )


def recompile_table() -> str:
    measured = load("backends_accelerator")
    rows = [("JAX " + measured["jax"]["version"], measured["jax"])]
    torch = measured["torch"]
    rows += [(f"PyTorch {torch['version']}, {name}", torch[kind])
             for kind, name in (("static", "`dynamic=False`"), ("automatic", "left to itself"))]  # fmt: skip
    lines = [
        f"| {measured['jax']['device']} | a step | the first step at a new length | = steps |",
        "|---|--:|--:|--:|",
    ]
    for label, of in rows:
        first = ", ".join(f"{seconds:.1f} s" for seconds in of["first_seconds"].values())
        lines.append(f"| {label} | {of['steady_ms']:.1f} ms | {first} | {of['steps_per_recompile']:,} |")
    return "\n".join(lines)


def repair_table(measured: dict[str, Any] | None = None) -> str:
    """A column for each framework: the outcomes of its programs, and their run time."""
    in_all = (measured or load("fix"))["in_all"]
    columns = list(in_all.values())

    def row(what: str, cells: Sequence[object]) -> str:
        return f"| {what} | {' | '.join(map(str, cells))} |\n"

    def counts(of: str) -> list[str]:
        return list(dict.fromkeys(name for found in columns for name in found[of]))

    def means(name: str) -> list[str]:
        found = [each["geometric_means"][name] for each in columns]
        return ["–" if mean is None else f"{mean:.2f}" for mean in found]

    relaxed = "".join(
        row(f"`reduce_retracing=True`: {_fixes(what)}", [found["reduce_retracing"].get(what, "–") for found in columns])
        for what in counts("reduce_retracing")
    )
    return (
        row("what", [FRAMEWORKS[name] for name in in_all])
        + f"|---|{'--:|' * len(columns)}\n"
        + row("programs", [sum(found["came_to"].values()) for found in columns])
        + "".join(row(f"… {_fixes(what)}", [found["came_to"].get(what, 0) for found in columns])
                  for what in counts("came_to"))
        + row("… not as expected", [len(found["not_as_expected"]) for found in columns])
        + row("traces of programs that need a fix, before → after",
              [f"{found['traces']['before']} → {found['traces']['after']}" for found in columns])
        + row("run time, fixed / before (geometric mean, without imports)", means("after_to_before"))
        + row("run time, before / before", means("a_a"))
        + row("run time, fixed / `reduce_retracing=True`", means("after_to_relaxed"))
        + relaxed
        + row("`traceonce fix` took (median, worst)",
              [f"{found['fix_seconds']['median']:.0f} s, {found['fix_seconds']['worst']:.0f} s" for found in columns])
    ).rstrip("\n")  # fmt: skip


def _fixes(outcome: str) -> str:
    return outcome.replace("the repair", "the fix").replace("repaired", "fixed")


def seldom_table() -> str:
    """How often the programs in examples/bounded are traced, in all."""
    loads = load("bounded_traces")["workloads"].values()
    kinds = {"tf.function": "tf.function", "traceonce.function": "traceonce.function"}
    in_all = {name: sum(of[kind]["traces"] for of in loads) for name, kind in kinds.items()}
    fewest = sum(of["fewest"] for of in loads)
    rows = "".join(f"| `{name}` | {traces} |\n" for name, traces in in_all.items())
    head = f"| {len(loads)} programs in examples/bounded | traces |\n|---|--:|\n"
    return f"{head}{rows}| the fewest that the rules allow | {fewest} |"


def match_table() -> str:
    measured = load("match")
    messages, benign, times = measured["messages"], measured["benign"], measured["times"]
    own = next(times[name] for name in times if name.startswith(f"{measured['records']} records, messages"))
    return (
        "| question | measured |\n|---|--:|\n"
        f"| real messages, with noise around them | {messages['asked']:,} |\n"
        f"| the right record first | {messages['right_first']:,} |\n"
        f"| harmless log lines | {benign['lines']:,} |\n"
        f"| taken for a failure | {benign['matched']} |\n"
        f"| one text takes (median, worst) | {own['median_ms']:.1f} ms, {own['worst_ms']:.0f} ms |"
    )


def page_table() -> str:
    lines = ["| page | can be used after | a frame while zooming |", "|---|--:|--:|"]
    for name, of in load("page")["pages"].items():
        lines.append(f"| {name} | {of['interactive']['median'] / 1000:.1f} s | {of['zoom_frame']['median']:.1f} ms |")
    return "\n".join(lines)


def serve_table() -> str:
    lines = ["| question | answers per second | median | 99th percentile |", "|---|--:|--:|--:|"]
    for name, of in load("serve")["questions"].items():
        lines.append(f"| {name} | {of['per_s']:,} | {of['p50_ms']:.1f} ms | {of['p99_ms']:.1f} ms |")
    return "\n".join(lines)


TABLES: dict[str, Callable[[], str]] = {
    "watching": lambda: ratio_table(overhead(), "watched / unwatched"),
    "limits": lambda: ratio_table(limits(), "under limits / without"),
    "dispatch": lambda: ratio_table(dispatch(), "traceonce.function / tf.function"),
    "start": start_up,
    "recompiles": recompile_table,
    "repairs": repair_table,
    "seldom": seldom_table,
    "match": match_table,
    "page": page_table,
    "serve": serve_table,
}


def fill(text: str) -> str:
    """The page, with the tables as the results give them."""
    return TABLE.sub(lambda found: f"{found[1]}{found[2]}\n{TABLES[found[1]]()}\n\n", text)
