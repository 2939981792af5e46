"""What a report found, in lines for a terminal: the cells, then the claims of a study."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bentpipe.report.cells import CellResult
from bentpipe.report.rigs import Rigs
from bentpipe.stats import Difference
from bentpipe.studies.decisions import Decision, Score
from bentpipe.studies.rules import Agreement
from bentpipe.studies.verdict import Finding, Standing, Verdict

MOST_CELLS = 40
"""Of more the report is read."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows with aligned columns; the first is the heading."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What was found: tables, each followed by a sentence."""

    tables: tuple[Table, ...]
    sentences: tuple[str, ...]


def of_cells(cells: Sequence[CellResult], verdicts: Sequence[Verdict], rigs: Rigs | None = None) -> Answer:
    """Return the headline of each cell with its interval, and the verdicts where a study is repeated.

    With present software those on the paper's rig stand beside them, where they were measured.
    """
    tables = [Table(rows=tuple(_cells(cells)))] if 0 < len(cells) <= MOST_CELLS else []
    sentences = []
    if len(cells) > MOST_CELLS:
        sentences.append(f"{len(cells)} cells: their means and intervals are in the report.")
    if verdicts:
        tables.append(Table(rows=tuple(_verdicts(verdicts, rigs))))
        counted = [each for each in verdicts if each.standing is Standing.CLAIM]
        agree = sum(each.agreement is Agreement.AGREES for each in counted)
        differ = sum(each.agreement is Agreement.DIFFERS for each in counted)
        others = len(counted) - agree - differ
        sentences.append(
            f"Of {len(counted)} claims {agree} agree, {differ} differ, {others} are not testable."
        )
    if rigs is not None:
        sentences.append(rigs.sentence)
    return Answer(tables=tuple(tables), sentences=tuple(sentences))


def of_decisions(decisions: Sequence[Decision], score: Score) -> Answer:
    """Return each claim with what decides it."""
    rows = [("CLAIM", "PUBLISHED", "OURS", "VERDICT", "")]
    for each in decisions:
        finding = _telling(each.verdict)
        texts = (finding.published, finding.ours) if finding else ("-", "-")
        rows.append((each.verdict.claim_id, *texts, each.decided.value, each.sentence))
    return Answer(
        tables=(Table(rows=tuple(rows)),),
        sentences=(
            f"Of {score.possible} claims that can hold {score.agree} agree, {score.decided} are decided by "
            f"an ablation, {score.open} are open; {score.calibrated} are calibrated, "
            f"{score.impossible} impossible.",
        ),
    )


def of_changes(changes: Sequence[tuple[str, Sequence[tuple[str, Difference]]]]) -> Answer:
    """Return what each variant changes of each group of runs, the greatest change first.

    `changes` has for each group its name, and for each variant its name with the relative change.
    """
    tables = []
    for group, found in changes:
        rows = [(group.upper(), "CHANGE", "95 % INTERVAL")]
        for name, change in sorted(found, key=lambda each: -abs(each[1].value)):
            ci = change.ci.scaled(100) if change.ci else None
            reach = f"{ci.low:+.1f} to {ci.high:+.1f} %" if ci else "-"
            rows.append((name, f"{100 * change.value:+.1f} %", reach))
        tables.append(Table(rows=tuple(rows)))
    return Answer(tables=tuple(tables), sentences=())


def _cells(cells: Sequence[CellResult]) -> Iterator[tuple[str, ...]]:
    yield ("CELL", "n", "MEAN", "95 % INTERVAL", "")
    for cell in cells:
        if cell.headline is None:
            yield (cell.label, "0", "-", "-", "no run has a number")
            continue
        quantity, summary = cell.headline
        ci = summary.mean_ci
        reach = "-" if ci is None else f"{ci.low:.{quantity.decimals}f} to {ci.high:.{quantity.decimals}f}"
        mean = f"{summary.mean:.{quantity.decimals}f} {quantity.unit}".rstrip()
        yield (cell.label, str(summary.n), mean, reach, quantity.label)


def _verdicts(verdicts: Sequence[Verdict], rigs: Rigs | None) -> Iterator[tuple[str, ...]]:
    on_rig = {each.rig.claim_id: each.rig.agreement.value for each in rigs.claims} if rigs else {}
    yield ("CLAIM", "PUBLISHED", "OURS", *(["ON THE RIG"] if rigs else []), "")
    for each in verdicts:
        finding = _telling(each)
        texts = (finding.published, finding.ours) if finding else ("-", "-")
        is_counted = each.standing is Standing.CLAIM
        verdict = each.agreement.value if is_counted else f"{each.agreement.value} ({each.standing.value})"
        yield (each.claim_id, *texts, *([on_rig.get(each.claim_id, "-")] if rigs else []), verdict)


def _telling(verdict: Verdict) -> Finding | None:
    """Return the finding that decides: the first that is as the verdict."""
    alike = (finding for finding in verdict.findings if finding.agreement is verdict.agreement)
    return next(alike, verdict.findings[0] if verdict.findings else None)
