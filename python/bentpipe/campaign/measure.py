"""A campaign from its scenario's file to its folder of results."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bentpipe.campaign.cluster import crew as cluster
from bentpipe.campaign.cluster.choice import Cluster
from bentpipe.campaign.engine import Engine
from bentpipe.campaign.executor import execute
from bentpipe.campaign.outcome import Outcome
from bentpipe.campaign.plan import PlannedRun, plan
from bentpipe.campaign.progress import Progress
from bentpipe.campaign.rejections import Rejection, rejections
from bentpipe.campaign.requirements import require
from bentpipe.campaign.threads import Threads
from bentpipe.campaign.time_limit import hopeless
from bentpipe.campaign.workers import Crew
from bentpipe.engine import simulate
from bentpipe.engine.host import cpu_time
from bentpipe.ledger import Ledger
from bentpipe.ledger.folder import UNINDEXED
from bentpipe.scenario import (
    Clock,
    Extent,
    Scenario,
    WrittenScenario,
    defaults,
    digest,
    identity,
    load,
    parse_override,
)
from bentpipe.scenario.written.command_line import CommandLine
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.variation import Variation


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is to be measured, as its user said it.

    Attributes
    ----------
    scenario : Path or WrittenScenario
        The scenario's file, or what was written elsewhere.
    settings : sequence of str
        `KEY=VALUE`, which replace what the file says.
    variations : sequence of Variation
        What replaces settings in some of its cells, such as the facts of a rig.
    tag : str
        Told in the name of the folder, after the scenario's; empty for none.
    clients : sequence of str
        What loads the pages, each of them all; empty for what the scenario says.
    is_quick : bool
        Whether the scenario's short form will do.
    folder : Path or None
        Of the results; None for one below `results`, of the name of the scenario's file, or where it has none
        of its content.
    is_resumed : bool
        Whether runs that the folder has are kept.
    jobs : int or None
        Runs at once; None for what this machine can take.
    cluster : Cluster or None
        Whose workers measure; None for threads of this process.
    """

    scenario: Path | WrittenScenario
    settings: Sequence[str] = ()
    variations: Sequence[Variation] = ()
    tag: str = ""
    clients: Sequence[str] = ()
    is_quick: bool = False
    folder: Path | None = None
    is_resumed: bool = True
    jobs: int | None = None
    cluster: Cluster | None = None


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What became of an order.

    Attributes
    ----------
    folder : Path
        Where the results are.
    outcome : Outcome
        How the planned runs ended.
    rejections : sequence of Rejection
        Why some have no usable number.
    is_of_ablations : bool
        Whether it is the variants of a scenario that were measured.
    """

    folder: Path
    outcome: Outcome
    rejections: Sequence[Rejection]
    is_of_ablations: bool = False


def measure(order: Order, *, engine: Engine, progress: AbstractContextManager[Progress]) -> Measured:
    """Measure the runs that the folder does not have yet.

    Raises
    ------
    InputError
        When the scenario asks for what there is not, or the folder belongs to another one.
    AbilityError
        When this machine lacks what a run asks for.
    StorageError
        When the disk does not take a run.
    """
    scenario = scenario_of(order, engine)
    runs = plan(scenario)
    require_of(order, engine, runs[: len(scenario.cells)])
    folder = folder_of(order, engine, scenario)
    document = identity(document_of(order, scenario, engine))
    with Ledger.claim(folder, document, is_resumed=order.is_resumed) as ledger:
        with progress as told:
            if ledger.set_aside:
                told.set_aside(attempts=ledger.set_aside, folder=folder / UNINDEXED)
            if doomed := hopeless(runs[: len(scenario.cells)], constants=scenario.constants()):
                told.hopeless(doomed)
            with crew_of(order, engine, runs[: len(scenario.cells)], told) as crew:
                outcome = execute(
                    runs, engine=engine, ledger=ledger, jobs=crew.jobs, progress=told, hire=crew.hire
                )
        return Measured(folder=folder, outcome=outcome, rejections=rejections(ledger.unsuccessful()))


@contextmanager
def crew_of(order: Order, engine: Engine, cells: Iterable[PlannedRun], told: Progress) -> Iterator[Crew]:
    """Yield those who measure an order; `cells` has a run of each cell."""
    if order.cluster is not None:
        with cluster.crew(order.cluster, engine=engine, progress=told) as crew:
            yield crew
    else:
        jobs = order.jobs or cpu_time.runs_at_once(run.spec for run in cells)
        yield Crew(jobs=jobs, hire=lambda at_once: Threads(engine=engine, jobs=at_once))


def document_of(order: Order, scenario: Scenario, engine: Engine) -> dict[str, object]:
    """Return what a folder of results says of itself: the scenario, the engine, and the order's tag."""
    tag = {"tag": order.tag} if order.tag else {}
    return {**scenario.document(), "engine": engine.name, **tag}


def scenario_of(order: Order, engine: Engine) -> Scenario:
    """Return the resolved scenario of an order; raises InputError as `load`."""
    return load(
        order.scenario,
        overrides=order.settings,
        varied={"client": order.clients} if order.clients else {},
        variations=order.variations,
        extent=Extent.QUICK if order.is_quick else Extent.FULL,
        clock=Clock.VIRTUAL if engine.name == simulate.NAME else Clock.REAL,
    )


def require_of(order: Order, engine: Engine, runs: Sequence[PlannedRun]) -> None:
    """Refuse what the engine or this machine has not got, under the option or key that asks for it."""
    if order.cluster is not None:
        cluster.require(order.cluster, engine=engine)
    overridden = [parse_override(text).key for text in order.settings]
    command_line = CommandLine(overridden=overridden, options=["client"] if order.clients else [])
    written = order.scenario
    file = written.file if isinstance(written, WrittenScenario) else str(written)
    table = Location(file=file, field="run")
    require(engine, [run.spec for run in runs], written=lambda key: command_line.place_within(key, table))


def folder_of(order: Order, engine: Engine, scenario: Scenario) -> Path:
    """Return the folder of an order's results: one of the scenario's name where none is given.

    Results of the loader in the emulator have the scenario's name alone. Scenarios without a file may share a
    name: a digest of what they measure tells their folders apart.
    """
    if order.folder is not None:
        return order.folder
    if isinstance(order.scenario, WrittenScenario):
        return Path("results") / f"{scenario.name}-{digest(document_of(order, scenario, engine))}"
    others = () if tuple(order.clients) == (defaults.CLIENT,) else order.clients
    kinds = ["quick"] * order.is_quick + [simulate.NAME] * (engine.name == simulate.NAME)
    return Path("results") / "-".join([scenario.name, *filter(None, [order.tag]), *others, *kinds])
