"""``traceonce report``: show saved recordings again, on any machine."""

from __future__ import annotations

from pathlib import Path

import click

from traceonce.computation import compute_from
from traceonce.console.output import check_form, choose_output, put_report, tell_place
from traceonce.errors import UsageError
from traceonce.facts import Recording
from traceonce.home import latest_recording
from traceonce.report.base import FORMATS
from traceonce.words.translated import Language


@click.command(short_help="Show a saved recording again; merge several.")
@click.argument("recordings", nargs=-1, type=click.Path(path_type=Path))
@click.option("--latest", is_flag=True, help="Show the last run's recording.")
@click.option(
    "--format", "form", default="text", show_default=True, help=f"The format of the report: {', '.join(FORMATS)}."
)
@click.option("-o", "--output", help="Write the report to this file instead of standard output.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="The language of an HTML or Markdown report.")
def command(recordings: tuple[Path, ...], latest: bool, form: str, output: str | None, lang: Language | None) -> None:
    """Show a saved recording again, or merge several. Needs no framework.

    \b
    traceonce report --latest
    traceonce report --latest --format html -o report.html
    traceonce report run1.jsonl run2.jsonl --format json -o merged.json
    """
    check_form(form, lang)
    output = choose_output(form, output, to_stdout=True)
    if latest and recordings:
        raise UsageError("give --latest or a recording, not both.")
    if not latest and not recordings:
        raise UsageError("name one or more recordings, or give --latest for the last run's.")
    paths = [latest_recording()] if latest else list({path.resolve(): path for path in recordings}.values())
    from traceonce.analysis.diagnoses import diagnose_linked

    def put() -> None:
        recording = Recording.merge([Recording.load(path) for path in paths])
        put_report(recording, diagnose_linked(recording), form, output, to_stdout=True, language=lang or "en")

    compute_from(paths, put)
    if form == "html":
        tell_place(output)
