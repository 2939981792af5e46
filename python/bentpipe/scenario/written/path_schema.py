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
    rate: str | None = Field(default=None, description=RATE)
    share: float | str | None = Field(default=None, description=SHARE)
    delay: str | None = Field(default=None, description=DURATION)
    loss: float | str | None = Field(default=None, description=PROBABILITY)
    state: str | None = Field(default=None, description=STATE)


class ScheduleTable(Table):
    """Rows over time, once or again and again."""

    rows: list[ScheduleRowTable] | None = Field(
        default=None,
        description='a list of tables such as [{ at = "0 s" }, { at = "9 s", state = "outage" }]',
    )
    every: str | None = Field(default=None, description=DURATION)
    offset: str | None = Field(default=None, description=DURATION)


class RateVariationTable(Table):
    """How the rate of a direction varies from epoch to epoch and within one."""

    between: float | str | None = Field(default=None, description=SHARE)
    within: float | str | None = Field(default=None, description=SHARE)
    step: str | None = Field(default=None, description=DURATION)
    correlation: float | str | None = Field(default=None, description='a fraction such as 0.5 or "50 %"')


class SilenceTable(Table):
    """Silences at the edges of epochs."""

    state: str | None = Field(default=None, description='"hold", "lose" or "none"')
    median: str | None = Field(default=None, description=DURATION)
    p90: str | None = Field(default=None, description=DURATION)
    least: str | None = Field(default=None, description=DURATION)
    most: str | None = Field(default=None, description=DURATION)
    lead: list[str] | None = Field(
        default=None, description='a list of the least and the most such as ["10 ms", "20 ms"]'
    )


class EpochsTable(Table):
    """Epochs of a constellation, for both directions."""

    period: str | None = Field(default=None, description=DURATION)
    phase: str | None = Field(default=None, description=DURATION)
    edge_jitter: str | None = Field(default=None, description=DURATION)
    start: str | None = Field(default=None, description=INSTANT)
    start_within: str | None = Field(default=None, description=DURATION)
    silence: SilenceTable | None = Field(default=None, description=A_TABLE)
    steps: list[list[float | str]] | None = Field(default=None, description=QUANTILES)


class SiteTable(Table):
    """A place on the earth."""

    latitude: str | None = Field(default=None, description=DEGREES)
    longitude: str | None = Field(default=None, description=DEGREES)
    altitude: str | None = Field(default=None, description=LENGTH)


class ShellTable(Table):
    """Satellites on circular orbits, in Walker's pattern."""

    planes: int | None = Field(default=None, description=COUNT)
    satellites_per_plane: int | None = Field(default=None, description=COUNT)
    altitude: str | None = Field(default=None, description=LENGTH)
    inclination: str | None = Field(default=None, description=DEGREES)
    phasing: int | None = Field(default=None, description=COUNT)
    spread: str | None = Field(default=None, description=DEGREES)
    ascending_node: str | None = Field(default=None, description=DEGREES)
    argument_of_latitude: str | None = Field(default=None, description=DEGREES)


class GeometryTable(Table):
    """Satellites, the user's dish and the gateways: which way a packet goes, and how long that takes."""

    shells: list[ShellTable] | None = Field(default=None, description=TABLES)
    tle: str | None = Field(default=None, description="the path of a file of two-line element sets")
    geostationary: str | None = Field(default=None, description=f"a longitude: {DEGREES}")
    site: SiteTable | None = Field(default=None, description=A_TABLE)
    gateways: list[SiteTable] | None = Field(default=None, description=TABLES)
    least_elevation: str | None = Field(default=None, description=DEGREES)
    least_elevation_of_gateway: str | None = Field(default=None, description=DEGREES)
    choice: str | None = Field(default=None, description='"highest" or "weighted"')
    isl_stretch: float | None = Field(default=None, description="a number from 1 such as 1.2")
    step: str | None = Field(default=None, description=DURATION)


class TraceTable(Table):
    """A recorded path."""

    file: str | None = Field(default=None, description="the path of a recording")
    delays: str | None = Field(default=None, description="the path of a file of delays beside it")
    format: str | None = Field(default=None, description='a format such as "mahimahi"')
    offset: str | None = Field(default=None, description=DURATION)
    repeats: bool | None = Field(default=None, description="true or false")
