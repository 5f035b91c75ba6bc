"""The parts of the server's pages that tests use, and errors to ask about."""

from __future__ import annotations

from playwright.sync_api import FilePayload, Locator, Page

KNOWN = """\
2026-11-15 12:13:04 INFO starting
Traceback (most recent call last):
  File "train.py", line 17, in <module>
tensorflow.python.framework.errors_impl.OperatorNotAllowedInGraphError: Using a symbolic `tf.Tensor` as a Python \
`bool` is not allowed. You can attempt the following resolutions to the problem.
"""


UNKNOWN = "WeirdError: XLA compilation: dynamic shape must be a compile-time constant, not a beard"


def as_file(name: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def choose_files(page: Page, *files: FilePayload) -> None:
    """With the button, and the window that the system opens."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add recordings").click()
    chooser.value.set_files(list(files))


def upload_named(page: Page, name: str) -> Locator:
    """The line that says how the upload of a file fared."""
    return page.get_by_role("region", name="Uploads").get_by_role("listitem").filter(has_text=name)


def run_named(page: Page, name: str) -> Locator:
    """The row of a recording in the list."""
    return page.locator("#runs > li").filter(has=page.get_by_role("link", name=name, exact=True))
