"""What became of mutants, kept over changes of the code."""

from pathlib import Path

import pytest

from tools.mutants.mutant import Kind, Mutant, Outcome
from tools.mutants.page import Judged
from tools.mutants.store import Store


def mutant(name="A: 2 -> 3"):
    return Mutant(
        crate="any", kind=Kind.CONSTANT, file=Path("any.rs"), name=name, start=0, end=1, replacement="3"
    )


@pytest.fixture
def root(tmp_path):
    (tmp_path / "any.rs").write_text("2")
    return tmp_path


def test_an_outcome_is_on_the_disk_at_once(root):
    Store(root, "any").add(mutant(), Outcome.MISSED)
    assert Store(root, "any").outcome(mutant()) is Outcome.MISSED


def test_an_outcome_is_kept_when_the_file_changes_and_is_no_longer_current(root):
    store = Store(root, "any")
    store.add(mutant(), Outcome.CAUGHT)
    assert store.is_current(mutant())
    (root / "any.rs").write_text("2 ")
    assert (store.outcome(mutant()), store.is_current(mutant())) == (Outcome.CAUGHT, False)


def test_mutants_that_are_no_more_are_forgotten(root):
    store = Store(root, "any")
    store.add(mutant(), Outcome.CAUGHT)
    store.add(mutant("B: 2 -> 3"), Outcome.CAUGHT)
    store.forget_others([mutant()])
    assert Store(root, "any").outcome(mutant("B: 2 -> 3")) is None


def test_equivalents_and_what_does_not_compile_do_not_count():
    by_name = {name: mutant(name) for name in ("caught", "late", "missed", "equal", "unviable")}
    outcomes = {
        by_name["caught"]: Outcome.CAUGHT,
        by_name["late"]: Outcome.TIMEOUT,
        by_name["missed"]: Outcome.MISSED,
        by_name["equal"]: Outcome.MISSED,
        by_name["unviable"]: Outcome.UNVIABLE,
    }
    judged = Judged(
        crate="any",
        mutants=list(by_name.values()),
        outcomes=outcomes,
        equivalents={by_name["equal"]: "the value is never read"},
    )
    # Two of three.
    assert judged.score == pytest.approx(2 / 3)
    assert judged.survivors == [by_name["missed"]]
