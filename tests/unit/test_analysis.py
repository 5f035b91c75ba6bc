"""All that there is to say of a recording: what a repair has shown, and what each form of a report needs."""

from __future__ import annotations

import msgspec

from tests.unit.handmade import STEP, Events, python, record, tensor
from traceonce.analysis.diagnoses import diagnose_linked
from traceonce.analysis.material import find_out
from traceonce.facts import CauseCode, Fix, Recording, Repair
from traceonce.facts.proof import Measurement, Proof
from traceonce.report.base import FORMS, Material
from traceonce.report.json import render_json

PROOF = Proof(Measurement(4, 4, 2.0), Measurement(1, 4, 1.0), True, "proved")
PROVED = Fix("input_signature", "safe", 1, "@tf.function(…)", PROOF, diff="--- a\n+++ b\n")


def run(*repairs: Repair) -> Recording:
    events = Events()
    made = record(*(events(tensor("x", 3), python("step", n)) for n in range(4)), calls=4)
    return msgspec.structs.replace(made, repairs=repairs)


def test_what_was_proved_takes_the_place_of_what_is_proposed() -> None:
    """Without a repair there is a prediction; with one, its fixes and what it has to say."""
    (predicted,) = diagnose_linked(run())
    (repaired,) = diagnose_linked(run(Repair("tensorflow", STEP, (PROVED,), ("said by the repair",))))
    assert [fix.proof for fix in predicted.fixes] == [None]
    assert repaired.fixes == (PROVED,)
    assert repaired.notes == (*predicted.notes, "said by the repair")


def test_a_repair_that_found_nothing_takes_the_proposal_back() -> None:
    """What was tried in vain is not proposed again."""
    (diagnosis,) = diagnose_linked(run(Repair("tensorflow", STEP)))
    assert diagnosis.fixes == ()


def test_a_repair_of_another_function_changes_nothing() -> None:
    """It is found by its name, file and line."""
    other = msgspec.structs.replace(STEP, name="other")
    assert diagnose_linked(run(Repair("tensorflow", other, (PROVED,)))) == diagnose_linked(run())


def test_repairs_survive_a_file() -> None:
    """As a line of a log, and in one JSON document."""
    recording = run(Repair("tensorflow", STEP, (PROVED,), ("said",)))
    assert Recording.from_bytes(render_json(Material(recording, [])).encode()) == recording


def test_each_form_gets_what_it_shows() -> None:
    """Causes are aligned with the events; records are there in both languages."""
    for name, form in FORMS.items():
        material = find_out(run(), name)
        assert bool(material.causes) == form.shows_events
        assert bool(material.records) == form.shows_records
    page = find_out(run(), "html", "zh")
    assert [[cause.code for cause in causes] for causes in page.causes] == [[], *[[CauseCode.VALUE]] * 3]
    known = page.records["tensorflow/retracing-python-number"]
    assert known["en"]["root_cause"] != known["zh"]["root_cause"]
    assert known["en"]["try_first"]["shown"]["runs"] > 0
    assert page.language == "zh"
