"""Several clients in one campaign: how their page loads compare, and a study's claims with each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bentpipe.figures import by_client
from bentpipe.figures.drawing import Drawing
from bentpipe.report.cells import CellResult
from bentpipe.report.quantities import Quantity, quantities
from bentpipe.report.source import Recorded, Source
from bentpipe.stats import (
    Difference,
    Summary,
    cell_key,
    cell_label,
    factor_label,
    mean_relative_difference,
    metric_values,
    relative_difference,
)
from bentpipe.studies import Agreement, Finding, Study

FACTOR = "client"
REFERENCE = "loader"
"""The client that others are compared with, where it is among them."""
MOST_DRAWN = 6

_PAGE_LOAD_TIME = quantities("page-load")[0]


@dataclass(frozen=True, kw_only=True)
class ClientResult:
    """A client in one cell; `against` is how far its mean lies above the reference's, a fraction of that."""

    client: str
    summary: Summary
    against: Difference | None

    @property
    def label(self) -> str:
        """The client for people."""
        return factor_label(FACTOR, self.client)


@dataclass(frozen=True, kw_only=True)
class SameCell:
    """Cells that differ in their client alone."""

    label: str
    results: tuple[ClientResult, ...]


@dataclass(frozen=True, kw_only=True)
class Overall:
    """A client with one protocol against the reference, averaged over the `cells` that both have."""

    client: str
    protocol: str
    cells: int
    against: Difference

    @property
    def label(self) -> str:
        """The client for people."""
        return factor_label(FACTOR, self.client)


@dataclass(frozen=True, kw_only=True)
class ClientFinding:
    """One comparison of a published claim, by client."""

    claim: str
    label: str
    by_client: Mapping[str, Finding]


