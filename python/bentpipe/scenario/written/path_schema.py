"""How a link changes over time, as written: names and types of its keys, nothing filled in."""

from pydantic import Field

from bentpipe.scenario.written.satellite_schema import DEGREES
from bentpipe.scenario.written.table import A_TABLE, COUNT, DURATION, PROBABILITY, RATE, TABLES, Table

LENGTH = 'a length such as "550 km"'
SHARE = 'a fraction such as 0.2 or "20 %"'
INSTANT = 'an instant such as "2026-01-01T00:00:00Z"'
STATE = '"open", "silence" or "outage"'
QUANTILES = 'a list of probabilities and offsets such as [[0, "0 ms"], [1, "9 ms"]]'


class ScheduleRowTable(Table):
    """What holds in a direction from an instant on; what it does not say is as the direction says."""

    at: str | None = Field(default=None, description=DURATION)
    """Time since the start of the workload; the first row is at 0 s."""
    rate: str | None = Field(default=None, description=RATE)
    """New rate."""
    share: float | str | None = Field(default=None, description=SHARE)
    """New rate as a share of the direction's."""
    delay: str | None = Field(default=None, description=DURATION)
    """New one-way delay."""
    loss: float | str | None = Field(default=None, description=PROBABILITY)
    """New loss."""
    state: str | None = Field(default=None, description=STATE)
    """`silence`: nothing is sent and the queue is kept; `outage`: everything sent is lost."""


class ScheduleTable(Table):
    """Rows over time, once or again and again."""

    rows: list[ScheduleRowTable] | None = Field(
        default=None,
        description='a list of tables such as [{ at = "0 s" }, { at = "9 s", state = "outage" }]',
    )
    """The rows in order of time."""
    every: str | None = Field(default=None, description=DURATION)
    """Period after which the rows start again. Default: once."""
    offset: str | None = Field(default=None, description=DURATION)
    """Where in the period the run starts."""


class RateVariationTable(Table):
    """How the rate of a direction varies from epoch to epoch and within one."""

    between: float | str | None = Field(default=None, description=SHARE)
    """Relative standard deviation between epochs."""
    within: float | str | None = Field(default=None, description=SHARE)
    """Relative standard deviation within an epoch."""
    step: str | None = Field(default=None, description=DURATION)
    """Interval of a value within an epoch. Default: {RATE_VARIATION_STEP}."""
    correlation: float | str | None = Field(default=None, description='a fraction such as 0.5 or "50 %"')
    """Correlation of consecutive steps."""


class SilenceTable(Table):
    """Silences at the edges of epochs."""

    state: str | None = Field(default=None, description='"hold", "lose" or "none"')
    """`hold`: packets wait; `lose`: packets are lost. Default: {SILENCE_STATE}."""
    median: str | None = Field(default=None, description=DURATION)
    """Median of the duration."""
    p90: str | None = Field(default=None, description=DURATION)
    """90th percentile of the duration. Default: the median."""
    least: str | None = Field(default=None, description=DURATION)
    """Lower bound of the duration. Default: {SILENCE_LEAST}."""
    most: str | None = Field(default=None, description=DURATION)
    """Upper bound of the duration. Default: three times `p90`."""
    lead: list[str] | None = Field(
        default=None, description='a list of the least and the most such as ["10 ms", "20 ms"]'
    )
    """Least and most time from its start to the edge. Default: none."""


class EpochsTable(Table):
    """Epochs of a constellation, for both directions."""

    period: str | None = Field(default=None, description=DURATION)
    """Length of an epoch. Required."""
    phase: str | None = Field(default=None, description=DURATION)
    """Edges are at this time modulo `period`, UTC. Default: {EPOCHS_PHASE}."""
    edge_jitter: str | None = Field(default=None, description=DURATION)
    """Largest deviation of an edge, either way. Default: {EPOCHS_EDGE_JITTER}."""
    start: str | None = Field(default=None, description=INSTANT)
    """When the run starts. Default: {EPOCHS_START}."""
    start_within: str | None = Field(default=None, description=DURATION)
    """How much later it may start, by the seed. Default: 24 h; with `start` 0 s."""
    silence: SilenceTable | None = Field(default=None, description=A_TABLE)
    """Interruption around each edge. Default: none."""
    steps: list[list[float | str]] | None = Field(default=None, description=QUANTILES)
    """What each epoch adds to the delay, by quantiles; not with a geometry. Default: none."""


