"""Everything that traceonce raises on purpose.

TraceonceError                 the base: catch this to catch all
├── UsageError                 the input is not what it should be; the message names it and the remedy (exit 2)
│   ├── RecordingError         a file is not a recording, or nothing in it can be read
│   ├── RecordError            a knowledge record is not as it should be
│   └── ScriptError            there is no such script to run
├── BackendUnavailable         a framework is missing, or offers no hook that works here
└── TracingLimitReached        a function would have been traced more often than its limit allows

TracingLimitWarning            the same, where the limit is to warn; a UserWarning
"""

from __future__ import annotations

import errno

OUTPUT_FAILED = (errno.ENOSPC, errno.EDQUOT, errno.EIO)  # what a full or broken disk answers

TYPE_CHECKING = False  # facts import these errors
if TYPE_CHECKING:
    from traceonce.facts import Breach


class TraceonceError(Exception):
    """The base class of all traceonce errors."""


class UsageError(TraceonceError):
    """Invalid input; the message says what, where, and what to do about it."""


class RecordingError(UsageError):
    """A file is not a recording, or nothing in it can be read."""


class RecordError(UsageError):
    """A knowledge record, or a collection of them, is not as it should be."""


class ScriptError(UsageError):
    """There is no such script, module or code to run."""


class TracingLimitReached(TraceonceError):  # noqa: N818  # the name that users search for
    """A call would exceed its tracing limit; earlier traces still serve their calls.

    `breach` has the facts: function, limit, counts, causes, call site. Where the framework has an error for exhausted
    resources, the raised error is one of those too.
    """

    def __init__(self, message: str, breach: Breach) -> None:
        super().__init__(message, breach)
        self.breach = breach

    def __str__(self) -> str:
        return str(self.args[0])


class TracingLimitWarning(UserWarning):
    """A call exceeded its tracing limit, and the limit only warns."""


class BackendUnavailable(TraceonceError):  # noqa: N818  # reads as what it says
    """A framework is not installed, or offers no hook that works here."""
