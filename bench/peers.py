"""The same ten programs under every tool: what each says about why a program is traced again.

    python -m venv peers && peers/bin/pip install jax torch chex equinox
    python bench/peers.py peers/bin/python              # writes docs/peers.md

The programs are in bench/peer_programs. Each is run with JAX_EXPLAIN_CACHE_MISSES, and with a limit of one trace of
chex and of equinox, or with TORCH_LOGS=recompiles, in the environment of the peers; and with `traceonce run`, here.
What a tool says is searched for the answers to the same questions, by the same expressions; the page has the outputs,
too, so that everybody can see for themselves.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PROGRAMS = Path(__file__).parent / "peer_programs"
PAGE = ROOT / "docs" / "peers.md"
EXPLAIN, CHEX, EQUINOX, LOGS = "jax_explain_cache_misses", "chex", "equinox", "TORCH_LOGS=recompiles"
OURS = "traceonce"
THE_CALL = "the line of the call"
WIDTH, LINES = 150, 9  # of a quotation
COST, LEAVE = ("what it cost", r"\d m?s lost|· [\d.]+ m?s ·"), ("that it can be left as it is", r"You can ignore")


class Program(NamedTuple):
    """A program, and what its author needs to be told, as a question with an expression for its answer."""

    name: str
    asks: list[tuple[str, str]]

    @property
    def path(self) -> Path:
        return PROGRAMS / f"{self.name}.py"

    @property
    def about(self) -> str:
        return self.path.read_text().split('"""')[1]

    @property
    def call(self) -> tuple[str, str]:
        lines = self.path.read_text().splitlines()
        number = next(number for number, line in enumerate(lines, 1) if line.endswith("# the call"))
        return THE_CALL, rf"{self.name}\.py(:|\", line ){number}\b"


def programs() -> list[Program]:
    """With the questions: those of the program itself, then the line, then the cost and what to do."""
    asks = {
        "jax_lengths": [
            ("the argument", r"\bids\b"),
            ("its sizes, old and new", r"(?s)\b12\b.*\b9\b|\b9\b.*\b12\b"),
            COST,
            ("a remedy that fits", r"(?i)\bpad"),
        ],
        "jax_fresh_lambda": [
            ("that the same code is jitted anew", r"same code|re-defined repeatedly|new object every time"),
            COST,
            ("a remedy that fits", r"once, outside|move the nested functions"),
        ],
        "jax_static_settings": [
            ("the argument", r"\bsettings\b"),
            ("that it prints the same, but is another object", r"prints the same|another object|by identity"),
            COST,
            ("a remedy that fits", r"__eq__"),
        ],
        "jax_two_devices": [
            ("that it was compiled a second time", r"sharding|[Cc]pu:1|compilations"),
            ("the argument", r"\bbatch\b"),
            COST,
            LEAVE,
        ],
        "jax_changed_global": [
            ("that the result is wrong", r"silently wrong"),
            ("the name of the global", r"\bRATE\b"),
            ("its value, old and new", r"0\.1 → 0\.01"),
        ],
        "torch_step_counter": [
            ("what changed", r"self\.step"),
            ("that it is no longer compiled", r"plain Python|[Rr]unning eager|falls? back|recompile_limit"),
            ("what a call costs since", r"not compiled took|takes [\d.]+ .s now"),
            COST,
            ("a remedy that fits", r"register_buffer|allow_unspec_int_on_nn_module"),
        ],
        "torch_lengths": [
            ("the argument and the dimension", r"'ids' size mismatch at index 1|ids\.shape\[1\]"),
            COST,
            LEAVE,
        ],
        "torch_two_callers": [("the argument", r"'a' dtype|a\.dtype"), COST],
        "torch_run_names": [
            ("the argument", r"\bname\b"),
            ("how many of how many calls", r"in at least 6 calls"),
            COST,
        ],
        "torch_two_modes": [("the argument", r"\btraining\b"), COST, LEAVE],
    }
    made = [Program(name, found) for name, found in asks.items()]
    return [program._replace(asks=[*program.asks[:-1], program.call, program.asks[-1]]) for program in made]


class Said(NamedTuple):
    """What a tool wrote, and how the program ended."""

    text: str
    status: int

    @property
    def words(self) -> list[str]:
        """Without the traceback, where the program was ended: the source in it is not what the tool says."""
        lines = self.text.splitlines()
        raised = [number for number, line in enumerate(lines) if re.match(r"\w+(Error|Reached)\b", line)]
        return lines[raised[-1] :] if self.status and raised else lines

    def answers(self, question: str, expression: str) -> bool:
        text = self.text if question == THE_CALL else "\n".join(self.words)  # the line of a call is in a traceback
        return re.search(expression, text) is not None


def listen(program: Program, tool: str, peers: str) -> Said:
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    command = [peers, str(program.path)]
    with tempfile.TemporaryDirectory() as home:
        if tool == EXPLAIN:
            environment["JAX_EXPLAIN_CACHE_MISSES"] = "1"
        elif tool == LOGS:
            environment["TORCH_LOGS"] = "recompiles"
        elif tool == OURS:
            environment["TRACEONCE_HOME"] = home
            command = [sys.executable, "-m", "traceonce", "run", str(program.path)]
        else:
            command = [peers, str(Path(__file__).parent / "peer_limits.py"), tool, str(program.path)]
        done = subprocess.run(command, env=environment, cwd=PROGRAMS, capture_output=True, text=True, check=False)
    return Said(tidy(done.stderr, keep_warnings=tool != OURS), done.returncode)