class SiteTable(Table):
    """A place on the earth."""

    latitude: str | None = Field(default=None, description=DEGREES)
    """Geodetic latitude. Required."""
    longitude: str | None = Field(default=None, description=DEGREES)
    """Longitude, east positive. Required."""
    altitude: str | None = Field(default=None, description=LENGTH)
    """Height above the ellipsoid. Default: {SITE_ALTITUDE}."""


class ShellTable(Table):
    """Satellites on circular orbits, in Walker's pattern."""

    planes: int | None = Field(default=None, description=COUNT)
    """Number of orbital planes. Required."""
    satellites_per_plane: int | None = Field(default=None, description=COUNT)
    """Satellites in each plane. Required."""
    altitude: str | None = Field(default=None, description=LENGTH)
    """Altitude of the circular orbits. Required."""
    inclination: str | None = Field(default=None, description=DEGREES)
    """Inclination of the orbits. Required."""
    phasing: int | None = Field(default=None, description=COUNT)
    """Walker's F. Default: {SHELL_PHASING}."""
    spread: str | None = Field(default=None, description=DEGREES)
    """Range of the ascending nodes: 360 deg is Walker delta, 180 deg Walker star. Default: {SHELL_SPREAD}."""
    ascending_node: str | None = Field(default=None, description=DEGREES)
    """Right ascension of the first plane on 2026-01-01. Default: {SHELL_ASCENDING_NODE}."""
    argument_of_latitude: str | None = Field(default=None, description=DEGREES)
    """Position of the first satellite on 2026-01-01. Default: {SHELL_ARGUMENT_OF_LATITUDE}."""


class GeometryTable(Table):
    """Satellites, the user's dish and the gateways: which way a packet goes, and how long that takes."""

    shells: list[ShellTable] | None = Field(default=None, description=TABLES)
    """Walker shells. One of `shells`, `tle` and `geostationary` is required."""
    tle: str | None = Field(default=None, description="the path of a file of two-line element sets")
    """A file of two-line element sets."""
    geostationary: str | None = Field(default=None, description=f"a longitude: {DEGREES}")
    """Longitude of a geostationary satellite; needs no epochs."""
    site: SiteTable | None = Field(default=None, description=A_TABLE)
    """The user's dish. Required."""
    gateways: list[SiteTable] | None = Field(default=None, description=TABLES)
    """The gateways. Required."""
    least_elevation: str | None = Field(default=None, description=DEGREES)
    """Least elevation of a serving satellite at the dish. Default: {LEAST_ELEVATION}."""
    least_elevation_of_gateway: str | None = Field(default=None, description=DEGREES)
    """The same at the gateway. Default: {LEAST_ELEVATION_OF_GATEWAY}."""
    choice: str | None = Field(default=None, description='"highest" or "weighted"')
    """Serving satellite of an epoch: `highest`, or `weighted` at random by elevation above the least.
    Default: {SATELLITE_CHOICE}.
    """
    isl_stretch: float | None = Field(default=None, description="a number from 1 such as 1.2")
    """Inter-satellite path length over the great circle. Default: no inter-satellite links."""
    step: str | None = Field(default=None, description=DURATION)
    """How long a delay holds while the satellite moves. Default: {GEOMETRY_STEP}."""


class TraceTable(Table):
    """A recorded path."""

    file: str | None = Field(default=None, description="the path of a recording")
    """The recording. Required."""
    delays: str | None = Field(default=None, description="the path of a file of delays beside it")
    """LeoReplayer's second file."""
    format: str | None = Field(default=None, description='a format such as "mahimahi"')
    """Its format. Default: recognised by content."""
    offset: str | None = Field(default=None, description=DURATION)
    """Where in the recording the run starts. Default: {RECORDING_OFFSET}."""
    repeats: bool | None = Field(default=None, description="true or false")
    """Start again at the end. Default: {RECORDING_REPEATS}."""
