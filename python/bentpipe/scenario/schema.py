"""A scenario as written: names and types of its keys, nothing filled in.

A key that is not written is None here; what that means is decided in `resolve`.
"""

from typing import Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from bentpipe.errors import InputError
from bentpipe.scenario.where import Where, closest, shown

A_TABLE = "a table"
RATE = 'a rate such as "10 Mbit/s"'
DURATION = 'a duration such as "250 ms"'
SIZE = 'a size such as "36 MB"'
QUEUE = 'a queue such as "1 BDP", "100 packets", "36 MB" or "200 ms"'
PROBABILITY = 'a fraction such as 0.01 or "1 %"'


def _named(key: str) -> BeforeValidator:
    """Accept text where a table is expected, as the table's one key."""
    return BeforeValidator(lambda value: {key: value} if isinstance(value, str) else value)


def _loss(value: object) -> object:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return {"p": value} if isinstance(value, str) or is_number else value


def _flow(value: object) -> object:
    """Accept a flow in one word: CC, TRANSPORT:CC, CC@START or TRANSPORT:CC@START."""
    if not isinstance(value, str):
        return value
    flow, at, start = value.partition("@")
    transport, colon, cc = flow.rpartition(":")
    named = {"transport": transport} if colon else {}
    return {"cc": cc, **named, **({"start": start} if at else {})}


class Table(BaseModel):
    """A TOML table of which every key is known."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=False)

    def written(self) -> tuple[str, ...]:
        """Return the keys that are written, in the schema's order."""
        return tuple(key for key, value in self if value is not None)


class JitterTable(Table):
    """Delay variation: {sd} normal; {quantiles, hold} of any distribution, constant for a while at a time."""

    sd: str | None = Field(default=None, description=DURATION)
    quantiles: list[list[float | str]] | None = Field(
        default=None, description='a list of probabilities and offsets such as [[0, "-5 ms"], [1, "9 ms"]]'
    )
    hold: str | None = Field(default=None, description=DURATION)


class QueueTable(Table):
    """A queue: {limit} drop-tail; {limit, start, p} random early drop; {limit, target, interval} CoDel."""

    limit: str | None = Field(default=None, description=QUEUE)
    start: str | None = Field(default=None, description=SIZE)
    p: float | str | None = Field(default=None, description=PROBABILITY)
    target: str | None = Field(default=None, description=DURATION)
    interval: str | None = Field(default=None, description=DURATION)


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


class ForwardTable(Table):
    """One direction of a link."""

    rate: str | None = Field(default=None, description=RATE)
    delay: str | None = Field(default=None, description=DURATION)
    jitter: Annotated[JitterTable | None, _named("sd")] = Field(
        default=None, description='a duration such as "3 ms" or a table of quantiles and hold'
    )
    queue: Annotated[QueueTable | None, _named("limit")] = Field(default=None, description=QUEUE)
    loss: Annotated[LossTable | None, BeforeValidator(_loss)] = Field(
        default=None, description='a fraction such as "1 %" or a table such as { ber = 1e-7 }'
    )


class ReturnTable(ForwardTable):
    """The direction from client to server."""

    dama: str | None = Field(default=None, description='a capacity scheme such as "none"')


class LinkTable(Table):
    """A link: on its own, or a base with some keys changed."""

    base: str | None = Field(default=None, description="a preset's name, a TOML file or an inline pipe")
    name: str | None = Field(default=None, description="a name")
    title: str | None = Field(default=None, description="a line of text")
    source: str | None = Field(default=None, description="where the figures come from")
    assumptions: list[str] | None = Field(default=None, description="a list of texts")
    mtu: str | None = Field(default=None, description='a size such as "1500 B"')
    rtt: str | None = Field(default=None, description=DURATION)
    forward: ForwardTable | None = Field(default=None, description=A_TABLE)
    return_: ReturnTable | None = Field(default=None, alias="return", description=A_TABLE)


class PageTable(Table):
    """A page: a built-in one by name, or one of your own."""

    name: str | None = Field(default=None, description='a page\'s name such as "uniform-100k"')
    objects: list[str] | None = Field(
        default=None, description='a list of sizes such as ["12.5 kB", "50 kB"]'
    )


class FlowTable(Table):
    """What tells a flow from those beside it."""

    cc: str | None = Field(default=None, description='a congestion control such as "bbr"')
    transport: str | None = Field(default=None, description='"tcp" or "quic"')
    start: str | None = Field(default=None, description=DURATION)


class BulkTable(Table):
    """One flow, or several at once."""

    transport: str | None = Field(default=None, description='"tcp" or "quic"')
    direction: str | None = Field(default=None, description='"down" or "up"')
    size: str | None = Field(default=None, description=SIZE)
    duration: str | None = Field(default=None, description=DURATION)
    flows: list[Annotated[FlowTable, BeforeValidator(_flow)]] | None = Field(
        default=None,
        description='a list of flows such as ["cubic", "quic:bbr", { cc = "hybla", start = "10 s" }]',
    )


class PingTable(Table):
    """UDP echo requests."""

    count: int | None = Field(default=None, description="a whole number")
    interval: str | None = Field(default=None, description=DURATION)
    size: str | None = Field(default=None, description='a size such as "20 B"')


class TcpTable(Table):
    """TCP at both ends."""

    initial_window: int | None = Field(default=None, description="a whole number of segments")
    receive_buffer: str | None = Field(default=None, description=SIZE)
    send_buffer: str | None = Field(default=None, description=SIZE)
    slow_start_after_idle: bool | None = Field(default=None, description="true or false")


