"""A link as written: names and types of its keys, nothing filled in."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from bentpipe.scenario.written.path_schema import (
    EpochsTable,
    GeometryTable,
    RateVariationTable,
    ScheduleTable,
    TraceTable,
)
from bentpipe.scenario.written.satellite_schema import (
    AcmTable,
    AttenuationTable,
    ClearSkyTable,
    Dvbs2Table,
    ForwardBackgroundTable,
    ForwardClassTable,
    MixTable,
    QueueTable,
    Rcs2Table,
    ReturnBackgroundTable,
    ReturnClassTable,
)
from bentpipe.scenario.written.table import A_TABLE, DURATION, PROBABILITY, QUEUE, RATE, TABLES, Table, named
from bentpipe.scenario.written.texts import LINE, NAME, TEXT, Line, Name, Text


def _loss(value: object) -> object:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return {"p": value} if isinstance(value, str) or is_number else value


def _rows(value: object) -> object:
    return {"rows": value} if isinstance(value, list) else value


class JitterTable(Table):
    """Delay variation: {sd} normal; {quantiles, hold} of any distribution, constant for a while at a time."""

    sd: str | None = Field(default=None, description=DURATION)
    """Standard deviation of a normal delay, drawn per packet without reordering. Default: 0 ms."""
    quantiles: list[list[float | str]] | None = Field(
        default=None, description='a list of probabilities and offsets such as [[0, "-5 ms"], [1, "9 ms"]]'
    )
    """Any distribution, by its quantiles."""
    hold: str | None = Field(default=None, description=DURATION)
    """How long a value of `quantiles` holds."""


class LossTable(Table):
    """Channel losses: {p} independent; {p, r, h, k} Gilbert-Elliott; {ber} bit errors.

    {every, lasting} are outages. Which keys are written decides on the model.
    """

    p: float | str | None = Field(default=None, description=PROBABILITY)
    """Independent loss; with `r` Gilbert-Elliott's probability of turning bad."""
    r: float | str | None = Field(default=None, description=PROBABILITY)
    """Gilbert-Elliott: probability of turning good."""
    h: float | str | None = Field(default=None, description=PROBABILITY)
    """Gilbert-Elliott: probability of delivery in the bad state."""
    k: float | str | None = Field(default=None, description=PROBABILITY)
    """Gilbert-Elliott: probability of delivery in the good state."""
    ber: float | str | None = Field(default=None, description="a bit error ratio such as 1e-7")
    """Bit error ratio."""
    every: str | None = Field(default=None, description=DURATION)
    """Outages: one in each period of this length."""
    lasting: list[list[int | str]] | None = Field(
        default=None, description='a list of weights and durations such as [[3, "200 ms"], [1, "2 s"]]'
    )
    """Outages: durations with their weights."""


class TerrestrialTable(Table):
    """The network between gateway and server."""

    loss: Annotated[LossTable | None, BeforeValidator(_loss)] = Field(
        default=None, description='a fraction such as "1 %" or a table such as { ber = 1e-7 }'
    )
    """Loss in both directions. Default: none."""


class DirectionTable(Table):
    """What both directions of a link may have."""

    rate: str | None = Field(default=None, description=RATE)
    """Rate of IP bytes. Required without a carrier."""
    delay: str | None = Field(default=None, description=DURATION)
    """One-way propagation delay. Default: half of `rtt`."""
    jitter: Annotated[JitterTable | None, named("sd")] = Field(
        default=None, description='a duration such as "3 ms" or a table of quantiles and hold'
    )
    """Delay variation. Default: none."""
    queue: Annotated[QueueTable | None, named("limit")] = Field(default=None, description=QUEUE)
    """Drop-tail limit in packets, bytes, time or BDP; a table for random early drop, CoDel or DualPI2.
    Default: 1 BDP, at least 10 full packets.
    """
    loss: Annotated[LossTable | None, BeforeValidator(_loss)] = Field(
        default=None, description='a fraction such as "1 %" or a table such as { ber = 1e-7 }'
    )
    """Channel loss: a fraction per packet, or a table. Default: none."""
    schedule: Annotated[ScheduleTable | None, BeforeValidator(_rows)] = Field(
        default=None, description="a list of rows, or a table of rows, every and offset"
    )
    """Changes over time. Default: none."""
    trace: Annotated[TraceTable | None, named("file")] = Field(
        default=None, description="the path of a recording, or a table"
    )
    """A recording that the direction follows. Default: none."""
    rate_variation: RateVariationTable | None = Field(default=None, description=A_TABLE)
    """Random variation of the rate. Default: none."""
    clear_sky: ClearSkyTable | None = Field(default=None, description=A_TABLE)
    """Es/N0 of each leg without attenuation."""
    attenuation: AttenuationTable | None = Field(default=None, description=A_TABLE)
    """Attenuation of each leg. Default: none."""


