"""A DVB-S2 carrier, from what is written to the run specification."""

from collections.abc import Callable, Sequence

from bentpipe import _core
from bentpipe.model.draft.dvbs2 import (
    AdaptiveModulationSpec,
    Dvbs2CapacitySpec,
    Dvbs2EncapsulationSpec,
    ModulationSpec,
)
from bentpipe.scenario import defaults
from bentpipe.scenario.link.background import customer_specs
from bentpipe.scenario.link.carrier import UNKNOWN_BPS, symbol_rate
from bentpipe.scenario.link.classes import Queue, class_specs
from bentpipe.scenario.link.queue import ByteLimit
from bentpipe.scenario.link.signal import es_n0_spec
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.link_schema import ForwardTable
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.quantity import decibels, duration_ns
from bentpipe.scenario.written.satellite_schema import AcmTable, Dvbs2Table, ForwardClassTable
from bentpipe.scenario.written.table import or_default, refuse

MOST_MARGIN_DB = 20
SHORTEST_REPORT_PERIOD_NS = 1_000_000
SHORTEST_SCHEDULING_PERIOD_NS = 1_000


def dvbs2_spec(
    table: ForwardTable,
    where: Location,
    *,
    queue: Queue,
    background_limit: Callable[[ByteLimit], None],
    report_delay_ns: int,
    mtu_bytes: int,
) -> Dvbs2CapacitySpec:
    """Return the capacity of a direction that is a DVB-S2 carrier.

    Parameters
    ----------
    table : ForwardTable
        The direction as written.
    where : Location
        Its place.
    queue : Queue
        Resolves the queues of its classes.
    background_limit : callable
        Puts in what waits at most of other customers that do not say.
    report_delay_ns : int
        How long a report of the terminal takes to the gateway, if the scenario does not say.
    mtu_bytes : int
        The longest packet.

    Raises
    ------
    InputError
        For keys that do not belong together, and for values that no carrier can have.
    """
    es_n0 = es_n0_spec(table, where)
    carrier, place = or_default(table.dvbs2, Dvbs2Table()), where.at("dvbs2")
    pilots = or_default(carrier.pilots, defaults.PILOTS)
    idle = or_default(carrier.idle, defaults.IDLE)
    timeout = or_default(carrier.closing_timeout, defaults.CLOSING_TIMEOUT)
    classes = or_default(table.classes, [])
    fecframe = vocabulary.FECFRAME.checked(
        or_default(carrier.fecframe, defaults.FECFRAME), place.at("fecframe")
    )
    spec: Dvbs2CapacitySpec = {
        "kind": "dvbs2",
        "nominal_bps": UNKNOWN_BPS,
        "symbols_per_s": symbol_rate(carrier, place),
        "fecframe": fecframe,
        "pilots": vocabulary.PILOTS.checked(pilots, place.at("pilots")),
        "idle": vocabulary.IDLE.checked(idle, place.at("idle")),
        "closing_timeout_ns": duration_ns(timeout, place.at("closing_timeout")),
        "encapsulation": _encapsulation(carrier, place),
        "modulation": _modulation(
            carrier, table.acm, classes, where, fecframe=fecframe, report_delay_ns=report_delay_ns
        ),
        "es_n0": es_n0,
        "classes": class_specs(classes, where.at("classes"), queue=queue),
    }
    if table.background:
        spec["background"] = customer_specs(
            table.background, where.at("background"), default_limit=background_limit, mtu_bytes=mtu_bytes
        )
    if carrier.scheduling_period is not None:
        spec["scheduling_period_ns"] = duration_ns(
            carrier.scheduling_period,
            place.at("scheduling_period"),
            least_ns=SHORTEST_SCHEDULING_PERIOD_NS,
        )
    return spec


def _encapsulation(carrier: Dvbs2Table, where: Location) -> Dvbs2EncapsulationSpec:
    written = or_default(carrier.encapsulation, defaults.DVBS2_ENCAPSULATION)
    kind = vocabulary.DVBS2_ENCAPSULATION.checked(written, where.at("encapsulation"))
    if kind != "gse":
        refuse(carrier, ("label",), where, why=f"{kind} has no label")
        return {"kind": "mpe"} if kind == "mpe" else {"kind": "ule"}
    label = vocabulary.LABEL.checked(or_default(carrier.label, defaults.DVBS2_LABEL), where.at("label"))
    return {"kind": kind, "label_bytes": int(label.removesuffix("B"))}


def _modulation(
    carrier: Dvbs2Table,
    acm: AcmTable | None,
    classes: Sequence[ForwardClassTable],
    where: Location,
    *,
    fecframe: str,
    report_delay_ns: int,
) -> ModulationSpec:
    """Return CCM, VCM or ACM: a MODCOD, one of classes too, or the table acm."""
    if acm is not None:
        why = "acm decides on the MODCOD"
        refuse(carrier, ("modcod",), where.at("dvbs2"), why=why)
        for number, table in enumerate(classes, start=1):
            refuse(table, ("modcod",), where.at(f"classes.{number}"), why=why)
        return _acm(acm, where.at("acm"), report_delay_ns=report_delay_ns)
    place = where.at("dvbs2.modcod")
    if carrier.modcod is None:
        raise place.error(expected='a MODCOD such as "8PSK 3/4", or the table acm', found="nothing")
    modcod = _modcod(carrier.modcod, place, fecframe=fecframe)
    own = [table.modcod for table in classes]
    if not any(own):
        return {"kind": "constant", "modcod": modcod}
    of_classes = [
        modcod if name is None else _modcod(name, where.at(f"classes.{number}.modcod"), fecframe=fecframe)
        for number, name in enumerate(own, start=1)
    ]
    return {"kind": "by-class", "modcods": [*of_classes, modcod]}


def _modcod(name: str, where: Location, *, fecframe: str) -> str:
    names = [modcod["name"] for modcod in _core.modcods(fecframe=fecframe, pilots="off")]
    if name in names:
        return name
    expected = f"one of {', '.join(names)} with {fecframe} frames"
    raise where.error(expected=expected, found=quoted(name), suggestion=closest(name, names))


def _acm(table: AcmTable, where: Location, *, report_delay_ns: int) -> AdaptiveModulationSpec:
    margin, hysteresis = (
        decibels(text, where.at(key), least=0, most=MOST_MARGIN_DB)
        for key, text in (
            ("margin", or_default(table.margin, defaults.ACM_MARGIN)),
            ("hysteresis", or_default(table.hysteresis, defaults.ACM_HYSTERESIS)),
        )
    )
    if table.report_delay is not None:
        report_delay_ns = duration_ns(table.report_delay, where.at("report_delay"))
    return {
        "kind": "adaptive",
        "margin_db": margin,
        "hysteresis_db": hysteresis,
        "report_period_ns": duration_ns(
            or_default(table.report_period, defaults.ACM_REPORT_PERIOD),
            where.at("report_period"),
            least_ns=SHORTEST_REPORT_PERIOD_NS,
        ),
        "report_delay_ns": report_delay_ns,
    }
