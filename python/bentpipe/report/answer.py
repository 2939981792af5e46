"""What a report found, in lines for a terminal: what is best, the cells, then the claims of a study."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bentpipe.report import best
from bentpipe.report.best import Best, Rated
from bentpipe.report.cells import CellResult
from bentpipe.report.quantities import Quantity
from bentpipe.report.rigs import Rigs
from bentpipe.stats import Difference
from bentpipe.studies.decisions import Decision, Score
from bentpipe.studies.rules import Agreement
from bentpipe.studies.verdict import Finding, Standing, Verdict

MOST_CELLS = 40
"""Of more the table has the best of each condition, and no more than these."""
SEVERAL = "="
"""Marks what does not differ significantly from the best."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows with aligned columns; the first is the heading. `marked` are places of rows that stand out."""

    rows: tuple[tuple[str, ...], ...]
    marked: frozenset[int] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What was found: tables, then sentences; `notes` say how to read the tables.

    `bests` is what tables and sentences on cells are made from.
    """

    tables: tuple[Table, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...] = ()
    bests: tuple[Best, ...] = ()


def of_cells(
    cells: Sequence[CellResult],
    bests: Sequence[Best],
    verdicts: Sequence[Verdict],
    rigs: Rigs | None = None,
) -> Answer:
    """Return what is best under each condition, every cell, and the verdicts where a study is repeated.

    With present software those on the paper's rig stand beside them, where they were measured.
    """
    tables = [
        _of_quantity([best for best in bests if best.quantity == quantity], is_short=len(cells) > MOST_CELLS)
        for quantity in dict.fromkeys(best.quantity for best in bests)
    ]
    unmeasured = [cell for cell in cells if cell.headline is None]
    if unmeasured and len(cells) <= MOST_CELLS:
        tables.append(Table(rows=(("NO RUN HAS A NUMBER",), *((cell.label,) for cell in unmeasured))))
    notes = []
    if any(len(each.among_best) > 1 for each in bests if each.is_choice):
        notes.append(f"{SEVERAL} marks what cannot be told from the best (95 %, jointly); more runs may.")
    if any(each.is_paired for each in bests if each.is_choice):
        notes.append("Runs of one repetition meet the same path, so they are compared in pairs.")
    if len(cells) > MOST_CELLS:
        notes.append(f"All {len(cells)} cells are in the report.")
    told = []
    if verdicts:
        tables.append(Table(rows=tuple(_verdicts(verdicts, rigs))))
        told.append(claims_sentence(verdicts))
    if rigs is not None:
        told.append(rigs.sentence)
    told += best.sentences(bests)
    return Answer(tables=tuple(tables), sentences=tuple(told), notes=tuple(notes), bests=tuple(bests))


def claims_sentence(verdicts: Sequence[Verdict]) -> str:
    """Return how many of a study's claims agree, differ and are not testable."""
    counted = [each for each in verdicts if each.standing is Standing.CLAIM]
    agree = sum(each.agreement is Agreement.AGREES for each in counted)
    differ = sum(each.agreement is Agreement.DIFFERS for each in counted)
    others = len(counted) - agree - differ
    return f"Of {len(counted)} claims {agree} agree, {differ} differ, {others} are not testable."


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
    tables, told = [], []
    for group, found in changes:
        ordered = sorted(found, key=lambda each: -abs(each[1].value))
        rows = [(group.upper(), "CHANGE", "95 % INTERVAL")]
        for name, change in ordered:
            ci = change.ci.scaled(100) if change.ci else None
            reach = f"{ci.low:+.1f} to {ci.high:+.1f} %" if ci else "-"
            rows.append((name, f"{100 * change.value:+.1f} %", reach))
        tables.append(Table(rows=tuple(rows)))
        clear = [name for name, change in ordered if change.ci and change.ci.excludes(0)]
        if clear:
            name, change = next(each for each in ordered if each[0] == clear[0])
            told.append(
                f"{group}: {name} changes it most, {100 * change.value:+.1f} %; "
                f"{len(clear)} of {len(ordered)} variants change it significantly."
            )
        elif ordered:
            told.append(f"{group}: no variant changes it significantly.")
    return Answer(tables=tuple(tables), sentences=tuple(told))


def _of_quantity(bests: Sequence[Best], *, is_short: bool) -> Table:
    """Return a table of cells under their conditions, or, short, of the best cells alone."""
    quantity = bests[0].quantity
    is_compared = any(each.is_choice for each in bests)
    heading = (
        "CELL",
        "n",
        quantity.label.upper(),
        "95 % INTERVAL",
        *(["AGAINST BEST"] if is_compared else []),
    )
    blanks = [""] * (len(heading) - 1)
    rows: list[tuple[str, ...]] = [heading]
    marked = set()
    shown = _first([each.among_best for each in bests]) if is_short else [each.rated for each in bests]
    for each, chosen in zip(bests, shown, strict=False):
        is_headed = bool(each.label) and each.is_choice
        if is_headed:
            rows.append((each.label, *blanks))
        for rated in chosen:
            if each.is_choice and rated.contender.is_among_best:
                marked.add(len(rows))
            name = f"  {rated.choice}" if is_headed else rated.choice
            rows.append(
                (name, *_numbers(quantity, rated), *([_standing(each, rated)] if is_compared else []))
            )
    if is_short:
        left_out = sum(len(each.among_best) for each in bests) - sum(map(len, shown))
        rows += [(f"… {left_out} more, see the report", *blanks)] if left_out else []
    return Table(rows=tuple(rows), marked=frozenset(marked))


def _first(conditions: Sequence[Sequence[Rated]]) -> list[Sequence[Rated]]:
    """Return the first `MOST_CELLS` cells of conditions, each the best first."""
    shown: list[Sequence[Rated]] = []
    room = MOST_CELLS
    for rated in conditions:
        if room > 0:
            shown.append(rated[:room])
            room -= len(rated)
    return shown


def _numbers(quantity: Quantity, rated: Rated) -> tuple[str, str, str]:
    summary, decimals = rated.summary, quantity.decimals
    ci = summary.mean_ci
    reach = "-" if ci is None else f"{ci.low:.{decimals}f} to {ci.high:.{decimals}f}"
    return str(summary.n), f"{summary.mean:.{decimals}f} {quantity.unit}".rstrip(), reach


def _standing(each: Best, rated: Rated) -> str:
    if not each.is_choice:
        return ""
    if rated is each.rated[0]:
        return "best"
    return f"{SEVERAL if rated.contender.is_among_best else ' '} {best.behind_text(rated)}".rstrip()


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