def tidy(text: str, *, keep_warnings: bool) -> str:
    """Without folders, addresses, time stamps and what torch says by itself (which TORCH_LOGS is given credit for)."""
    text = re.sub(r"[^\s\"']*peer_programs/", "", text)
    text = re.sub(r" id=\d+| at 0x[0-9a-f]+", "", text)
    found = []
    for line in text.splitlines():
        logged = re.match(r"[VWI]\d{4} [\d:.]+ \d+ \S+\] (\[\S+\] )*(?P<rest>.*)", line)
        if logged and not keep_warnings:
            continue
        line = logged["rest"] if logged else line
        if line.strip() and not line.startswith(("recording: ", "For simplicity, JAX has removed", "-----")):
            found.append(re.sub(r"(\S)\s{6,}#", r"\1  #", line.rstrip()))
    return "\n".join(found)


def quote(said: Said) -> str:
    """Its first lines, and what torch says at its limit."""
    lines = said.words
    shown = lines[:LINES]
    at_limit = [line for line in lines[LINES:] if "config.recompile_limit (" in line]
    more = len(lines) - len(shown) - len(at_limit)
    shown += [*at_limit, f"… ({more} more lines)"] if more > 0 else at_limit
    return "\n".join(line if len(line) <= WIDTH else line[: WIDTH - 1] + "…" for line in shown) or "(nothing)"


def tools_for(program: Program) -> list[str]:
    return [LOGS, OURS] if program.name.startswith("torch") else [EXPLAIN, CHEX, EQUINOX, OURS]


def write_page(heard: dict[tuple[str, str], Said], versions: str) -> str:
    columns = [EXPLAIN, CHEX, EQUINOX, LOGS, OURS]
    lines = [
        "# The same programs under other tools",
        "",
        "Made by `python bench/peers.py`; do not edit. Ten small programs "
        f"([bench/peer_programs](../bench/peer_programs)) were run under each tool: {versions}.",
        "A number is how many of the questions that the author of the program has are answered by what the tool says; "
        "the questions, and the words, are below. chex and equinox were given a limit of one trace, below every "
        "`jax.jit`.",
        "",
        "| program | " + " | ".join(f"`{column}`" for column in columns) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    sections: list[str] = []
    for program in programs():
        tools = tools_for(program)
        answered = {tool: [heard[program.name, tool].answers(*ask) for ask in program.asks] for tool in tools}
        cells = [f"{sum(answered[tool])} of {len(program.asks)}" if tool in answered else "" for tool in columns]
        lines.append(f"| [{program.name}](#{program.name}) | " + " | ".join(cells) + " |")
        sections += [
            "",
            f"## {program.name}",
            "",
            program.about,
            "",
            "| | " + " | ".join(map("`{}`".format, tools)) + " |",
        ]
        sections.append("|---" * (len(tools) + 1) + "|")
        for number, (question, _) in enumerate(program.asks):
            sections.append(
                f"| {question} | " + " | ".join("yes" if answered[t][number] else "–" for t in tools) + " |"
            )
        for tool in tools:
            ended = " (ends the program)" if heard[program.name, tool].status else ""
            sections += ["", f"`{tool}`{ended}:", "", "```text", quote(heard[program.name, tool]), "```"]
    return "\n".join([*lines, "", REMARKS.strip(), *sections, ""])


REMARKS = """
What this shows, and what it does not:

- `jax_explain_cache_misses` is as good as we are at what differs from the nearest earlier call, and says so at once,
  while the program runs; traceonce reports at its end (or with `traceonce.log_retraces()`). It has no count, no cost
  and no remedy, and hears of traces alone: not of a compilation without one, nor of a value that was compiled in.
- chex and equinox stop a program, which is what a test needs, and `traceonce.limit`, `max_traces` and the pytest marker
  do, too. chex counts and catches the fresh lambda, but always suspects one; equinox names the argument with now and
  before, but counts each function object by itself, so a fresh lambda passes.
- `TORCH_LOGS=recompiles` has the failing guard of *every* earlier graph, and the line in the function that needs it;
  traceonce shows the change itself. It does not have the line of the call. That a function runs eagerly from the ninth
  compilation on, torch says with a warning of its own, which names the limit and not the consequence; it is counted as
  an answer here. torch also has `torch.compiler.set_stance("fail_on_recompile")`, which ends a program at the next
  compilation, a first one included.
- The questions are ours, and so they favour us; whoever asks differently counts differently. A yes means that the words
  are there, not that they are easy to find: read the outputs.
"""


def main() -> None:
    peers = sys.argv[1] if len(sys.argv) > 1 else ""
    asked = "import chex, equinox, jax, torch; print(*(m.__version__ for m in (jax, chex, equinox, torch)))"
    found = subprocess.run([peers or "false", "-c", asked], capture_output=True, text=True, check=False)
    if found.returncode:
        raise SystemExit(f"{__doc__}\nPYTHON must have them all: {found.stderr.strip() or 'no interpreter was named'}")
    versions = "JAX {}, chex {}, equinox {}, PyTorch {}".format(*found.stdout.split())
    heard = {}
    for program in programs():
        for tool in tools_for(program):
            print(f"{program.name}: {tool}", flush=True)
            said = heard[program.name, tool] = listen(program, tool, os.path.abspath(peers))
            if said.status and tool not in (CHEX, EQUINOX):
                raise SystemExit(f"{program.name} failed under {tool}:\n{said.text}")
    PAGE.write_text(write_page(heard, versions))
    print(f"written to {PAGE}")


if __name__ == "__main__":
    main()
