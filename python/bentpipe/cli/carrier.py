"""A satellite carrier of a resolved link for people, in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bentpipe import _core
from bentpipe.cli.queue import queue_words
from bentpipe.scenario.link.description import DirectionDescription, Rcs2Description
from bentpipe.scenario.link.mix_words import counted, mix_words

Part = Mapping[str, Any]
Line = tuple[str, str]
"""A label of at most seven letters, and what it labels."""

_PROTECTIONS = {"sequence": "a sequence number", "crc": "a CRC-32"}
_ORDERS = {"oldest-first": "the oldest", "largest-first": "the largest"}


def carrier_lines(capacity: Part, described: DirectionDescription) -> Iterator[Line]:
    """The lines that describe a direction's carrier; none of a constant rate."""
    if described.dvbs2 is not None:
        yield from _dvbs2(capacity)
    elif described.rcs2 is not None:
        yield from _rcs2(capacity, described.rcs2)


def _dvbs2(spec: Part) -> Iterator[Line]:
    pilots = "with pilots" if spec["pilots"] == "on" else "without pilots"
    idle = "dummy frames when idle" if spec["idle"] == "dummy-frames" else "silent when idle"
    rate = f"{spec['symbols_per_s'] / 1e6:g} Msymbol/s"
    yield "carrier", f"DVB-S2, {rate}, {spec['fecframe']} FECFRAMEs {pilots}, {idle}"
    yield "modcod", _modulation(spec["modulation"])
    encapsulation = spec["encapsulation"]
    kind = encapsulation["kind"].upper()
    label = f", label of {encapsulation['label_bytes']} B" if "label_bytes" in encapsulation else ""
    timeout_ns = spec["closing_timeout_ns"]
    closing = (
        f"waits {_core.format_duration(timeout_ns)} for more" if timeout_ns else "does not wait for more"
    )
    yield "packets", f"{kind}{label}; a frame {closing}"
    yield from _signal(spec["es_n0"])
    for each in spec["classes"]:
        yield "class", _class(each)


def _modulation(spec: Part) -> str:
    match spec["kind"]:
        case "constant":
            return f"{spec['modcod']} (CCM)"
        case "by-class":
            return f"{', '.join(spec['modcods'])} (VCM, in the order of the classes, others last)"
        case _:
            period, delay = (_core.format_duration(spec[f"report_{key}_ns"]) for key in ("period", "delay"))
            limits = f"margin {spec['margin_db']:g} dB, hysteresis {spec['hysteresis_db']:g} dB"
            return f"ACM, {limits}, a report every {period}, {delay} on its way"


def _rcs2(spec: Part, described: Rcs2Description) -> Iterator[Line]:
    layout, carried = spec["layout"], described.slots.burst
    superframe_ms = described.slots.superframe_symbols / layout["symbols_per_s"] * 1e3
    slots = ", ".join(counted(layout[f"{kind}_slots"], f"{kind} slot") for kind in ("request", "traffic"))
    carriers = f"{counted(layout['carriers'], 'carrier')} of {layout['symbols_per_s'] / 1e6:g} Msymbol/s"
    frames = f"{counted(layout['frames'], 'frame')} of {slots}"
    yield "carrier", f"DVB-RCS2, {carriers}; superframe {superframe_ms:.2f} ms, {frames}"
    yield "burst", f"{carried.name}: {carried.payload_bytes} B"
    yield "packets", _return_encapsulation(spec["encapsulation"])
    yield "demand", f"{mix_words(spec['mix'])} (slots per superframe)"
    yield "request", _requests(spec)
    yield from _signal(spec["es_n0"])
    for each in spec["classes"]:
        yield "class", f"{_class(each['class'])}; {mix_words(each['mix'])}"
    if spec["background"]:
        yield "others", f"{counted(len(spec['background']), 'other terminal')}; {_mixes(spec['background'])}"


def _return_encapsulation(spec: Part) -> str:
    if spec["kind"] != "rle":
        return str(spec["kind"].upper())
    sizes = f"protocol type of {spec['protocol_bytes']} B, label of {spec['label_bytes']} B"
    return f"RLE, {sizes}, fragments guarded by {_PROTECTIONS[spec['protection']]}"


def _requests(spec: Part) -> str:
    signalling = spec["signalling"]
    where = "in a request slot" if signalling["kind"] == "request-slot" else "in front of data"
    every = "every superframe" if signalling["period"] == 1 else f"every {signalling['period']} superframes"
    up, lead = (_core.format_duration(spec[key]) for key in ("request_delay_ns", "lead_ns"))
    return f"{where}, {every}; {up} on its way, planned {lead} ahead, {_ORDERS[spec['order']]} volume first"


def _signal(es_n0: Part) -> Iterator[Line]:
    legs = (f"{leg} {es_n0[leg]['clear_sky_db']:g} dB" for leg in ("up", "down"))
    faded = [
        f"{leg} {_attenuation(es_n0[leg]['attenuation'])}" for leg in ("up", "down") if _fades(es_n0[leg])
    ]
    yield "Es/N0", f"clear sky: {', '.join(legs)}" + "".join(f"; attenuation {words}" for words in faded)


def _fades(leg: Part) -> bool:
    return any(point["db"] for point in leg["attenuation"]["points"])


def _attenuation(spec: Part) -> str:
    most = max(point["db"] for point in spec["points"])
    again = f", again every {_core.format_duration(spec['period_ns'])}" if spec["period_ns"] else ""
    return f"up to {most:.3g} dB by {counted(len(spec['points']), 'point')}{again}"


def _class(spec: Part) -> str:
    return f"{spec['name']}: DSCP {', '.join(map(str, spec['dscp']))}; {queue_words(spec['queue'])}"


def _mixes(terminals: Sequence[Part]) -> str:
    return "; ".join(dict.fromkeys(mix_words(terminal["mix"]) or "nothing" for terminal in terminals))
