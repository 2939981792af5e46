"""A satellite carrier of a resolved link for people, in words."""

from collections.abc import Iterator, Sequence

from bentpipe import _core
from bentpipe.cli.queue import queue_words
from bentpipe.model.description import DirectionDescription, Rcs2Description
from bentpipe.model.dvbs2 import (
    AdaptiveModulationSpec,
    AttenuationSpec,
    ByClassModulationSpec,
    ClassSpec,
    ConstantModulationSpec,
    CustomerSpec,
    Dvbs2CapacitySpec,
    EsN0Spec,
    GseDvbs2EncapsulationSpec,
    IdleSpec,
    LegSpec,
    LoadSpec,
    ModulationSpec,
    OnOffLoadSpec,
    PilotsSpec,
    PoissonLoadSpec,
    TraceLoadSpec,
)
from bentpipe.model.link import CapacitySpec
from bentpipe.model.rcs2 import (
    BackgroundSpec,
    Rcs2CapacitySpec,
    Rcs2EncapsulationSpec,
    RequestSlotSignallingSpec,
    RleRcs2EncapsulationSpec,
)
from bentpipe.scenario.link.mix_words import counted, mix_words

Line = tuple[str, str]
"""A label of at most seven letters, and what it labels."""

_PROTECTIONS = {"sequence": "a sequence number", "crc": "a CRC-32"}
_ORDERS = {"oldest-first": "the oldest", "largest-first": "the largest"}


def carrier_lines(capacity: CapacitySpec, described: DirectionDescription) -> Iterator[Line]:
    """The lines that describe a direction's carrier; none of a constant rate."""
    match capacity:
        case Dvbs2CapacitySpec():
            yield from _dvbs2(capacity)
        case Rcs2CapacitySpec():
            assert described.rcs2 is not None
            yield from _rcs2(capacity, described.rcs2)


def _dvbs2(spec: Dvbs2CapacitySpec) -> Iterator[Line]:
    pilots = "with pilots" if spec.pilots is PilotsSpec.ON else "without pilots"
    idle = "dummy frames when idle" if spec.idle is IdleSpec.DUMMY_FRAMES else "silent when idle"
    rate = f"{spec.symbols_per_s / 1e6:g} Msymbol/s"
    yield "carrier", f"DVB-S2, {rate}, {spec.fecframe} FECFRAMEs {pilots}, {idle}"
    yield "modcod", _modulation(spec.modulation)
    encapsulation = spec.encapsulation
    kind = encapsulation.kind.upper()
    label = ""
    if isinstance(encapsulation, GseDvbs2EncapsulationSpec):
        label = f", label of {encapsulation.label_bytes} B"
    timeout_ns = spec.closing_timeout_ns
    closing = (
        f"waits {_core.format_duration(timeout_ns)} for more" if timeout_ns else "does not wait for more"
    )
    yield "packets", f"{kind}{label}; a frame {closing}"
    if spec.scheduling_period_ns is not None:
        yield "steps", f"frames are filled every {_core.format_duration(spec.scheduling_period_ns)}"
    yield from _signal(spec.es_n0)
    for each in spec.classes:
        yield "class", _class(each)
    if spec.background:
        yield "others", f"{counted(len(spec.background), 'other customer')}; {_loads(spec.background)}"


def _modulation(spec: ModulationSpec) -> str:
    match spec:
        case ConstantModulationSpec(modcod=modcod):
            return f"{modcod} (CCM)"
        case ByClassModulationSpec(modcods=modcods):
            return f"{', '.join(modcods)} (VCM, in the order of the classes, others last)"
        case AdaptiveModulationSpec():
            period, delay = map(_core.format_duration, (spec.report_period_ns, spec.report_delay_ns))
            limits = f"margin {spec.margin_db:g} dB, hysteresis {spec.hysteresis_db:g} dB"
            return f"ACM, {limits}, a report every {period}, {delay} on its way"


