"""A study on the paper's rig and with present software: what of it is about its time, and what lasts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bentpipe.errors import BentpipeError
from bentpipe.ledger import Ledger
from bentpipe.report.source import Source, read
from bentpipe.studies import Study, Verdict
from bentpipe.studies.rules import Agreement
from bentpipe.studies.verdict import Standing

TODAY = "today"
"""The tag of a study that was measured with present software."""


@dataclass(frozen=True, kw_only=True)
class SameClaim:
    """A claim on the paper's rig and with present software."""

    rig: Verdict
    today: Verdict


@dataclass(frozen=True, kw_only=True)
class Rigs:
    """The claims of a study on both rigs; `folder` has the results of the paper's."""

    folder: Path
    claims: tuple[SameClaim, ...]

    @property
    def sentence(self) -> str:
        """What lasts, and what was about its time."""
        counted = [each for each in self.claims if each.rig.standing is Standing.CLAIM]
        pairs = [(_agrees(each.rig), _agrees(each.today)) for each in counted]
        return (
            f"Of {len(pairs)} claims {pairs.count((True, True))} agree on the paper's rig and with present "
            f"software, {pairs.count((True, False))} on the rig alone, {pairs.count((False, True))} with "
            f"present software alone, {pairs.count((False, False))} on neither."
        )


def gather(source: Source, study: Study | None, verdicts: Sequence[Verdict], folder: Path) -> Rigs | None:
    """Return both rigs; None unless it is a study with present software and the rig's results are there.

    These are those in the folder of the same name without the tag, by the same engine.
    """
    if study is None or source.scenario.tag != TODAY:
        return None
    other = folder.with_name(folder.name.replace(f"-{TODAY}", "", 1))
    try:
        with Ledger(other) as ledger:
            rig = read(ledger)
            if rig.scenario.name != study.name or rig.scenario.tag:
                return None
            found = {each.claim_id: each for each in study.claims(rig.recorded)}
    except BentpipeError:
        # Nobody has measured it, or it cannot be read: this report is about another folder.
        return None
    return Rigs(
        folder=other,
        claims=tuple(
            SameClaim(rig=found[each.claim_id], today=each) for each in verdicts if each.claim_id in found
        ),
    )


def _agrees(verdict: Verdict) -> bool:
    return verdict.agreement is Agreement.AGREES
