"""What a report on ablations says, before it becomes a page or data."""

from collections.abc import Sequence
from dataclasses import dataclass

from bentpipe import studies
from bentpipe.figures import tornado
from bentpipe.figures.drawing import Drawing
from bentpipe.model.scenario import AblationsDocument, VariantDocument
from bentpipe.report import answer, claims_forest
from bentpipe.report.ablations import effects
from bentpipe.report.ablations.effects import GroupEffects
from bentpipe.report.ablations.source import AblationSource
from bentpipe.report.answer import Answer
from bentpipe.studies import Study
from bentpipe.studies.decisions import Decision, Score, decide, score
from bentpipe.studies.rules import Agreement
from bentpipe.studies.verdict import Verdict


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
    answer: Answer
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
    claims = claims_forest.draw(study, decisions) if study else None
    return Contents(
        document=document,
        study=study,
        answer=_answer(study, decisions, found),
        effects=found,
        decisions=decisions,
        score=score(decisions),
        columns=tuple(variant for variant, _ in judged),
        agreements=tuple(
            tuple(claims.get(each.verdict.claim_id, Agreement.NOT_TESTABLE) for claims in by_claim)
            for each in decisions
        ),
        drawings=(*([claims] if claims else []), *map(_tornado, found)),
        missing=tuple(
            Missing(variant=each.variant.name, runs=len(each.runs), planned=each.planned)
            for each in (source.base, *source.variants)
            if len(each.runs) < each.planned
        ),
    )


def _answer(study: Study | None, decisions: Sequence[Decision], effects: Sequence[GroupEffects]) -> Answer:
    """Return the claims with what decides them; of a scenario that is no study what moves the metrics."""
    if study is not None:
        return answer.of_decisions(decisions, score(decisions))
    return answer.of_changes(
        [
            (
                f"{found.group.quantity.label} of {found.group.name}",
                [(change.variant.name, change.difference) for change in found.changes],
            )
            for found in effects
        ]
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
