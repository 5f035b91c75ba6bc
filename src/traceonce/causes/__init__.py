"""The catalogue of causes: one definition for each code, with all that is said and shown of it.

To add a cause: its code in `facts/cause.py`, its definition in one of the modules here, what detects it, an
example in the home of each framework that can have it, and a test.
"""

from __future__ import annotations

from collections.abc import Mapping

from traceonce.causes import arguments, objects, silent, surroundings
from traceonce.causes.definition import Definition
from traceonce.facts import CauseCode

CATALOGUE: Mapping[CauseCode, Definition] = {
    found.code: found
    for module in (arguments, objects, surroundings, silent)
    for found in vars(module).values()
    if isinstance(found, Definition)
}
