"""Simulated runs with other seeds and the jitter of hosts: what a cell may say."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from bentpipe.model.record import Status
from tools.agreement.comparing import LEAST_FOR_TEST
from tools.agreement_random.cells import RandomCell
from tools.agreement_random.company import company_of
from tools.agreement_random.comparing import Compared
from tools.agreement_random.quantities import Quantity, Scope, lasted_s
from tools.agreement_random.simulating import of_each
from tools.agreement_random.trial import Trial, trial_of

RUNS = 200
"""Of a sample: its median is as good as that of the most runs of a cell that are emulated, or nearly so."""
CORES_OF_A_RUN = 2
"""That the time of emulation is told for."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Simulated runs of one cell.

    Attributes
    ----------
    values : tuple of float
        The quantity of the whole cell, in its own unit.
    run_s : float
        How long one run takes two cores in real time, in seconds, if nothing is repeated.
    """

    values: tuple[float, ...]
    run_s: float


def samples(cells: Sequence[RandomCell]) -> dict[str, Sample]:
    """Return a sample of each cell by its name; none of cells of which nothing has come."""
    found = {trial.cell.name: sample_of(trial) for trial in _trials(cells)}
    return {name: sample for name, sample in found.items() if sample is not None}


def sample_of(trial: Trial) -> Sample | None:
    """Return the sample that a trial is; None where its runs have no value, or the median of all is zero."""
    name = next(name for name in trial.values if Quantity(name=name).scope is Scope.WHOLE)
    known = _known(trial, name)
    if not known or not median(known):
        return None
    succeeded = [record for record in trial.records if record.status is Status.SUCCEEDED]
    at_once = company_of(succeeded[0]).runs_at_once(CORES_OF_A_RUN)
    return Sample(values=known, run_s=median(map(lasted_s, succeeded)) / at_once)


def sampled(found: Sequence[Compared]) -> list[Compared]:
    """Return the same with their samples: where chance decides, and for the test of what is listed."""
    wanted = [each for each in found if each.chance_decides or _is_tested(each)]
    cells = {each.measured.cell.name: each.measured.cell for each in wanted}
    trials = {trial.cell.name: trial for trial in _trials(cells.values())}

    def with_sample(each: Compared) -> Compared:
        trial = trials.get(each.measured.cell.name)
        return each if trial is None else replace(each, sample=_known(trial, each.quantity.name))

    return [with_sample(each) for each in found]


def _is_tested(found: Compared) -> bool:
    return found.is_listed and len(found.emulated) >= LEAST_FOR_TEST


def _trials(cells: Iterable[RandomCell]) -> Iterator[Trial]:
    return of_each(
        cells, lambda cell, engine: trial_of(cell, engine, cell.with_host_jitter(cell.other_runs(RUNS)))
    )


def _known(trial: Trial, quantity: str) -> tuple[float, ...]:
    values = trial.values.get(quantity, {}).values()
    return tuple(value for value in values if value is not None)