class QuicTable(Table):
    """QUIC at both ends."""

    initial_window: str | None = Field(default=None, description='a size such as "14720 B"')
    initial_rtt: str | None = Field(default=None, description=DURATION)
    stream_receive_window: str | None = Field(default=None, description=SIZE)
    receive_window: str | None = Field(default=None, description=SIZE)
    send_window: str | None = Field(default=None, description=SIZE)
    udp_payload: str | None = Field(default=None, description='a size such as "1472 B"')
    max_concurrent_streams: int | None = Field(default=None, description="a whole number")


class Http2Table(Table):
    """HTTP/2 at both ends."""

    stream_window: str | None = Field(default=None, description=SIZE)
    connection_window: str | None = Field(default=None, description=SIZE)
    max_concurrent_streams: int | None = Field(default=None, description="a whole number")


class TlsTable(Table):
    """TLS at both ends."""

    resumption: str | None = Field(default=None, description='"none"')


class ValidityTable(Table):
    """When a run's numbers may be trusted."""

    lateness: str | None = Field(default=None, description=DURATION)
    timeout: str | None = Field(default=None, description=DURATION)


class CaptureTable(Table):
    """What is kept besides the record."""

    pcapng: bool | None = Field(default=None, description="true or false")
    qlog: bool | None = Field(default=None, description="true or false")


class RunTable(Table):
    """One cell of the experiment, complete."""

    link: Annotated[LinkTable | None, _named("base")] = Field(
        default=None, description="a preset's name, a TOML file, an inline pipe or a table"
    )
    http: str | None = Field(default=None, description='an HTTP version such as "h3"')
    cc: str | None = Field(default=None, description='a congestion control such as "bbr"')
    page: Annotated[PageTable | None, _named("name")] = Field(
        default=None, description='a page\'s name such as "uniform-100k", or a table'
    )
    connections: int | None = Field(default=None, description="a whole number")
    bulk: BulkTable | None = Field(default=None, description=A_TABLE)
    ping: PingTable | None = Field(default=None, description=A_TABLE)
    client: str | None = Field(default=None, description='a client such as "loader" or "iperf3"')
    server: str | None = Field(default=None, description='a server such as "bentpipe" or "iperf3"')
    pep: str | None = Field(default=None, description='a proxy such as "none"')
    tcp: TcpTable | None = Field(default=None, description=A_TABLE)
    quic: QuicTable | None = Field(default=None, description=A_TABLE)
    http2: Http2Table | None = Field(default=None, description=A_TABLE)
    tls: TlsTable | None = Field(default=None, description=A_TABLE)
    validity: ValidityTable | None = Field(default=None, description=A_TABLE)
    capture: CaptureTable | None = Field(default=None, description=A_TABLE)


class QuickTable(Table):
    """What `--quick` changes."""

    repetitions: int | None = Field(default=None, description="a whole number")
    matrix: Any = Field(default=None, description="a table of lists, or a list of such tables")


class SimulateTable(Table):
    """What the simulate engine changes: its runs cost little."""

    repetitions: int | None = Field(default=None, description="a whole number")


class ScenarioTable(Table):
    """The whole file. The cells are checked one by one once the matrix has completed them."""

    name: str | None = Field(default=None, description="a name")
    title: str | None = Field(default=None, description="a line of text")
    description: str | None = Field(default=None, description="a text")
    repetitions: int | None = Field(default=None, description="a whole number")
    seed: int | None = Field(default=None, description="a whole number")
    run: dict[str, Any] | None = Field(default=None, description=A_TABLE)
    matrix: Any = Field(default=None, description="a table of lists, or a list of such tables")
    quick: QuickTable | None = Field(default=None, description=A_TABLE)
    simulate: SimulateTable | None = Field(default=None, description=A_TABLE)


AnyTable = TypeVar("AnyTable", bound=Table)


def validated(schema: type[AnyTable], written: object, where: Where) -> AnyTable:
    """Return what is written as a table of the schema; the first fault becomes an InputError."""
    try:
        return schema.model_validate(written)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False)[0]
        raise _input_error(schema, fault["type"], fault["loc"], fault["input"], where) from None


def keys(schema: type[Table]) -> dict[str, FieldInfo]:
    """Return the keys of a table as written, with what each expects."""
    return {field.alias or name: field for name, field in schema.model_fields.items()}


def subtable(field: FieldInfo) -> type[Table] | None:
    """Return the schema of the table that a key holds, or a list of which it holds, if it holds any."""
    return _table_within(field.annotation)


def _table_within(annotation: object) -> type[Table] | None:
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return annotation
    return next(filter(None, map(_table_within, get_args(annotation))), None)


def _input_error(
    schema: type[Table], kind: str, path: tuple[int | str, ...], found: object, where: Where
) -> InputError:
    here: type[Table] | None = schema
    expected = A_TABLE
    for step in path:
        if isinstance(step, int):
            where = where.at(str(step + 1))
            continue
        if here is None:
            break
        where = where.at(step)
        fields = keys(here)
        if step not in fields:
            assert kind == "extra_forbidden"
            expected = f"one of {', '.join(sorted(fields))}"
            found = f"the unknown key {shown(step)}"
            return where.error(expected=expected, found=found, suggestion=closest(step, fields))
        expected = fields[step].description or A_TABLE
        here = subtable(fields[step])
    return where.error(expected=expected, found=shown(found))
