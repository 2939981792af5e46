"""The variants of a scenario that its ablations ask for: each is the same matrix with other settings."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from bentpipe.scenario.ablations import Ablation, Ablations
from bentpipe.scenario.rig import Rig
from bentpipe.scenario.written.variation import Variation
from bentpipe.stats.factorial import design

BASE = "base"
TODAY = "today"


class VariantKind(Enum):
    """How a variant differs from the base."""

    BASE = "base"
    TODAY = "today"
    """No fact of the rig holds."""
    WITHOUT = "without"
    """One fact of the rig does not hold."""
    ABLATION = "ablation"
    """One factor is varied."""
    TOGETHER = "together"
    """Several factors are varied at once, a point of a factorial design."""


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One way of measuring a scenario.

    Attributes
    ----------
    name : str
        Unique among the variants of a scenario.
    kind : VariantKind
        How it differs from the base.
    reason, source : str
        Why it is measured, and where its settings come from.
    parts : tuple of str
        The ablations that it consists of; of one without a fact, that fact.
    variations : tuple of Variation
        All settings that hold: of the rig, then of the ablations.
    """

    name: str
    kind: VariantKind
    reason: str
    source: str
    parts: tuple[str, ...]
    variations: tuple[Variation, ...]


def variants(rig: Rig, ablations: Ablations | None, *, engine: str) -> tuple[Variant, ...]:
    """Return the variants that can be had on an engine, the base first."""
    able = rig.on(engine)
    base = Variant(
        name=BASE,
        kind=VariantKind.BASE,
        reason="The scenario, with the facts of its rig.",
        source="",
        parts=(),
        variations=able.variations,
    )
    return (base, *_of_rig(able), *(_of_ablations(able, ablations, engine=engine) if ablations else ()))


def _of_rig(rig: Rig) -> Iterator[Variant]:
    if not rig.variations:
        return
    yield Variant(
        name=TODAY,
        kind=VariantKind.TODAY,
        reason="Present software in place of the rig's.",
        source="",
        parts=(),
        variations=(),
    )
    for fact in rig.facts:
        if fact.variation is not None:
            yield Variant(
                name=f"without-{fact.name}",
                kind=VariantKind.WITHOUT,
                reason=fact.statement,
                source=fact.source,
                parts=(fact.name,),
                variations=rig.without(fact.name).variations,
            )


def _of_ablations(rig: Rig, ablations: Ablations, *, engine: str) -> Iterator[Variant]:
    able = {each.name: each for each in ablations.ablations if engine in each.engines}
    for each in able.values():
        yield _variant(rig, (each,), VariantKind.ABLATION, each.name)
    together = ablations.interactions
    if together is None:
        return
    factors = [name for name in together.factors if name in able]
    if len(factors) < 2:
        return
    for point in design(factors, resolution=together.resolution):
        if len(point) > 1:
            parts = tuple(able[name] for name in factors if name in point)
            yield _variant(rig, parts, VariantKind.TOGETHER, "+".join(part.name for part in parts))


def _variant(rig: Rig, parts: tuple[Ablation, ...], kind: VariantKind, name: str) -> Variant:
    return Variant(
        name=name,
        kind=kind,
        reason=" ".join(part.reason for part in parts),
        source="; ".join(dict.fromkeys(part.source for part in parts)),
        parts=tuple(part.name for part in parts),
        variations=(*rig.variations, *(part.variation for part in parts)),
    )
