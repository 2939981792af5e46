"""The runs of each variant, out of the folder of the base and that of the variants."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bentpipe.campaign.plan import planned_run
from bentpipe.campaign.variants import VariantKind
from bentpipe.errors import InputError
from bentpipe.ledger import Entry, Ledger
from bentpipe.ledger.folder import SCENARIO
from bentpipe.model.draft.spec import CellSpec
from bentpipe.model.scenario import AblationsDocument, VariantDocument
from bentpipe.report.source import Derived, Recorded, Series
from bentpipe.scenario import Cell
from bentpipe.stats.grouping import ByCell


@dataclass(frozen=True, kw_only=True)
class VariantRuns:
    """A variant with its runs, each under the factors of its cell."""

    variant: VariantDocument
    runs: ByCell[Recorded]
    planned: int


@dataclass(frozen=True, kw_only=True)
class AblationSource:
    """What a report on ablations is made from; `variants` are those beside the base."""

    document: AblationsDocument
    base: VariantRuns
    variants: Sequence[VariantRuns]


@contextmanager
def opened(folder: Path) -> Iterator[AblationSource]:
    """Read a folder of ablations and that of its base; series are read while they are open.

    Raises
    ------
    InputError
        When it is no such folder, or its base is not beside it.
    """
    with ExitStack() as stack:
        ledger = stack.enter_context(Ledger(folder))
        written = ledger.scenario()
        if "variants" not in written:
            raise InputError(
                file=str(folder / SCENARIO),
                field="variants",
                expected="the results of ablations",
                found="those of a scenario",
            )
        document = AblationsDocument.model_validate(written)
        base = stack.enter_context(Ledger(folder.with_name(document.base)))
        runs = _Runs.of(base, ledger)
        first, *others = [runs.variant(variant) for variant in document.variants]
        assert first.variant.kind == VariantKind.BASE.value
        yield AblationSource(document=document, base=first, variants=others)


@dataclass(frozen=True, kw_only=True)
class _Runs:
    """The judged attempts of both folders by run, and who reads their series."""

    entries: Mapping[str, Entry]
    ledgers: Mapping[str, Ledger]
    derived: Derived = field(default_factory=dict)
    """What the claims on one variant make of a run serves the others that have it."""

    @classmethod
    def of(cls, *ledgers: Ledger) -> "_Runs":
        entries: dict[str, Entry] = {}
        owners: dict[str, Ledger] = {}
        for ledger in ledgers:
            for entry in ledger.best():
                entries.setdefault(entry.run_id, entry)
                owners.setdefault(entry.run_id, ledger)
        return cls(entries=entries, ledgers=owners)

    def variant(self, variant: VariantDocument) -> VariantRuns:
        """Return the runs that a variant consists of; those that were not made are left out."""
        scenario = variant.scenario
        runs = []
        for document in scenario.cells:
            # As it was written: `model_validate` takes it whole when the run is planned.
            spec: CellSpec = dict(document.spec)  # type: ignore[assignment]
            cell = Cell(factors=document.factors, spec=spec)
            for repetition in range(scenario.repetitions):
                planned = planned_run(cell, seed=scenario.seed, repetition=repetition)
                entry = self.entries.get(planned.run_id)
                if entry is not None:
                    named = replace(entry, factors=document.factors, repetition=repetition)
                    runs.append(Recorded(entry=named, read=self.series, kept=self.derived))
        return VariantRuns(
            variant=variant, runs=ByCell(runs), planned=scenario.repetitions * len(scenario.cells)
        )

    def series(self, run_id: str, name: str) -> Series:
        """Return the columns of a series of a run."""
        return self.ledgers[run_id].series(run_id, name)
