"""What a report says, before it becomes a page or data."""

from dataclasses import dataclass

from bentpipe import studies
from bentpipe.figures.drawing import Drawing
from bentpipe.report import cells, drawings, echoes, flows, provenance, repeat, satellite, validity
from bentpipe.report.cells import CellResult
from bentpipe.report.echoes import Echoes
from bentpipe.report.flows import CellFlows
from bentpipe.report.provenance import Origins
from bentpipe.report.satellite import CellSatellite
from bentpipe.report.source import Source
from bentpipe.report.validity import Validity
from bentpipe.studies import Study, StudyTable, Verdict


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Everything that page and data show."""

    source: Source
    validity: Validity
    cells: tuple[CellResult, ...]
    echoes: tuple[Echoes, ...]
    flows: tuple[CellFlows, ...]
    satellite: tuple[CellSatellite, ...]
    drawings: tuple[Drawing, ...]
    origins: Origins
    study: Study | None
    verdicts: tuple[Verdict, ...]
    tables: tuple[StudyTable, ...]
    commands: tuple[tuple[str, str], ...]

    @property
    def all_drawings(self) -> tuple[Drawing, ...]:
        """The figures of the whole report and those of the satellite links."""
        return (*self.drawings, *(drawing for cell in self.satellite for drawing in cell.drawings))


def gather(source: Source) -> Contents:
    """Judge, summarise and draw; a scenario that bears a study's name gets the study's share too."""
    name = source.scenario["name"]
    study = studies.get(name) if name in studies.names() else None
    results = cells.results(source)
    sent = echoes.gather(source, results)
    runs = source.recorded
    return Contents(
        source=source,
        validity=validity.judge(source),
        cells=results,
        echoes=sent,
        flows=flows.gather(results),
        satellite=satellite.gather(source, results),
        drawings=drawings.figures(source, results, study, sent),
        origins=provenance.gather(source),
        study=study,
        verdicts=study.claims(runs) if study else (),
        tables=study.tables(runs) if study else (),
        commands=repeat.commands(source, study),
    )
