"""The satellite link of each cell: its median run in numbers, and that of some cells over time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bentpipe.figures import class_queues, delay_parts, modcod_over_time, slots_over_time
from bentpipe.figures.drawing import Drawing
from bentpipe.ledger import Entry
from bentpipe.model.dvbs2 import Dvbs2CapacitySpec
from bentpipe.model.link import LinkSpec
from bentpipe.model.rcs2 import Rcs2CapacitySpec
from bentpipe.report.cells import CellResult
from bentpipe.report.source import Series, Source
from bentpipe.scenario.link.description import modcods
from bentpipe.stats import CarrierUse, SlotUse, carrier_use, delay_means, slot_use

MOST_DRAWN = 6
"""Cells that are drawn: all of them, or of more the first of each link."""


@dataclass(frozen=True, kw_only=True)
class CellSatellite:
    """The median run of a cell: its frames, slots and delays as far as its link has them, and its figures."""

    label: str
    run_id: str
    carrier: CarrierUse | None
    slots: SlotUse | None
    delays_s: Mapping[str, float | None] | None
    drawings: tuple[Drawing, ...]

    @property
    def round_trip_s(self) -> float | None:
        """Mean delay there and back."""
        parts = [value for value in (self.delays_s or {}).values() if value is not None]
        return sum(parts) if parts else None


def gather(source: Source, cells: Sequence[CellResult]) -> tuple[CellSatellite, ...]:
    """Every cell whose median run has series of a satellite link."""
    found = [
        (cell, cell.median_run, tables)
        for cell in cells
        if cell.median_run is not None and (tables := _tables(source, cell.median_run))
    ]
    drawn = drawn_runs([run for _, run, _ in found])
    numbers = {run.run_id: number for number, run in enumerate(drawn, start=1)}
    return tuple(_of(source, cell, run, tables, numbers.get(run.run_id)) for cell, run, tables in found)


def _tables(source: Source, run: Entry) -> dict[str, Series]:
    names = ("acm", "dama", "classes", "delays")
    tables = {name: source.series(run.run_id, name) for name in names}
    return {name: table for name, table in tables.items() if len(table.get("time_s", ()))}


def drawn_runs(runs: Sequence[Entry]) -> Sequence[Entry]:
    """Return those of the median runs that are drawn: all, or of many the first of each link."""
    if len(runs) <= MOST_DRAWN:
        return runs
    firsts: dict[str, Entry] = {}
    for run in runs:
        firsts.setdefault(repr(run.record.spec.link), run)
    return list(firsts.values())[:MOST_DRAWN]


def _of(
    source: Source, cell: CellResult, run: Entry, tables: Mapping[str, Series], number: int | None
) -> CellSatellite:
    link = run.record.spec.link
    carrier = None
    if "acm" in tables:
        assert isinstance(link.forward.capacity, Dvbs2CapacitySpec)
        carrier = carrier_use(tables["acm"], modcods(link.forward.capacity))
    drawings: tuple[Drawing, ...] = ()
    if number is not None:
        forward_rates = source.series(run.run_id, "link")
        drawings = tuple(_drawings(f"satellite-{number}", cell.label, link, forward_rates, tables))
    return CellSatellite(
        label=cell.label,
        run_id=run.run_id,
        carrier=carrier,
        slots=slot_use(tables["dama"]) if "dama" in tables else None,
        delays_s=delay_means(tables["delays"]) if "delays" in tables else None,
        drawings=drawings,
    )


def _drawings(
    name: str, label: str, spec: LinkSpec, rates: Series, tables: Mapping[str, Series]
) -> Iterator[Drawing]:
    carrier = spec.forward.capacity
    if "acm" in tables and len(rates.get("time_s", ())) and isinstance(carrier, Dvbs2CapacitySpec):
        yield modcod_over_time.draw(
            name=f"{name}-modcod",
            title=f"MODCOD and Es/N0: {label}",
            acm=tables["acm"],
            link=rates,
            modcods=modcods(carrier),
            symbols_per_s=carrier.symbols_per_s,
        )
    if "dama" in tables:
        title = f"Capacity granted and used: {label}"
        yield slots_over_time.draw(name=f"{name}-slots", title=title, dama=tables["dama"])
    if "classes" in tables:
        title = f"Queue of each class: {label}"
        yield class_queues.draw(
            name=f"{name}-classes", title=title, classes=tables["classes"], order=_class_names(spec)
        )
    if "delays" in tables:
        title = f"The round trip taken apart: {label}"
        yield delay_parts.draw(name=f"{name}-delays", title=title, delays=tables["delays"])


def _class_names(spec: LinkSpec) -> list[str]:
    """The classes of both directions, the most urgent first."""
    onward, back = spec.forward.capacity, spec.return_.capacity
    forward = onward.classes if isinstance(onward, Dvbs2CapacitySpec) else []
    backward = back.classes if isinstance(back, Rcs2CapacitySpec) else []
    return list(dict.fromkeys([*(each.name for each in forward), *(each.class_.name for each in backward)]))
