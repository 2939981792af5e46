"""A DVB-RCS2 return link, from what is written to the run specification."""

from collections.abc import Callable
from fractions import Fraction

from bentpipe import _core
from bentpipe.model.draft.rcs2 import (
    BurstSpec,
    DemandClassSpec,
    Rcs2CapacitySpec,
    Rcs2EncapsulationSpec,
    SignallingSpec,
)
from bentpipe.scenario import defaults
from bentpipe.scenario.link.background import background_specs
from bentpipe.scenario.link.carrier import UNKNOWN_BPS
from bentpipe.scenario.link.classes import Queue, class_specs
from bentpipe.scenario.link.description import describe_slots
from bentpipe.scenario.link.errors import slots_error
from bentpipe.scenario.link.layout import burst_spec, layout_spec
from bentpipe.scenario.link.mix import MixByName, Supply, mix_specs
from bentpipe.scenario.link.queue import ByteLimit
from bentpipe.scenario.link.signal import es_n0_spec
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.link_schema import ReturnTable
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.quantity import count, duration_ns, size_bytes
from bentpipe.scenario.written.satellite_schema import Rcs2Table, ReturnClassTable, SignallingTable
from bentpipe.scenario.written.table import or_default, refuse

MOST_PERIOD = 1000
MOST_REQUEST_BYTES = 100


def rcs2_spec(
    table: ReturnTable,
    where: Location,
    *,
    queue: Queue,
    background_limit: Callable[[ByteLimit], None],
    delay_ns: int,
    plan_delay_ns: int,
    mtu_bytes: int,
) -> Rcs2CapacitySpec:
    """Return the capacity of a direction that is a DVB-RCS2 return link.

    Parameters
    ----------
    table : ReturnTable
        The direction as written.
    where : Location
        Its place.
    queue : Queue
        Resolves the queues of its classes.
    background_limit : callable
        Puts in what waits at most in other terminals that do not say.
    delay_ns, plan_delay_ns : int
        Propagation from the terminal to the hub, and back.
    mtu_bytes : int
        The longest packet.

    Raises
    ------
    InputError
        For keys that do not belong together, and for values that no return link can have.
    """
    es_n0 = es_n0_spec(table, where)
    link, place = or_default(table.rcs2, Rcs2Table()), where.at("rcs2")
    burst_of_slot, layout = burst_spec(link, place), layout_spec(link, place)
    signalling = _signalling(or_default(link.signalling, SignallingTable()), place.at("signalling"))
    try:
        slots = describe_slots(layout, burst_of_slot)
    except _core.SpecError as error:
        raise slots_error(error, table, where) from None
    supply = Supply(
        columns=slots.columns,
        payload_bytes=slots.burst.payload_bytes,
        superframe_s=Fraction(slots.superframe_symbols, layout["symbols_per_s"]),
        request_period=signalling["period"],
    )
    mix = mix_specs(table.mixes, where.at("mixes"), supply=supply)
    placement = or_default(link.placement, defaults.PLACEMENT)
    order = or_default(link.order, defaults.VOLUME_ORDER)
    return {
        "kind": "rcs2",
        "nominal_bps": UNKNOWN_BPS,
        "layout": layout,
        "burst": burst_of_slot,
        "encapsulation": _encapsulation(link, place, burst=burst_of_slot),
        # The one-way delay; the burst's own end is when it is all there.
        "request_delay_ns": delay_ns,
        # The one-way delay too: the controller plans as late as it can, unless the scenario says otherwise.
        "lead_ns": plan_delay_ns if link.lead is None else duration_ns(link.lead, place.at("lead")),
        "signalling": signalling,
        "placement": vocabulary.PLACEMENT.checked(placement, place.at("placement")),
        "order": vocabulary.VOLUME_ORDER.checked(order, place.at("order")),
        "es_n0": es_n0,
        "mix": mix(or_default(table.dama, defaults.DAMA_RCS2), where.at("dama")),
        "classes": _classes(or_default(table.classes, []), where.at("classes"), queue=queue, mix=mix),
        "background": background_specs(
            or_default(table.background, []),
            where.at("background"),
            mix=mix,
            default_limit=background_limit,
            mtu_bytes=mtu_bytes,
        ),
    }


def _classes(
    tables: list[ReturnClassTable],
    where: Location,
    *,
    queue: Queue,
    mix: MixByName,
) -> list[DemandClassSpec]:
    specs = class_specs(tables, where, queue=queue)
    classes: list[DemandClassSpec] = []
    for number, (table, spec) in enumerate(zip(tables, specs, strict=True), start=1):
        place = where.at(f"{number}.mix")
        if table.mix is None:
            # Without capacity of its own it could never ask for any.
            raise place.error(expected="the name of a mix, for a class has its own", found="nothing")
        classes.append({"class": spec, "mix": mix(table.mix, place)})
    return classes


def _signalling(table: SignallingTable, where: Location) -> SignallingSpec:
    period = count(
        or_default(table.period, defaults.REQUEST_PERIOD), where.at("period"), least=1, most=MOST_PERIOD
    )
    if table.size is None:
        return {"kind": "request-slot", "period": period}
    size = size_bytes(table.size, where.at("size"), most=MOST_REQUEST_BYTES)
    return {"kind": "piggyback", "period": period, "bytes": size}


def _encapsulation(link: Rcs2Table, where: Location, *, burst: BurstSpec) -> Rcs2EncapsulationSpec:
    # What the standard of either kind of burst was given for IP: TS 103 179; EN 301 790 clause 5.1.
    own = {"waveform": "rle", "mpeg": "mpe"}[burst["kind"]]
    written, place = or_default(link.encapsulation, own), where.at("encapsulation")
    kind = vocabulary.RCS2_ENCAPSULATION.checked(written, place)
    if (kind == "rle") != (burst["kind"] == "waveform"):
        expected = '"rle" in bursts of a waveform, "mpe" or "ule" in bursts of MPEG packets'
        raise place.error(expected=expected, found=f'"{kind}" in a burst of kind {burst["kind"]}')
    if kind != "rle":
        refuse(link, ("label", "protocol", "protection"), where, why=f"{kind} has none")
        return {"kind": "mpe"} if kind == "mpe" else {"kind": "ule"}
    protocol = vocabulary.RLE_PROTOCOL.checked(
        or_default(link.protocol, defaults.RLE_PROTOCOL), where.at("protocol")
    )
    label = vocabulary.LABEL.checked(or_default(link.label, defaults.RLE_LABEL), where.at("label"))
    protection = or_default(link.protection, defaults.RLE_PROTECTION)
    return {
        "kind": kind,
        "protocol_bytes": int(protocol.removesuffix("B")),
        "label_bytes": int(label.removesuffix("B")),
        "protection": vocabulary.RLE_PROTECTION.checked(protection, where.at("protection")),
    }
