"""The ablations of a scenario: every variant of it, beside the base, each run once."""

import json
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from bentpipe.campaign.engine import Engine
from bentpipe.campaign.executor import execute
from bentpipe.campaign.measure import Measured, Order, crew_of, folder_of, measure, require_of, scenario_of
from bentpipe.campaign.outcome import Ending
from bentpipe.campaign.plan import PlannedRun, one_of_each_cell, plan
from bentpipe.campaign.progress import Progress
from bentpipe.campaign.rejections import rejections
from bentpipe.campaign.variants import Variant, VariantKind, variants
from bentpipe.ledger import Ledger
from bentpipe.model.scenario import AblationsDocument, ScenarioDocument, VariantDocument
from bentpipe.scenario import Scenario, identity
from bentpipe.scenario.ablations import Ablations
from bentpipe.scenario.rig import Rig

SUFFIX = "-ablations"
"""Of the folder beside that of the base."""


@dataclass(frozen=True, kw_only=True)
class Ablated:
    """What became of a scenario and its variants; `variants` is None where the base was interrupted."""

    base: Measured
    variants: Measured | None

    @property
    def parts(self) -> tuple[Measured, ...]:
        """What was measured, the base first."""
        return (self.base,) if self.variants is None else (self.base, self.variants)


def ablate(
    order: Order,
    rig: Rig,
    ablations: Ablations | None,
    *,
    engine: Engine,
    progress: AbstractContextManager[Progress],
    again: AbstractContextManager[Progress],
) -> Ablated:
    """Measure the base of an order as `measure` does, then each variant, in a folder beside the base's.

    Runs whose specifications are equal are one run, those of the base among them. `progress` is told of the
    base, `again` of the variants.

    Raises
    ------
    InputError, AbilityError, StorageError
        As `measure`.
    """
    every = variants(rig, ablations, engine=engine.name)
    base_order = replace(order, variations=every[0].variations)
    base_scenario = scenario_of(base_order, engine)
    folder = folder_of(base_order, engine, base_scenario)
    scenarios = [
        (variant, _scenario(variant, base_order, base_scenario, ablations, engine)) for variant in every
    ]
    runs = _distinct(run for _, scenario in scenarios for run in plan(scenario))
    require_of(base_order, engine, one_of_each_cell(runs))
    base = measure(replace(base_order, folder=folder), engine=engine, progress=progress)
    if base.outcome.ending is not Ending.COMPLETE:
        return Ablated(base=base, variants=None)
    beside = folder.with_name(folder.name + SUFFIX)
    document = _document(scenarios, folder, ablations, engine)
    with (
        Ledger(folder) as measured,
        Ledger.claim(beside, document, is_resumed=order.is_resumed) as ledger,
        again as told,
    ):
        there = measured.succeeded()
        # Attempts of the base that have no number are judged as they are; they are not made again here.
        planned = [run for run in runs if run.run_id not in there and not measured.attempts(run.run_id)]
        with crew_of(order, engine, one_of_each_cell(planned), told) as crew:
            outcome = execute(
                planned, engine=engine, ledger=ledger, jobs=crew.jobs, progress=told, hire=crew.hire
            )
        return Ablated(
            base=base,
            variants=Measured(
                folder=beside,
                outcome=outcome,
                rejections=rejections(ledger.best()),
                is_of_ablations=True,
            ),
        )


def _scenario(
    variant: Variant, order: Order, base: Scenario, ablations: Ablations | None, engine: Engine
) -> Scenario:
    """Return the scenario of a variant: the base's own, or one with as many repetitions as ablations have."""
    if variant.kind is VariantKind.BASE:
        return base
    wanted = None if ablations is None else ablations.repetitions
    repetitions = base.repetitions if wanted is None else min(wanted, base.repetitions)
    settings = (*order.settings, f"repetitions={repetitions}")
    return scenario_of(replace(order, settings=settings, variations=variant.variations), engine)


def _distinct(runs: Iterable[PlannedRun]) -> list[PlannedRun]:
    return list({run.run_id: run for run in reversed(list(runs))}.values())[::-1]


def _document(
    scenarios: Sequence[tuple[Variant, Scenario]], base: Path, ablations: Ablations | None, engine: Engine
) -> dict[str, object]:
    together = None if ablations is None else ablations.interactions
    document = AblationsDocument(
        name=scenarios[0][1].name,
        engine=engine.name,
        base=base.name,
        variants=[
            VariantDocument(
                name=variant.name,
                kind=variant.kind.value,
                reason=variant.reason,
                source=variant.source,
                parts=variant.parts,
                scenario=ScenarioDocument.model_validate(identity(scenario.document())),
            )
            for variant, scenario in scenarios
        ],
        interactions=() if together is None else _able(together.factors, scenarios),
        resolution=0 if together is None else together.resolution,
    )
    return dict(json.loads(document.model_dump_json()))


def _able(factors: Sequence[str], scenarios: Sequence[tuple[Variant, Scenario]]) -> list[str]:
    """Return the factors that can be had on the engine."""
    names = {variant.name for variant, _ in scenarios}
    return [name for name in factors if name in names]
