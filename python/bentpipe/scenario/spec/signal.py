"""Es/N0 over time: `crates/link/src/signal`."""

from typing import TypedDict


class AttenuationPoint(TypedDict):
    """An attenuation at a time; between two of them it is interpolated."""

    at_ns: int
    db: float


class AttenuationSpec(TypedDict):
    """What the atmosphere takes off a leg."""

    points: list[AttenuationPoint]
    period_ns: int | None


class LegSpec(TypedDict):
    """One leg of the path over the satellite."""

    clear_sky_db: float
    attenuation: AttenuationSpec


class EsN0Spec(TypedDict):
    """Both legs of a direction."""

    up: LegSpec
    down: LegSpec
