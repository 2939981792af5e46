"""The figure of a study's claims: ours with its interval, and the region in which each agrees."""

from collections.abc import Sequence

from bentpipe.figures import forest
from bentpipe.figures.drawing import Drawing
from bentpipe.studies import Study
from bentpipe.studies.decisions import Decided, Decision
from bentpipe.studies.rules import Agreement
from bentpipe.studies.verdict import Standing

_MOST_LETTERS = 56
"""Of a heading: what is beside the axes is half of the figure."""


def draw(study: Study, decisions: Sequence[Decision]) -> Drawing | None:
    """Draw each comparison that has a number as a row, under where it was published; None without any."""
    groups: dict[str, list[forest.Row]] = {}
    for each in decisions:
        verdict = each.verdict
        heading = (
            verdict.source or "no source" if verdict.standing is Standing.CLAIM else verdict.standing.value
        )
        heading = heading if len(heading) <= _MOST_LETTERS else f"{heading[: _MOST_LETTERS - 1]}…"
        for finding in verdict.findings:
            if finding.measurement.percent is None:
                continue
            is_one = len(verdict.findings) == 1
            word = finding.agreement.value
            if finding.agreement is Agreement.DIFFERS and each.decided is Decided.BY_ABLATION:
                word = Decided.BY_ABLATION.value
            groups.setdefault(heading, []).append(
                forest.Row(
                    label=verdict.claim_id if is_one else f"{verdict.claim_id}: {finding.label}"[:70],
                    percent=finding.measurement.percent,
                    ci=finding.measurement.ci,
                    low=finding.rule.low,
                    high=finding.rule.high,
                    verdict=word,
                )
            )
    if not groups:
        return None
    return forest.draw(
        name="claims",
        title=f"The claims of {study.name}: ours, and the region in which each agrees",
        caption="Intervals are 95 %. An arrow says how far beyond the edge ours lies.",
        groups=groups,
    )