def _rcs2(spec: Rcs2CapacitySpec, described: Rcs2Description) -> Iterator[Line]:
    layout, carried = spec.layout, described.slots.burst
    superframe_ms = described.slots.superframe_symbols / layout.symbols_per_s * 1e3
    requests, traffic = (
        counted(layout.request_slots, "request slot"),
        counted(layout.traffic_slots, "traffic slot"),
    )
    carriers = f"{counted(layout.carriers, 'carrier')} of {layout.symbols_per_s / 1e6:g} Msymbol/s"
    frames = f"{counted(layout.frames, 'frame')} of {requests}, {traffic}"
    yield "carrier", f"DVB-RCS2, {carriers}; superframe {superframe_ms:.2f} ms, {frames}"
    yield "burst", f"{carried.name}: {carried.payload_bytes} B"
    yield "packets", _return_encapsulation(spec.encapsulation)
    yield "demand", f"{mix_words(spec.mix)} (slots per superframe)"
    yield "request", _requests(spec)
    yield from _signal(spec.es_n0)
    for each in spec.classes:
        yield "class", f"{_class(each.class_)}; {mix_words(each.mix)}"
    if spec.background:
        yield "others", f"{counted(len(spec.background), 'other terminal')}; {_mixes(spec.background)}"


def _return_encapsulation(spec: Rcs2EncapsulationSpec) -> str:
    if not isinstance(spec, RleRcs2EncapsulationSpec):
        return spec.kind.upper()
    sizes = f"protocol type of {spec.protocol_bytes} B, label of {spec.label_bytes} B"
    return f"RLE, {sizes}, fragments guarded by {_PROTECTIONS[spec.protection]}"


def _requests(spec: Rcs2CapacitySpec) -> str:
    signalling = spec.signalling
    where = "in a request slot" if isinstance(signalling, RequestSlotSignallingSpec) else "in front of data"
    every = "every superframe" if signalling.period == 1 else f"every {signalling.period} superframes"
    up, lead = map(_core.format_duration, (spec.request_delay_ns, spec.lead_ns))
    return f"{where}, {every}; {up} on its way, planned {lead} ahead, {_ORDERS[spec.order]} volume first"


def _signal(es_n0: EsN0Spec) -> Iterator[Line]:
    both = {"up": es_n0.up, "down": es_n0.down}
    legs = (f"{name} {leg.clear_sky_db:g} dB" for name, leg in both.items())
    faded = [f"{name} {_attenuation(leg.attenuation)}" for name, leg in both.items() if _fades(leg)]
    yield "Es/N0", f"clear sky: {', '.join(legs)}" + "".join(f"; attenuation {words}" for words in faded)


def _fades(leg: LegSpec) -> bool:
    return any(point.db for point in leg.attenuation.points)


def _attenuation(spec: AttenuationSpec) -> str:
    most = max(point.db for point in spec.points)
    again = f", again every {_core.format_duration(spec.period_ns)}" if spec.period_ns else ""
    return f"up to {most:.3g} dB by {counted(len(spec.points), 'point')}{again}"


def _class(spec: ClassSpec) -> str:
    return f"{spec.name}: DSCP {', '.join(map(str, spec.dscp))}; {queue_words(spec.queue)}"


def _loads(customers: Sequence[CustomerSpec]) -> str:
    return "; ".join(dict.fromkeys(_load(customer.load) for customer in customers))


def _load(load: LoadSpec) -> str:
    match load:
        case TraceLoadSpec():
            return "packets of a file"
        case PoissonLoadSpec():
            return f"{_core.format_rate(load.rate_bps)} each"
        case OnOffLoadSpec():
            on, off = map(_core.format_duration, (load.on_ns, load.off_ns))
            return f"{_core.format_rate(load.rate_bps)} each for {on}, then none for {off} on average"


def _mixes(terminals: Sequence[BackgroundSpec]) -> str:
    return "; ".join(dict.fromkeys(mix_words(terminal.mix) or "nothing" for terminal in terminals))
