"""What a report says, before it becomes a page or data."""

from dataclasses import dataclass

from bentpipe import studies
from bentpipe.figures.drawing import Drawing
from bentpipe.report import cells, drawings, provenance, repeat, validity
from bentpipe.report.cells import CellResult
from bentpipe.report.provenance import Origins
from bentpipe.report.source import Source
from bentpipe.report.validity import Validity
from bentpipe.studies import Study, StudyTable, Verdict


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Everything that page and data show."""

    source: Source
    validity: Validity
    cells: tuple[CellResult, ...]
    drawings: tuple[Drawing, ...]
    origins: Origins
    study: Study | None
    verdicts: tuple[Verdict, ...]
    tables: tuple[StudyTable, ...]
    commands: tuple[tuple[str, str], ...]


def gather(source: Source) -> Contents:
    """Judge, summarise and draw; a scenario that bears a study's name gets the study's share too."""
    name = source.scenario["name"]
    study = studies.get(name) if name in studies.names() else None
    results = cells.results(source)
    return Contents(
        source=source,
        validity=validity.judge(source),
        cells=results,
        drawings=drawings.figures(source, results, study),
        origins=provenance.gather(source),
        study=study,
        verdicts=study.claims(source.best) if study else (),
        tables=study.tables(source.best) if study else (),
        commands=repeat.commands(source, study),
    )
