"""Commands that we suggest: made of words, and quoted so that a shell reads these words and nothing else."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

from traceonce.facts.printable import in_line, visible

LONGEST = 2_000  # characters: nobody copies more from a report, and half a command must not be run


def quoted(words: Sequence[str]) -> str:
    """The words for a shell.

    A word that cannot be printed as it is, is written as bash, zsh and POSIX 2024 read it: ``$'\\x1b'``.
    """
    return " ".join(map(_quote, words))


def suggested(words: Sequence[str]) -> str | None:
    """The same, where that is short enough to be shown."""
    command = quoted(words)
    return command if len(command) <= LONGEST else None


def as_file(path: str | os.PathLike[str]) -> str:
    """The name of a file as a word that no command takes for an option."""
    name = os.fspath(path)
    return os.path.join(".", name) if name.startswith("-") else name


def fix_words(command: Sequence[str], *options: str) -> list[str] | None:
    """`traceonce fix` for a program that was run by this command; None where the command does not name the program."""
    first = command[0] if command else ""
    is_flag = first in ("-m", "-c", "--") and len(command) > 1
    is_flag_and_name = first[:2] in ("-m", "-c") and len(first) > 2
    is_script = first.endswith(".py") and not first.startswith("-")
    return ["traceonce", "fix", *options, *command] if is_flag or is_flag_and_name or is_script else None


def _quote(word: str) -> str:
    if in_line(word) == word:
        return shlex.quote(word)
    return "$'" + "".join(map(_spell, word)) + "'"


def _spell(character: str) -> str:
    """One character between ``$'`` and ``'``; what cannot be shown as the bytes that a file name would have."""
    if character in "'\\":
        return f"\\{character}"
    if visible(character) == character and character != "#":  # ``##[`` is a command to those who read logs
        return character
    errors = "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass"
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", errors))
