"""A resolved link for people: each direction's parts in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from bentpipe import _core
from bentpipe.cli.carrier import carrier_lines
from bentpipe.cli.queue import exact_percent, queue_words
from bentpipe.scenario.link.description import DirectionDescription, describe_link
from bentpipe.scenario.spec.link import LinkSpec

Part = Mapping[str, Any]


def described(spec: LinkSpec) -> list[str]:
    """Return the lines that describe a link specification."""
    lines, model = [f"Largest packet: {spec['mtu_bytes']} B"], describe_link(spec)
    for heading, way, described_way in (
        ("Forward, server to client", spec["forward"], model.forward),
        ("Return, client to server", spec["return"], model.return_),
    ):
        lines += [f"{heading}:", *_direction(way, described_way)]
    return lines


def _direction(spec: Part, model: DirectionDescription) -> Iterator[str]:
    yield f"  rate    {_core.format_rate(model.nominal_bps)}"
    for label, words in carrier_lines(spec["capacity"], model):
        yield f"  {label:<7} {words}"
    yield f"  queue   {queue_words(spec['queue'])}"
    yield f"  loss    {_loss(spec['loss'])}"
    yield f"  delay   {_core.format_duration(spec['delay_ns'])}"
    yield from _jitter(spec["jitter"])


def _loss(spec: Part) -> str:
    match spec["kind"]:
        case "bernoulli":
            return f"{exact_percent(spec['p'])} of the packets"
        case "bit-error":
            return f"bit error ratio {spec['ber']:g}"
        case "gilbert-elliott":
            return "Gilbert-Elliott, " + ", ".join(f"{key} = {spec[key]:g}" for key in ("p", "r", "h", "k"))
        case "outages":
            kinds = spec["durations"]
            total = sum(kind["weight"] for kind in kinds)
            lasting = (f"{kind['weight']} x {_core.format_duration(kind['duration_ns'])}" for kind in kinds)
            every = _core.format_duration(spec["period_ns"])
            return f"an outage in every {every}; of {total} last: {', '.join(lasting)}"
        case _:
            return "none"


def _jitter(spec: Part) -> Iterator[str]:
    match spec["kind"]:
        case "normal":
            yield f"  jitter  normal, standard deviation {_core.format_duration(spec['sd_ns'])}"
        case "empirical":
            hold = _core.format_duration(spec["hold_ns"])
            yield f"  jitter  a value for every {hold}, by its quantiles:"
            for point in spec["quantiles"]:
                yield f"          {exact_percent(point['p']):>11}  {_offset(point['offset_ns'])}"
        case _:
            yield "  jitter  none"


def _offset(ns: int) -> str:
    sign = {-1: "-", 0: " ", 1: "+"}[(ns > 0) - (ns < 0)]
    return sign + (_core.format_duration(abs(ns)) if ns else "0")
