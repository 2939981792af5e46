"""Picking the runs of a cell, and a metric's values out of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from bentpipe.model.record import RunRecord, Status

_WORDS = {
    "client": {"chromium": "Chromium", "firefox": "Firefox"},
    "server": {"bentpipe": "Bentpipe's server", "caddy": "Caddy"},
}
"""Values whose name in scenarios is not what people call them."""


class Measured(Protocol):
    """What statistics need of a run; the ledger's entries have it."""

    @property
    def factors(self) -> Mapping[str, str]:
        """What varies between cells, as written in the scenario."""

    @property
    def status(self) -> str:
        """How the run ended."""

    @property
    def metrics(self) -> Mapping[str, float | None]:
        """Its metrics by name (`metrics_of`)."""

    @property
    def record(self) -> RunRecord:
        """The run's record, which may have to be read."""


Run = TypeVar("Run", bound=Measured)


def succeeded(run: Measured) -> bool:
    """Whether the run's numbers may be used (invariant: only these are averaged)."""
    return run.status == Status.SUCCEEDED


def select(runs: Iterable[Run], **factors: str) -> list[Run]:
    """The succeeded runs whose factors have the given values."""
    wanted = factors.items()
    return [run for run in runs if succeeded(run) and all(run.factors.get(k) == v for k, v in wanted)]


def metric_values(runs: Iterable[Measured], metric: str) -> list[float]:
    """One metric of every succeeded run that has it, in the metric's own unit."""
    values = (run.metrics.get(metric) for run in runs if succeeded(run))
    return [value for value in values if value is not None]


def values_of(runs: Iterable[Measured], metric: str, **factors: str) -> list[float]:
    """One metric over the succeeded runs of one cell."""
    return metric_values(select(runs, **factors), metric)


def cell_key(factors: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """A hashable name of a cell."""
    return tuple(sorted(factors.items()))


def cell_label(factors: Mapping[str, str], *, order: Sequence[str] = ()) -> str:
    """A cell's factors for people, those in `order` first."""
    names = [*(name for name in order if name in factors), *sorted(factors.keys() - set(order))]
    return " · ".join(factor_label(name, factors[name]) for name in names)


def factor_label(name: str, value: str) -> str:
    """A factor for people: its value, after the last word of its name where the value is a bare quantity."""
    if value in _WORDS.get(name, {}):
        return _WORDS[name][value]
    if not value[:1].isdigit():
        return value
    return f"{name.rpartition('.')[2].replace('_', ' ')} {value}"
