"""A study's short matrix on the real kernel and in virtual time: data/studies/emulated/NAME.json."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from bentpipe import studies
from bentpipe.campaign.measure import Order, measure
from bentpipe.cli.progress import progress
from bentpipe.engine import emulate
from bentpipe.engine.simulate import Simulator
from bentpipe.ledger import Ledger
from bentpipe.model.frozen import Frozen
from bentpipe.report.cells import CellResult, results
from bentpipe.report.source import Source, read
from bentpipe.stats import Summary
from bentpipe.studies import Verdict
from bentpipe.studies.rules import Agreement

FOLDER = Path("data/studies/emulated")
FACTS = ("kernel", "processor", "cores")
"""Keys of the provenance that say what the numbers were measured with."""


class Mean(Frozen):
    """A mean over runs with its interval."""

    n: int
    mean: float
    low: float | None
    high: float | None


class ComparedCell(Frozen):
    """The headline of a cell on both engines, in the unit of the heading."""

    cell: str
    heading: str
    decimals: int
    emulated: Mean
    simulated: Mean


class ComparedFinding(Frozen):
    """One comparison of a claim that both engines can test."""

    claim_id: str
    label: str
    published: str
    emulated: str
    simulated: str
    emulated_agreement: str
    simulated_agreement: str


class Emulation(Frozen):
    """What a study's short matrix came to on both engines, with the facts of the rig that the kernel has."""

    name: str
    left_out: Sequence[str]
    """Facts of the rig that the kernel has not got."""
    planned: int
    succeeded: int
    measured_with: Sequence[str]
    cells: Sequence[ComparedCell]
    findings: Sequence[ComparedFinding]


def load(name: str, folder: Path = FOLDER) -> Emulation:
    """Return what is kept of a study."""
    return Emulation.model_validate_json((folder / f"{name}.json").read_text(encoding="utf-8"))


def keep(emulated: Path, folder: Path = FOLDER) -> Emulation:
    """Measure in virtual time what a folder has in real time, keep how both compare, and return it.

    Parameters
    ----------
    emulated : Path
        Results of `bentpipe reproduce NAME --quick`.
    """
    with Ledger(emulated) as ledger:
        name = read(ledger).scenario.name
    simulated = _simulated(name, emulated.with_name(f"{emulated.name}-judged"))
    with Ledger(emulated) as real, Ledger(simulated) as virtual:
        found = _compare(name, read(real), read(virtual))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(found.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return found


def _simulated(name: str, folder: Path) -> Path:
    """Measure a study's short matrix in virtual time, with what of its rig the kernel has."""
    shutil.rmtree(folder, ignore_errors=True)
    study = studies.get(name)
    order = Order(
        scenario=study.scenario,
        variations=study.rig.on(emulate.NAME).variations,
        is_quick=True,
        folder=folder,
    )
    with closing(Simulator()) as engine:
        return measure(order, engine=engine, progress=progress()).folder


def _compare(name: str, real: Source, virtual: Source) -> Emulation:
    study = studies.get(name)
    able = study.rig.on(emulate.NAME).facts
    succeeded = [entry for entry in real.best if entry.status == "succeeded"]
    provenance = succeeded[0].record.provenance if succeeded else {}
    return Emulation(
        name=name,
        left_out=[fact.name for fact in study.rig.facts if fact.variation is not None and fact not in able],
        planned=real.planned,
        succeeded=len(succeeded),
        measured_with=[f"{fact} {provenance[fact]}" for fact in FACTS if fact in provenance],
        cells=list(_cells(results(real), results(virtual))),
        findings=list(_findings(study.claims(real.recorded), study.claims(virtual.recorded))),
    )


def _cells(real: Sequence[CellResult], virtual: Sequence[CellResult]) -> Iterator[ComparedCell]:
    others = {cell.label: cell for cell in virtual}
    for cell in real:
        other = others[cell.label]
        if cell.headline is None or other.headline is None:
            continue
        quantity, summary = cell.headline
        yield ComparedCell(
            cell=cell.label,
            heading=quantity.heading,
            decimals=quantity.decimals,
            emulated=_mean(summary),
            simulated=_mean(other.headline[1]),
        )


def _mean(summary: Summary) -> Mean:
    ci = summary.mean_ci
    return Mean(n=summary.n, mean=summary.mean, low=ci.low if ci else None, high=ci.high if ci else None)


def _findings(real: Sequence[Verdict], virtual: Sequence[Verdict]) -> Iterator[ComparedFinding]:
    for verdict, other in zip(real, virtual, strict=True):
        for finding, same in zip(verdict.findings, other.findings, strict=True):
            agreements = (finding.agreement, same.agreement)
            if Agreement.NOT_TESTABLE not in agreements:
                yield ComparedFinding(
                    claim_id=verdict.claim_id,
                    label=finding.label,
                    published=finding.published,
                    emulated=finding.ours,
                    simulated=same.ours,
                    emulated_agreement=finding.agreement.value,
                    simulated_agreement=same.agreement.value,
                )
