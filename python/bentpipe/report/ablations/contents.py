"""What a report on ablations says, before it becomes a page or data."""

from collections.abc import Sequence
from dataclasses import dataclass

from bentpipe import studies
from bentpipe.figures import forest, tornado
from bentpipe.figures.drawing import Drawing
from bentpipe.model.scenario import AblationsDocument, VariantDocument
from bentpipe.report.ablations import effects
from bentpipe.report.ablations.effects import GroupEffects
from bentpipe.report.ablations.source import AblationSource
from bentpipe.studies import Study
from bentpipe.studies.decisions import Decided, Decision, Score, decide, score
from bentpipe.studies.rules import Agreement
from bentpipe.studies.verdict import Standing, Verdict


@dataclass(frozen=True, kw_only=True)
class Missing:
    """A variant of which runs have no number, and how many of how many."""

    variant: str
    runs: int
    planned: int


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Everything that page and data show."""

    document: AblationsDocument
    study: Study | None
    effects: tuple[GroupEffects, ...]
    decisions: tuple[Decision, ...]
    score: Score
    columns: tuple[VariantDocument, ...]
    """The variants of the matrix of claims."""
    agreements: tuple[tuple[Agreement, ...], ...]
    """A row for each decision, a column for each of `columns`."""
    drawings: tuple[Drawing, ...]
    missing: tuple[Missing, ...]


def gather(source: AblationSource) -> Contents:
    """Judge every variant, and draw what moves the metrics and how the claims stand."""
    document = source.document
    study = studies.get(document.name) if document.name in studies.names() else None
    base: Sequence[Verdict] = study.claims(source.base.runs) if study else ()
    judged = [(each.variant, study.claims(each.runs)) for each in source.variants] if study else []
    decisions = decide(base, judged)
    by_claim = [{verdict.claim_id: verdict.agreement for verdict in verdicts} for _, verdicts in judged]
    found = effects.gather(source)
    return Contents(
        document=document,
        study=study,
        effects=found,
        decisions=decisions,
        score=score(decisions),
        columns=tuple(variant for variant, _ in judged),
        agreements=tuple(
            tuple(claims.get(each.verdict.claim_id, Agreement.NOT_TESTABLE) for claims in by_claim)
            for each in decisions
        ),
        drawings=(*_forest(study, decisions), *map(_tornado, found)),
        missing=tuple(
            Missing(variant=each.variant.name, runs=len(each.runs), planned=each.planned)
            for each in (source.base, *source.variants)
            if len(each.runs) < each.planned
        ),
    )


def _tornado(found: GroupEffects) -> Drawing:
    group = found.group
    return tornado.draw(
        name=f"tornado-{group.slug}",
        title=f"What moves the {group.quantity.label.lower()} of {group.name}",
        axis_label=f"change of the {group.quantity.label.lower()} against the base, %",
        bars=[tornado.Bar(label=each.variant.name, change=each.difference) for each in found.changes],
        caption="Each factor alone against the base: mean over cells of the relative change, with its 95 % "
        "interval.",
    )


def _forest(study: Study | None, decisions: Sequence[Decision]) -> tuple[Drawing, ...]:
    if study is None or not decisions:
        return ()
    return (forest_of(study, decisions),)


def forest_of(study: Study, decisions: Sequence[Decision]) -> Drawing:
    """Return the figure of a study's claims, each comparison a row."""
    groups: dict[str, list[forest.Row]] = {}
    for each in decisions:
        verdict = each.verdict
        heading = (
            verdict.source or "no source" if verdict.standing is Standing.CLAIM else verdict.standing.value
        )
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
    return forest.draw(
        name="claims",
        title=f"The claims of {study.name}: ours, and the region in which each agrees",
        caption="Intervals are 95 %. An arrow says how far beyond the edge ours lies.",
        groups=groups,
    )
