"""Numbers for events: one row for a process, whichever of its frameworks an event comes from."""

from __future__ import annotations

import itertools

number_event = itertools.count(1).__next__
