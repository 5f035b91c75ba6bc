"""Everything that traceonce raises on purpose.

TraceonceError                 the base: catch this to catch all
├── UsageError                 the input is not what it should be; the message names it and the remedy (exit 2)
│   ├── RecordingError         a file is not a recording, or nothing in it can be read
│   └── ScriptError            there is no such script to run
└── BackendUnavailable         a framework is missing, or offers no hook that works here
"""

from __future__ import annotations


class TraceonceError(Exception):
    """The base of all errors raised by traceonce."""


class UsageError(TraceonceError):
    """The input is wrong; the message says what, where, and what to do about it."""


class RecordingError(UsageError):
    """A file is not a recording, or nothing in it can be read."""


class ScriptError(UsageError):
    """There is no such script, module or code to run."""


class BackendUnavailable(TraceonceError):  # noqa: N818  # reads as what it says
    """A framework is not installed, or offers no hook that works here."""
