"""Cells of a set: drawn ones by their number, and some that are fixed because they once disagreed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from zlib import crc32

from bentpipe.campaign.plan import PlannedRun, plan
from bentpipe.errors import BentpipeError
from bentpipe.model.channel import NoneJitterSpec
from bentpipe.scenario import Scenario, digest, resolve_document
from bentpipe.scenario.link.resolved import resolved_link
from bentpipe.scenario.written.link_schema import LinkTable
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.table import validated
from bentpipe.scenario.written.toml import TomlTable
from tools.agreement_random.draw import Draw
from tools.agreement_random.links import drawn_link
from tools.agreement_random.workloads import Room, drawn_workload

ROOT = Path(__file__).parents[2]
FIRST_REPETITIONS = 5
"""Of a cell in which chance has a say; how many more is planned from what they say."""
OTHER_SEEDS = 2**32
"""Beyond the seeds of all cells: of runs that make a sample independent of the emulated one."""
HOST_JITTER = "0.07 ms"
"""Of the hosts and the link process, each way: the RTT of an empty emulated link has a standard deviation of
0.10 ms (docs/models/emulation.md), of twice the variance of one way."""
HOSTS: TomlTable = {
    "wakeup_latency": [
        ["0 s", "45 us"],
        ["1 ms", "57 us"],
        ["3 ms", "63 us"],
        ["20 ms", "90 us"],
        ["100 ms", "120 us"],
    ],
    "packet_spacing": "6 us",
}
"""What the machine that emulates adds, by medians of captures and of `bentpipe bench --host`
(docs/models/host.md)."""
TIMEOUT = "60 s"
"""A run that takes so long is none of ours, and nobody shall wait longer for one that hangs."""


@dataclass(frozen=True, kw_only=True)
class RandomCell:
    """One cell as a scenario would write it.

    Attributes
    ----------
    name : str
        `SEED-INDEX`, or what a fixed cell is called.
    run : TomlTable
        Its table [run].
    """

    name: str
    run: TomlTable

    @cached_property
    def scenario(self) -> Scenario:
        """The cell resolved, with as many repetitions as are measured at most; raises InputError."""
        return resolve_document(
            self.document, file=f"cell {self.name}", folder=ROOT, default_name=f"agreement-random-{self.name}"
        )

    @property
    def document(self) -> TomlTable:
        """The scenario as written: `bentpipe run` measures it."""
        return {"repetitions": FIRST_REPETITIONS, "seed": self._seed, "run": self.run}

    @cached_property
    def digest(self) -> str:
        """A few digits that change with the cell's specification."""
        return digest(self.scenario.cells[0].spec)

    def runs(self, repetitions: int) -> tuple[PlannedRun, ...]:
        """Return the first so many of its runs, in their order."""
        return plan(replace(self.scenario, repetitions=repetitions))

    def other_runs(self, repetitions: int) -> tuple[PlannedRun, ...]:
        """Return so many runs with seeds that are not those of `runs`."""
        return plan(replace(self.scenario, seed=OTHER_SEEDS + self._seed, repetitions=repetitions))

    def on_hosts(self, runs: Iterable[PlannedRun]) -> tuple[PlannedRun, ...]:
        """Return runs of the cell on `HOSTS`; their seeds stay."""
        return self._varied({"host": HOSTS}, runs)

    def with_host_jitter(self, runs: Iterable[PlannedRun]) -> tuple[PlannedRun, ...]:
        """Return the same with `HOST_JITTER` in each direction that has none."""
        written = self.run["link"]
        link = dict(written) if isinstance(written, dict) else {"base": written}
        spec = self.runs(1)[0].spec.link
        for name, direction in (("forward", spec.forward), ("return", spec.return_)):
            if isinstance(direction.jitter, NoneJitterSpec):
                own = link.get(name, {})
                assert isinstance(own, dict)
                link[name] = {**own, "jitter": HOST_JITTER}
        return self._varied({"host": HOSTS, "link": link}, runs)

    def _varied(self, tables: TomlTable, runs: Iterable[PlannedRun]) -> tuple[PlannedRun, ...]:
        (cell,) = replace(self, run={**self.run, **tables}).scenario.cells
        return tuple(replace(run, cell=cell) for run in runs)

    @property
    def _seed(self) -> int:
        """One of its own: cells of one campaign over paths that change would all meet the same path."""
        return crc32(self.name.encode())


def candidates(seed: int, index: int) -> Iterator[RandomCell | None]:
    """Yield what may be the cell of this number, one after the other; None for each that is refused.

    The first that is taken is the cell, whatever else is drawn.
    """
    attempt = 0
    while True:
        yield _candidate(seed, index, attempt)
        attempt += 1


def _candidate(seed: int, index: int, attempt: int) -> RandomCell | None:
    draw = Draw(seed=seed, index=index, attempt=attempt)
    link = drawn_link(draw)
    try:
        run = {"link": link, **drawn_workload(draw, _room(link)), "validity": {"timeout": TIMEOUT}}
        cell = RandomCell(name=f"{seed}-{index}", run=run)
        cell.scenario  # noqa: B018
    except BentpipeError:
        return None
    return cell


def _room(link: TomlTable) -> Room:
    where = Location(file="drawn", field="link")
    found = resolved_link(validated(LinkTable, link, where), where, folder=ROOT)
    forward = link.get("forward")
    return Room(
        forward_bps=found.description.forward.nominal_bps,
        return_bps=found.description.return_.nominal_bps,
        has_classes=isinstance(forward, dict) and "classes" in forward,
    )


FIXED = (
    RandomCell(
        name="bbr-144-mbit",
        run={
            "link": {
                "rtt": "600 ms",
                "forward": {"rate": "144 Mbit/s", "queue": "1 BDP"},
                "return": {"rate": "10 Mbit/s", "queue": "10000 packets"},
            },
            "cc": "bbr",
            "bulk": {"size": "100 MB"},
        },
    ),
    RandomCell(
        name="cubic-beside-bbr",
        run={
            "link": {
                "rtt": "300 ms",
                "forward": {"rate": "20 Mbit/s", "queue": "1 BDP"},
                "return": {"rate": "10 Mbit/s", "queue": "10000 packets"},
            },
            "bulk": {"duration": "25 s", "flows": ["cubic", "bbr"]},
        },
    ),
    RandomCell(
        name="news-front-h3",
        run={"link": "geo-viasat2-flat", "http": "h3", "cc": "cubic", "page": "news-front"},
    ),
)
"""Cells in which the engines have disagreed by more than 4 % on one day or another."""
