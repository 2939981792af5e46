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
    quantiles: list[list[float | str]] | None = Field(
        default=None, description='a list of probabilities and offsets such as [[0, "-5 ms"], [1, "9 ms"]]'
    )
    hold: str | None = Field(default=None, description=DURATION)


class LossTable(Table):
    """Channel losses: {p} independent; {p, r, h, k} Gilbert-Elliott; {ber} bit errors.

    {every, lasting} are outages. Which keys are written decides on the model.
    """

    p: float | str | None = Field(default=None, description=PROBABILITY)
    r: float | str | None = Field(default=None, description=PROBABILITY)
    h: float | str | None = Field(default=None, description=PROBABILITY)
    k: float | str | None = Field(default=None, description=PROBABILITY)
    ber: float | str | None = Field(default=None, description="a bit error ratio such as 1e-7")
    every: str | None = Field(default=None, description=DURATION)
    lasting: list[list[int | str]] | None = Field(
        default=None, description='a list of weights and durations such as [[3, "200 ms"], [1, "2 s"]]'
    )


class TerrestrialTable(Table):
    """The network between gateway and server."""

    loss: Annotated[LossTable | None, BeforeValidator(_loss)] = Field(
        default=None, description='a fraction such as "1 %" or a table such as { ber = 1e-7 }'
    )


class DirectionTable(Table):
    """What both directions of a link may have."""

    rate: str | None = Field(default=None, description=RATE)
    delay: str | None = Field(default=None, description=DURATION)
    jitter: Annotated[JitterTable | None, named("sd")] = Field(
        default=None, description='a duration such as "3 ms" or a table of quantiles and hold'
    )
    queue: Annotated[QueueTable | None, named("limit")] = Field(default=None, description=QUEUE)
    loss: Annotated[LossTable | None, BeforeValidator(_loss)] = Field(
        default=None, description='a fraction such as "1 %" or a table such as { ber = 1e-7 }'
    )
    schedule: Annotated[ScheduleTable | None, BeforeValidator(_rows)] = Field(
        default=None, description="a list of rows, or a table of rows, every and offset"
    )
    trace: Annotated[TraceTable | None, named("file")] = Field(
        default=None, description="the path of a recording, or a table"
    )
    rate_variation: RateVariationTable | None = Field(default=None, description=A_TABLE)
    clear_sky: ClearSkyTable | None = Field(default=None, description=A_TABLE)
    attenuation: AttenuationTable | None = Field(default=None, description=A_TABLE)


class ForwardTable(DirectionTable):
    """The direction from server to client: a constant rate, or a DVB-S2 carrier."""

    dvbs2: Dvbs2Table | None = Field(default=None, description=A_TABLE)
    acm: AcmTable | None = Field(default=None, description=A_TABLE)
    classes: list[ForwardClassTable] | None = Field(default=None, description=TABLES)
    background: list[ForwardBackgroundTable] | None = Field(default=None, description=TABLES)


class ReturnTable(DirectionTable):
    """The direction from client to server: a constant rate, or a DVB-RCS2 return link."""

    rcs2: Rcs2Table | None = Field(default=None, description=A_TABLE)
    dama: str | None = Field(default=None, description='the name of a mix such as "cra"')
    mixes: dict[str, MixTable] | None = Field(default=None, description="a table of mixes")
    classes: list[ReturnClassTable] | None = Field(default=None, description=TABLES)
    background: list[ReturnBackgroundTable] | None = Field(default=None, description=TABLES)


class LinkTable(Table):
    """A link: on its own, or a base with some keys changed."""

    base: str | None = Field(default=None, description="a preset's name, a TOML file or an inline pipe")
    name: Name | None = Field(default=None, description=NAME)
    title: Line | None = Field(default=None, description=LINE)
    source: Text | None = Field(default=None, description=f"{TEXT}: where the figures come from")
    assumptions: list[Text] | None = Field(default=None, description=f"a list of {TEXT}s")
    mtu: str | None = Field(default=None, description='a size such as "1500 B"')
    rtt: str | None = Field(default=None, description=DURATION)
    trace: Annotated[TraceTable | None, named("file")] = Field(
        default=None, description="the path of a recording, or a table"
    )
    epochs: EpochsTable | None = Field(default=None, description=A_TABLE)
    geometry: GeometryTable | None = Field(default=None, description=A_TABLE)
    forward: ForwardTable | None = Field(default=None, description=A_TABLE)
    return_: ReturnTable | None = Field(default=None, alias="return", description=A_TABLE)
