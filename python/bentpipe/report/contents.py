"""What a report says, before it becomes a page or data."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bentpipe import studies
from bentpipe.figures.drawing import Drawing
from bentpipe.report import (
    answer,
    best,
    cells,
    claims_forest,
    clients,
    drawings,
    filmstrips,
    flows,
    paths,
    pings,
    provenance,
    repeat,
    rigs,
    satellite,
    validity,
)
from bentpipe.report.answer import Answer
from bentpipe.report.cells import CellResult
from bentpipe.report.clients import Clients, Judged
from bentpipe.report.filmstrips import Filmstrips
from bentpipe.report.flows import CellFlows
from bentpipe.report.paths import CellPath
from bentpipe.report.pings import Pings
from bentpipe.report.provenance import Origins
from bentpipe.report.rigs import Rigs
from bentpipe.report.satellite import CellSatellite
from bentpipe.report.source import Source
from bentpipe.report.validity import Validity
from bentpipe.studies import Study, StudyTable, Verdict
from bentpipe.studies.decisions import decide


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Everything that page and data show."""

    source: Source
    validity: Validity
    cells: tuple[CellResult, ...]
    answer: Answer
    pings: tuple[Pings, ...]
    flows: tuple[CellFlows, ...]
    satellite: tuple[CellSatellite, ...]
    paths: tuple[CellPath, ...]
    answer_drawing: Drawing | None
    drawings: tuple[Drawing, ...]
    filmstrips: Filmstrips
    clients: Clients | None
    judged: Judged
    origins: Origins
    study: Study | None
    verdicts: tuple[Verdict, ...]
    rigs: Rigs | None
    tables: tuple[StudyTable, ...]
    commands: tuple[tuple[str, str], ...]

    @property
    def all_drawings(self) -> tuple[Drawing, ...]:
        """The figures of the whole report, and those of filmstrips, clients, satellite links and paths."""
        return (
            *([self.answer_drawing] if self.answer_drawing else ()),
            *self.drawings,
            *(strip.drawing for strip in self.filmstrips.shown),
            *(self.clients.drawings if self.clients else ()),
            *(drawing for cell in self.satellite for drawing in cell.drawings),
            *(cell.drawing for cell in self.paths if cell.drawing is not None),
        )


def gather(source: Source, folder: Path) -> Contents:
    """Judge, summarise and draw; a scenario that bears a study's name gets the study's share too.

    `folder` has the results.
    """
    name = source.scenario.name
    study = studies.get(name) if name in studies.names() else None
    results = cells.results(source)
    sent = pings.gather(source, results)
    judged = clients.judged(source, results)
    verdicts = study.claims(judged.runs) if study else ()
    on_rig = rigs.gather(source, study, verdicts, folder)
    bests = best.gather(results)
    headlines = drawings.headlines(results, bests)
    answer_drawing = _answer_drawing(study, verdicts, headlines)
    drawn = drawings.figures(source, results, study, sent, judged, headlines)
    return Contents(
        source=source,
        validity=validity.judge(source),
        cells=results,
        answer=answer.of_cells(results, bests, verdicts, on_rig),
        pings=sent,
        flows=flows.gather(results),
        satellite=satellite.gather(source, results),
        paths=paths.gather(source, results),
        answer_drawing=answer_drawing,
        drawings=tuple(each for each in drawn if each is not answer_drawing),
        filmstrips=filmstrips.gather(source, results),
        clients=clients.gather(source, results, study),
        judged=judged,
        origins=provenance.gather(source),
        study=study,
        verdicts=verdicts,
        rigs=on_rig,
        tables=study.tables(judged.runs) if study else (),
        commands=repeat.commands(source, study),
    )


def _answer_drawing(
    study: Study | None, verdicts: Sequence[Verdict], headlines: Sequence[Drawing]
) -> Drawing | None:
    """Return the claims of a study, of another scenario its first headline by cell."""
    if study is not None and verdicts:
        return claims_forest.draw(study, decide(verdicts, ()))
    return headlines[0] if headlines else None
