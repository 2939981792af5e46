"""A path that changes: schedules, epochs, and satellites over sites.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from .channel import QuantileSpec


class OpportunitiesScheduleSpec(TypedDict):
    """
    Chances to send, counted per millisecond, as Mahimahi and LeoReplayer record them. It starts again after its
    last millisecond.
    """

    kind: Literal["opportunities"]
    per_ms: list[int]
    """How many packets of 1504 bytes may leave until the end of each millisecond, at an even rate within it."""
    delays_ns: list[int]
    """One-way delay in each 10 ms, the last value until the end; none where the direction's own holds."""
    offset_ns: int
    """What of it has passed when the workload starts."""


StateSpec: TypeAlias = Literal["open", "silence", "outage"]
"""Whether anything leaves and arrives."""


SilenceKindSpec: TypeAlias = Literal["hold", "lose"]
"""What becomes of packets while the path is silent."""


class CapacityVariationSpec(TypedDict):
    """Factors on the mean rate: one for each epoch, lognormal, and within it a first-order autoregressive process."""

    between_cv: float
    """Standard deviation of the factor of epochs, whose mean is one."""
    within_cv: float
    """Standard deviation of the factor within an epoch, whose mean is one."""
    within_step_ns: int
    """How long a value within an epoch holds."""
    within_correlation: float
    """Correlation of a value within an epoch with the one before."""


class NoneEpochDelaySpec(TypedDict):
    """Nothing."""

    kind: Literal["none"]


class StepsEpochDelaySpec(TypedDict):
    """A value for each epoch."""

    kind: Literal["steps"]
    quantiles: list[QuantileSpec]
    """Its quantile function, linear between the points: at least two, from p = 0 to p = 1, both columns ascending."""


class TleConstellationSpec(TypedDict):
    """Two-line element sets, moved by SGP4."""

    kind: Literal["tle"]
    text: str
    """A file's text: for each satellite two lines of 69 characters, with or without its name in a line before them."""


class GeostationaryConstellationSpec(TypedDict):
    """One satellite that stands still over the equator."""

    kind: Literal["geostationary"]
    longitude_deg: float
    """East of Greenwich, -180 to 360 degrees."""


class ShellSpec(TypedDict):
    """A Walker constellation: planes around the axis of the earth, and in each as many satellites."""

    planes: int
    """Orbital planes."""
    satellites_per_plane: int
    """Satellites of each plane, evenly spaced."""
    altitude_m: float
    """Of the orbit above the equator: its radius less 6378.137 km. 100 km to 100 000 km."""
    inclination_deg: float
    """Of the orbit to the equator, 0 to 180 degrees."""
    phasing: int
    """
    Walker's F, below the number of planes: a satellite is F turns over the number of satellites ahead of its
    neighbour in the plane to the west.
    """
    raan_spread_deg: float
    """Right ascensions that the planes are spread over: 360 degrees (delta) or 180 (star)."""
    raan_deg: float
    """Right ascension of the first plane's ascending node at the epoch, -360 to 360 degrees."""
    argument_of_latitude_deg: float
    """From its ascending node to the first plane's first satellite at the epoch, along the orbit; -360 to 360 degrees."""
    epoch_unix_ns: int
    """When satellites are where this says; nanoseconds of Unix time."""


class SiteSpec(TypedDict):
    """A place on the earth (WGS 84)."""

    latitude_deg: float
    """Geodetic, north of the equator; -90 to 90 degrees."""
    longitude_deg: float
    """East of Greenwich, -180 to 360 degrees."""
    altitude_m: float
    """Above the ellipsoid, -1 km to 50 km."""


ChoiceSpec: TypeAlias = Literal["highest", "weighted"]
"""Which of the satellites that the dish sees it takes."""


class IslSpec(TypedDict):
    """Links between satellites."""

    stretch: float
    """Length of the path between the satellites over dish and gateway, over that of the great circle; 1 to 10."""


