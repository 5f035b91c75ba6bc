"""An object that is made again is kept in a function of its own; what that cannot be is declined."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.fix.written_case import case_for, written
from traceonce.facts import Verdict
from traceonce.fix.candidate import Declined
from traceonce.frameworks.tensorflow.recipes.keep_object import RECIPE

CLASS = """\
import tensorflow as tf


class Agent:
    def __init__(self, scale, bias=0.0):
        self.scale = scale

    @tf.function
    def act(self, x):
        return x * self.scale


"""


def kept(program: str) -> str:
    """What comes after the class, with the last candidate: the function that remembers."""
    source = CLASS + program
    case = case_for(source, "act", ("new_instance", "act"), qualified="Agent.act")
    case = case._replace(diagnosis=msgspec.structs.replace(case.diagnosis, verdict=Verdict.RETRACING))
    return written(RECIPE, case, source, skip=1).partition("\n\n\nclass Agent:")[2].partition("self.scale\n\n\n")[2]


def test_what_is_read_around_it_is_passed() -> None:
    program = """\
def play(scale, rounds):
    for number in range(rounds):
        agent = Agent(scale, bias=0.5 * number)
        agent.act(1.0)
"""
    assert (
        kept(program)
        == """\
@functools.lru_cache(maxsize=None, typed=True)
def make_agent(scale, bias):
    return Agent(scale, bias=bias)


def play(scale, rounds):
    for number in range(rounds):
        agent = make_agent(scale, 0.5 * number)
        agent.act(1.0)
"""
    )


def test_what_is_done_to_it_right_after_goes_along() -> None:
    program = """\
for number in range(3):
    agent = Agent(2.0)
    agent.scale = 3.0
    agent.prepare(1)
    print(number)
    agent.act(1.0)
"""
    assert (
        kept(program)
        == """\
@functools.lru_cache(maxsize=None, typed=True)
def make_agent():
    agent = Agent(2.0)
    agent.scale = 3.0
    agent.prepare(1)
    return agent


for number in range(3):
    agent = make_agent()
    print(number)
    agent.act(1.0)
"""
    )


def test_a_factory_that_nobody_else_calls_remembers_itself() -> None:
    program = """\
def build(scale):
    return Agent(scale)


for number in range(3):
    agent = build(2.0)
    agent.act(1.0)
"""
    assert kept(program).startswith("@functools.lru_cache(maxsize=None, typed=True)\ndef build(scale):\n")


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("agent = Agent(2.0)\nfor number in range(3):\n    agent.act(1.0)\n", "already runs only once"),
        ("for agent in agents:\n    agent.act(1.0)\n", "this file does not show"),
        ("def play(agent):\n    agent.act(1.0)\n", "this file does not show"),
        ("k = 1\nk = 2\nfor n in x:\n    agent = Agent(k)\n    agent.act(1.0)\n", "assigned in several places"),
        ("async def play():\n    agent = Agent(await f())\n    agent.act(1.0)\n", "a function of its own"),
    ],
)
def test_what_cannot_be_kept(program: str, why: str) -> None:
    with pytest.raises(Declined, match=why):
        kept(program)
