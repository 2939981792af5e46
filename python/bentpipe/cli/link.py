"""A resolved link for people: each direction's parts in words."""

from collections.abc import Iterator

from bentpipe import _core
from bentpipe.cli.carrier import carrier_lines
from bentpipe.cli.path import schedule_lines
from bentpipe.cli.queue import exact_percent, queue_words
from bentpipe.model.channel import (
    BernoulliLossSpec,
    BitErrorLossSpec,
    EmpiricalJitterSpec,
    GilbertElliottLossSpec,
    JitterSpec,
    LossSpec,
    NoneJitterSpec,
    NoneLossSpec,
    NormalJitterSpec,
    OutagesLossSpec,
)
from bentpipe.model.description import DirectionDescription
from bentpipe.model.link import DirectionSpec, LinkSpec
from bentpipe.scenario.link.description import describe_link


def described(spec: LinkSpec) -> list[str]:
    """Return the lines that describe a link specification."""
    lines, model = [f"Largest packet: {spec.mtu_bytes} B"], describe_link(spec)
    for heading, direction, described_direction in (
        ("Forward, server to client", spec.forward, model.forward),
        ("Return, client to server", spec.return_, model.return_),
    ):
        lines += [f"{heading}:", *_direction(direction, described_direction)]
    return lines


def _direction(spec: DirectionSpec, model: DirectionDescription) -> Iterator[str]:
    yield f"  rate    {_core.format_rate(model.nominal_bps)}"
    for label, words in carrier_lines(spec.capacity, model):
        yield f"  {label:<7} {words}"
    yield f"  queue   {queue_words(spec.queue)}"
    yield f"  loss    {_loss(spec.loss)}"
    yield f"  delay   {_core.format_duration(spec.delay_ns)}"
    yield from _jitter(spec.jitter)
    if spec.schedule is not None:
        for place, words in enumerate(schedule_lines(spec.schedule, model, spec.delay_ns)):
            yield f"  {'' if place else 'path':<7} {words}"


def _loss(spec: LossSpec) -> str:
    match spec:
        case BernoulliLossSpec(p=p):
            return f"{exact_percent(p)} of the packets"
        case BitErrorLossSpec(ber=ber):
            return f"bit error ratio {ber:g}"
        case GilbertElliottLossSpec(p=p, r=r, h=h, k=k):
            return f"Gilbert-Elliott, p = {p:g}, r = {r:g}, h = {h:g}, k = {k:g}"
        case OutagesLossSpec(durations=kinds, period_ns=period_ns):
            total = sum(kind.weight for kind in kinds)
            lasting = (f"{kind.weight} x {_core.format_duration(kind.duration_ns)}" for kind in kinds)
            every = _core.format_duration(period_ns)
            return f"an outage in every {every}; of {total} last: {', '.join(lasting)}"
        case NoneLossSpec():
            return "none"


def _jitter(spec: JitterSpec) -> Iterator[str]:
    match spec:
        case NormalJitterSpec(sd_ns=sd_ns):
            yield f"  jitter  normal, standard deviation {_core.format_duration(sd_ns)}"
        case EmpiricalJitterSpec(hold_ns=hold_ns, quantiles=quantiles):
            yield f"  jitter  a value for every {_core.format_duration(hold_ns)}, by its quantiles:"
            for point in quantiles:
                yield f"          {exact_percent(point.p):>11}  {_offset(point.offset_ns)}"
        case NoneJitterSpec():
            yield "  jitter  none"


def _offset(ns: int) -> str:
    sign = {-1: "-", 0: " ", 1: "+"}[(ns > 0) - (ns < 0)]
    return sign + (_core.format_duration(abs(ns)) if ns else "0")
