"""Giving a call one more keyword argument, in the way in which the call is written."""

from __future__ import annotations

import libcst as cst

from traceonce.frameworks.base.descriptor import Source


def same_option(source: Source | None, given: str, name: str) -> bool:
    """Is this the option, perhaps under its old name?"""
    return (source.old_options.get(given, given) if source is not None else given) == name


def positional_option(source: Source | None, index: int, argument: cst.Arg) -> str | None:
    """The option of the wrapper that is given at this position."""
    options = source.options if source is not None else ()
    return options[index] if not argument.star and index < len(options) else None


def with_keyword(
    call: cst.Call, name: str, value: cst.BaseExpression, source: Source | None = None, *, partial: bool = False
) -> cst.Call:
    """The call with the keyword set; the comments and the layout of the others stay.

    `source` is that of the wrapper that is called, or given to the `partial` that is; None for any other call.
    """
    arguments = list(call.args)
    for index, argument in enumerate(arguments):
        if argument.keyword is not None:
            same = same_option(source, argument.keyword.value, name)
        else:
            same = not partial and positional_option(source, index, argument) == name
        if same:
            arguments[index] = argument.with_changes(value=value)
            return call.with_changes(args=arguments)
    return _with_last(call, name, value)


def _with_last(call: cst.Call, name: str, value: cst.BaseExpression) -> cst.Call:
    equal = cst.AssignEqual(whitespace_before=cst.SimpleWhitespace(""), whitespace_after=cst.SimpleWhitespace(""))
    new = cst.Arg(keyword=cst.Name(name), value=value, equal=equal)
    if not call.args:
        return call.with_changes(args=[new])
    *others, last = call.args
    separator = _separator(call)
    if isinstance(last.comma, cst.Comma):  # a trailing comma: the new one gets it
        closing = last.comma.whitespace_after
        gap, end = _split(closing, separator, call.whitespace_before_args)
        last = last.with_changes(comma=last.comma.with_changes(whitespace_after=gap))
        new = new.with_changes(comma=cst.Comma(whitespace_after=end))
    else:
        gap, end = _split(last.whitespace_after_arg, separator, call.whitespace_before_args)
        last = last.with_changes(comma=cst.Comma(whitespace_after=gap), whitespace_after_arg=cst.SimpleWhitespace(""))
        new = new.with_changes(whitespace_after_arg=end)
    return call.with_changes(args=[*others, last, new])


def _separator(call: cst.Call) -> cst.BaseParenthesizableWhitespace:
    """What stands between two arguments of this call."""
    if len(call.args) > 1:
        comma = call.args[-2].comma
        assert isinstance(comma, cst.Comma)
        return _without_comments(comma.whitespace_after)
    if isinstance(call.whitespace_before_args, cst.ParenthesizedWhitespace):
        return _without_comments(call.whitespace_before_args)
    return cst.SimpleWhitespace(" ")


def _split(
    closing: cst.BaseParenthesizableWhitespace,
    separator: cst.BaseParenthesizableWhitespace,
    opening: cst.BaseParenthesizableWhitespace,
) -> tuple[cst.BaseParenthesizableWhitespace, cst.BaseParenthesizableWhitespace]:
    """What stood between the last argument and the bracket, as what stands before and after a new argument."""
    if not isinstance(closing, cst.ParenthesizedWhitespace):
        return separator, closing
    commented = closing.first_line.comment is not None or any(line.comment is not None for line in closing.empty_lines)
    if not isinstance(separator, cst.ParenthesizedWhitespace) and not commented:
        return separator, closing
    like = next(
        (space for space in (separator, opening) if isinstance(space, cst.ParenthesizedWhitespace)),
        cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace("    ")),
    )
    return closing.with_changes(indent=like.indent, last_line=like.last_line), _without_comments(closing)


def _without_comments(space: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    if not isinstance(space, cst.ParenthesizedWhitespace):
        return space
    return space.with_changes(first_line=cst.TrailingWhitespace(newline=space.first_line.newline), empty_lines=[])