class ForwardTable(DirectionTable):
    """The direction from server to client: a constant rate, or a DVB-S2 carrier."""

    dvbs2: Dvbs2Table | None = Field(default=None, description=A_TABLE)
    """A DVB-S2 carrier in place of `rate`."""
    acm: AcmTable | None = Field(default=None, description=A_TABLE)
    """Adaptive coding and modulation in place of `dvbs2.modcod`; `{}` has all defaults. Default: none."""
    classes: list[ForwardClassTable] | None = Field(default=None, description=TABLES)
    """Classes of service in order of priority. Default: none."""
    background: list[ForwardBackgroundTable] | None = Field(default=None, description=TABLES)
    """Other customers of the carrier. Default: none."""


class ReturnTable(DirectionTable):
    """The direction from client to server: a constant rate, or a DVB-RCS2 return link."""

    rcs2: Rcs2Table | None = Field(default=None, description=A_TABLE)
    """A DVB-RCS2 return link in place of `rate`."""
    dama: str | None = Field(default=None, description='the name of a mix such as "cra"')
    """The mix of packets without a class: `cra`, `rbdc`, `vbdc`, `avbdc`, `mixed`, or one of `mixes`; `none`
    at a constant rate. Default: {DAMA_RCS2}.
    """
    mixes: dict[str, MixTable] | None = Field(default=None, description="a table of mixes")
    """Mixes by name. Predefined: each kind with all slots of a carrier, and `mixed` with 8 % CRA, 46 % RBDC
    and 46 % VBDC.
    """
    classes: list[ReturnClassTable] | None = Field(default=None, description=TABLES)
    """Classes of service in order of priority. Default: none."""
    background: list[ReturnBackgroundTable] | None = Field(default=None, description=TABLES)
    """Other terminals. Default: none."""


class LinkTable(Table):
    """A link: on its own, or a base with some keys changed."""

    base: str | None = Field(default=None, description="a preset's name, a TOML file or an inline pipe")
    """A preset, a file or an inline pipe that the other keys change. Default: none."""
    name: Name | None = Field(default=None, description=NAME)
    """Name in results. Default: the preset's, else `custom`."""
    title: Line | None = Field(default=None, description=LINE)
    """Text for `bentpipe links`. Default: none."""
    source: Text | None = Field(default=None, description=f"{TEXT}: where the figures come from")
    """Where the figures come from, for `bentpipe links`. Default: none."""
    assumptions: list[Text] | None = Field(default=None, description=f"a list of {TEXT}s")
    """Assumptions, for `bentpipe links`. Default: none."""
    mtu: str | None = Field(default=None, description='a size such as "1500 B"')
    """Largest IP packet. Default: {MTU}."""
    rtt: str | None = Field(default=None, description=DURATION)
    """Propagation there and back, half in each direction. Transmission, frames and slots come on top."""
    trace: Annotated[TraceTable | None, named("file")] = Field(
        default=None, description="the path of a recording, or a table"
    )
    """A recording of both directions, or of the forward one; the return direction then has its mean rate.
    Default: none.
    """
    epochs: EpochsTable | None = Field(default=None, description=A_TABLE)
    """Epochs of a constellation, for both directions. Default: none."""
    geometry: GeometryTable | None = Field(default=None, description=A_TABLE)
    """Satellites, dish and gateways. Default: none."""
    forward: ForwardTable | None = Field(default=None, description=A_TABLE)
    """Server to client."""
    return_: ReturnTable | None = Field(default=None, alias="return", description=A_TABLE)
    """Client to server."""