class RowSpec(TypedDict):
    """What holds from an instant on."""

    at_ns: int
    """From when on, since the start of the schedule."""
    rate_bps: NotRequired[int | None]
    """Bits of IP packets per second; the rate of the direction's capacity if none."""
    delay_ns: NotRequired[int | None]
    """One-way propagation delay; that of the direction if none."""
    loss: float
    """Probability that a packet is lost, beside the losses of the direction."""
    state: StateSpec
    """Whether anything leaves and arrives."""


class SilenceSpec(TypedDict):
    """A time around the edge of an epoch at which nothing gets through, in both directions."""

    state: SilenceKindSpec
    """What becomes of packets meanwhile."""
    median_ns: int
    """Median of the duration, which is lognormal."""
    p90_ns: int
    """Its 90th percentile."""
    min_ns: int
    """Shorter ones last this long."""
    max_ns: int
    """Longer ones last this long."""
    lead_min_ns: int
    """A silence begins before the edge by a span that is uniform from this one ..."""
    lead_max_ns: int
    """... to this one."""


class WalkerConstellationSpec(TypedDict):
    """Circular orbits in evenly spread planes."""

    kind: Literal["walker"]
    shells: list[ShellSpec]
    """One at least."""


ConstellationSpec: TypeAlias = WalkerConstellationSpec | TleConstellationSpec | GeostationaryConstellationSpec
"""The satellites."""


class TableScheduleSpec(TypedDict):
    """Rows, each of which holds until the next."""

    kind: Literal["table"]
    rows: list[RowSpec]
    """At least one, the first at zero, each later than the one before."""
    period_ns: NotRequired[int | None]
    """When it starts again; without it the last row holds for ever."""
    offset_ns: int
    """What of it has passed when the workload starts."""


class GeometrySpec(TypedDict):
    """Satellites, a dish, its gateways, and which satellite the dish takes."""

    constellation: ConstellationSpec
    """The satellites."""
    site: SiteSpec
    """The dish."""
    gateways: list[SiteSpec]
    """One at least; of those that can be reached the one with the shortest path serves."""
    minimum_elevation_deg: float
    """Least elevation of a satellite over the dish, 0 to 90 degrees."""
    gateway_minimum_elevation_deg: float
    """Least elevation of a satellite over a gateway, 0 to 90 degrees."""
    choice: ChoiceSpec
    """Which of the satellites that the dish sees it takes."""
    isl: NotRequired[IslSpec | None]
    """Links between satellites; without them one satellite has to see both dish and gateway."""


class GeometryEpochDelaySpec(TypedDict):
    """The way over the satellite that serves, chosen for the middle of the epoch. Where none does the path is out."""

    kind: Literal["geometry"]
    geometry: GeometrySpec
    """Satellites, dish and gateways."""
    step_ns: int
    """How long a delay holds while the satellite moves on."""


EpochDelaySpec: TypeAlias = NoneEpochDelaySpec | StepsEpochDelaySpec | GeometryEpochDelaySpec
"""What an epoch adds to the delay of the direction."""


class EpochsScheduleSpec(TypedDict):
    """Epochs of a constellation, in each of which another satellite may serve."""

    kind: Literal["epochs"]
    period_ns: int
    """From one edge to the next."""
    phase_ns: int
    """Edges are at this time of UTC modulo the period."""
    edge_jitter_ns: int
    """Each edge is moved by a span that is uniform on plus and minus this one."""
    start_unix_ns: int
    """The workload starts at this instant of Unix time, or later ..."""
    start_span_ns: int
    """... by a span that is uniform from zero to this one, drawn from the run's seed."""
    silence: NotRequired[SilenceSpec | None]
    """Silences at the edges."""
    capacity: NotRequired[CapacityVariationSpec | None]
    """How the rate varies around that of the capacity."""
    delay: EpochDelaySpec
    """What is added to the direction's delay."""


ScheduleSpec: TypeAlias = TableScheduleSpec | OpportunitiesScheduleSpec | EpochsScheduleSpec
"""
How the capacity and the propagation of a direction change from the mark (the start of the workload) on. Before it
they stand still as they are at time zero, and open.
"""
