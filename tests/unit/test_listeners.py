"""What hears of traces by itself is there whichever way traceonce came into a program."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "way_in",
    [
        "import traceonce; traceonce.watch",
        "import traceonce; traceonce.limit",
        "import traceonce; traceonce.max_traces",
        "import traceonce; traceonce.log_retraces",
        "import traceonce.integrations.keras_callback",
        "import traceonce.in_program",
        "from traceonce import config, startup; startup.put_in_force(config.Config(log_retraces=True))",
    ],
)
def test_every_way_in_enters_the_spans(way_in: str) -> None:
    """And imports nothing of what makes them: that comes when the program has imported OpenTelemetry."""
    asked = (
        f"{way_in}\nimport sys\nfrom traceonce.observe.hub import LISTENERS\n"
        "print(*LISTENERS, 'traceonce.integrations.spans' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["opentelemetry.trace", "False"]
