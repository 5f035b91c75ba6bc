"""``%%traceonce`` for Jupyter and IPython: watch a cell, or with ``%traceonce`` a line, and show the report below it.

After ``%load_ext traceonce``. An error in the cell is the cell's own, and its last expression is its value.
"""

from __future__ import annotations

from typing import Any

from traceonce.api import Watch
from traceonce.errors import UsageError
from traceonce.facts.printable import MESSAGE, in_line
from traceonce.integrations.jupyter.cell_code import compile_cell, run_cell
from traceonce.integrations.jupyter.display import show_report
from traceonce.integrations.jupyter.magic_line import Options, describe_options, parse_line

NAME = "traceonce"


def load_ipython_extension(shell: Any) -> None:
    """What ``%load_ext traceonce`` calls."""

    def traceonce(line: str, cell: str | None = None) -> Any:
        __tracebackhide__ = True
        options, code = _read(line, cell)
        if options.help:
            print(describe_options(), end="")
            return None
        compiled = compile_cell(shell, code, below=0 if cell is None else 1)
        watch = Watch()
        if options.name is not None:
            shell.user_ns[options.name] = watch
        try:
            with watch:
                return run_cell(shell, compiled)
        finally:
            show_report(shell, watch, options)

    traceonce.__doc__ = describe_options()
    # With a semicolon behind its last expression a cell has no output; and braces in a line of code are the code's.
    traceonce._ipython_magic_output_can_be_silenced = True  # type: ignore[attr-defined]  # IPython's own marks
    traceonce._ipython_magic_no_var_expand = True  # type: ignore[attr-defined]
    shell.register_magic_function(traceonce, "line_cell", NAME)


def unload_ipython_extension(shell: Any) -> None:
    """What ``%unload_ext traceonce`` calls."""
    for magics in shell.magics_manager.magics.values():
        magics.pop(NAME, None)


def _read(line: str, cell: str | None) -> tuple[Options, str]:
    """The options, and the code: that of the cell, or what is left of the line."""
    try:
        options, code = parse_line(line)
        if cell is not None and code:
            raise UsageError(f"%%traceonce: {code!r} is no option; code goes into the lines below.")
        if cell is None and not code and not options.help:
            raise UsageError("%traceonce: there is no code to watch; %traceonce --help says how to use it.")
    except UsageError as error:
        from IPython.core.error import UsageError as ShellUsageError

        raise ShellUsageError(in_line(str(error), MESSAGE)) from None
    return options, code if cell is None else cell