@dataclass(frozen=True, kw_only=True)
class Clients:
    """The clients of a campaign, `reference` first."""

    reference: str
    names: tuple[str, ...]
    quantity: Quantity
    cells: tuple[SameCell, ...]
    overall: tuple[Overall, ...]
    findings: tuple[ClientFinding, ...]
    drawings: tuple[Drawing, ...]

    @property
    def labels(self) -> Mapping[str, str]:
        """Their names for people."""
        return {name: factor_label(FACTOR, name) for name in self.names}


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What a study is judged by: the runs and the cells of one client."""

    client: str | None
    runs: tuple[Recorded, ...]
    cells: tuple[CellResult, ...]


def judged(source: Source, cells: Sequence[CellResult]) -> Judged:
    """All of a campaign with one client; of one with several those of the reference."""
    names = _names(cells)
    if len(names) < 2:
        return Judged(client=names[0] if names else None, runs=source.recorded, cells=tuple(cells))
    return _of_client(names[0], source, cells)


def gather(source: Source, cells: Sequence[CellResult], study: Study | None) -> Clients | None:
    """Compare the clients; None of a campaign with fewer than two."""
    names = _names(cells)
    if len(names) < 2:
        return None
    groups = _groups(cells)
    return Clients(
        reference=names[0],
        names=names,
        quantity=_PAGE_LOAD_TIME,
        cells=tuple(_same_cell(group, names) for group in groups if len(group) > 1),
        overall=tuple(_overall(groups, names)),
        findings=_findings(source, cells, names, study) if study else (),
        drawings=tuple(_drawings(groups)),
    )


def _names(cells: Sequence[CellResult]) -> tuple[str, ...]:
    """The clients of page loads, the reference first."""
    found = dict.fromkeys(
        cell.factors[FACTOR] for cell in cells if cell.workload == "page-load" and FACTOR in cell.factors
    )
    return tuple(sorted(found, key=lambda name: name != REFERENCE))


def _of_client(client: str, source: Source, cells: Sequence[CellResult]) -> Judged:
    return Judged(
        client=client,
        runs=tuple(run for run in source.recorded if run.factors.get(FACTOR) == client),
        cells=tuple(cell for cell in cells if cell.factors.get(FACTOR) == client),
    )


def _groups(cells: Sequence[CellResult]) -> list[dict[str, CellResult]]:
    """Measured cells by client, for each set of the other factors."""
    groups: dict[tuple[tuple[str, str], ...], dict[str, CellResult]] = {}
    for cell in cells:
        if cell.workload == "page-load" and _plt_s(cell) and FACTOR in cell.factors:
            same = {name: value for name, value in cell.factors.items() if name != FACTOR}
            groups.setdefault(cell_key(same), {})[cell.factors[FACTOR]] = cell
    return list(groups.values())


def _plt_s(cell: CellResult) -> list[float]:
    return metric_values(cell.runs, _PAGE_LOAD_TIME.metric)


def _summary(cell: CellResult) -> Summary:
    return next(summary for quantity, summary in cell.summaries if quantity == _PAGE_LOAD_TIME)


def _same_cell(group: Mapping[str, CellResult], names: Sequence[str]) -> SameCell:
    reference = group.get(names[0])
    first = next(iter(group.values()))
    results = [
        ClientResult(
            client=name,
            summary=_summary(group[name]),
            against=relative_difference(_plt_s(group[name]), _plt_s(reference))
            if reference is not None and name != names[0]
            else None,
        )
        for name in names
        if name in group
    ]
    return SameCell(label=_label(first, without=(FACTOR,)), results=tuple(results))


def _label(cell: CellResult, *, without: Sequence[str]) -> str:
    telling = {
        name: cell.factors[name] for name in cell.varied if name in cell.factors and name not in without
    }
    return cell_label(telling or {"page": cell.factors["page"]}, order=cell.varied)


def _overall(groups: Sequence[Mapping[str, CellResult]], names: Sequence[str]) -> list[Overall]:
    reference, *others = names
    protocols = dict.fromkeys(cell.factors["http"] for group in groups for cell in group.values())
    found = []
    for name in others:
        for protocol in protocols:
            strata = [
                (_plt_s(group[name]), _plt_s(group[reference]))
                for group in groups
                if name in group and reference in group and group[name].factors["http"] == protocol
            ]
            if strata:
                against = mean_relative_difference(strata)
                found.append(Overall(client=name, protocol=protocol, cells=len(strata), against=against))
    return found


def _findings(
    source: Source, cells: Sequence[CellResult], names: Sequence[str], study: Study
) -> tuple[ClientFinding, ...]:
    """Every comparison that at least one client makes testable."""
    verdicts = {name: study.claims(_of_client(name, source, cells).runs) for name in names}
    found = []
    for place, verdict in enumerate(verdicts[names[0]]):
        for number, finding in enumerate(verdict.findings):
            by_client = {name: verdicts[name][place].findings[number] for name in names}
            if any(each.agreement is not Agreement.NOT_TESTABLE for each in by_client.values()):
                found.append(ClientFinding(claim=verdict.claim, label=finding.label, by_client=by_client))
    return tuple(found)


def _drawings(groups: Sequence[Mapping[str, CellResult]]) -> list[Drawing]:
    """A figure for each set of the factors that are not drawn; of many sets for the first."""
    figures: dict[str, list[by_client.Mark]] = {}
    for group in groups:
        for name in sorted(group, key=lambda name: name != REFERENCE):
            cell = group[name]
            mark = by_client.Mark(
                page=cell.factors["page"],
                protocol=cell.factors["http"],
                client=name,
                summary=_summary(cell),
            )
            figures.setdefault(_rest(cell), []).append(mark)
    return [
        by_client.draw(
            name=f"plt-by-client-{number}",
            title=": ".join(filter(None, (f"{_PAGE_LOAD_TIME.label} by client", rest))),
            axis_label=_PAGE_LOAD_TIME.heading,
            marks=marks,
        )
        for number, (rest, marks) in enumerate(list(figures.items())[:MOST_DRAWN], start=1)
    ]


def _rest(cell: CellResult) -> str:
    shown = ("page", "http", FACTOR)
    rest = {name: cell.factors[name] for name in cell.varied if name in cell.factors and name not in shown}
    return cell_label(rest, order=cell.varied)
