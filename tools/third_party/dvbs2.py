"""DVB-S2: every MODCOD on every frame, with pilots and without, against the tables of ETSI EN 302 307-1.

What the standard prints stands here as it prints it; what follows from it is computed from these numbers by
the formula of the clause that is named.
"""

from collections.abc import Iterator

from bentpipe import _core
from bentpipe.model.description import ModcodDescription
from bentpipe.model.dvbs2 import Dvbs2CapacitySpec
from bentpipe.model.link import LinkSpec
from bentpipe.scenario.link.description import describe_link
from tools.specs import spec_of
from tools.third_party.check import Case, Check, Result

_TABLE_13 = {
    "QPSK 1/4": (0.490243, -2.35),
    "QPSK 1/3": (0.656448, -1.24),
    "QPSK 2/5": (0.789412, -0.30),
    "QPSK 1/2": (0.988858, 1.00),
    "QPSK 3/5": (1.188304, 2.23),
    "QPSK 2/3": (1.322253, 3.10),
    "QPSK 3/4": (1.487473, 4.03),
    "QPSK 4/5": (1.587196, 4.68),
    "QPSK 5/6": (1.654663, 5.18),
    "QPSK 8/9": (1.766451, 6.20),
    "QPSK 9/10": (1.788612, 6.42),
    "8PSK 3/5": (1.779991, 5.50),
    "8PSK 2/3": (1.980636, 6.62),
    "8PSK 3/4": (2.228124, 7.91),
    "8PSK 5/6": (2.478562, 9.35),
    "8PSK 8/9": (2.646012, 10.69),
    "8PSK 9/10": (2.679207, 10.98),
    "16APSK 2/3": (2.637201, 8.97),
    "16APSK 3/4": (2.966728, 10.21),
    "16APSK 4/5": (3.165623, 11.03),
    "16APSK 5/6": (3.300184, 11.61),
    "16APSK 8/9": (3.523143, 12.89),
    "16APSK 9/10": (3.567342, 13.13),
    "32APSK 3/4": (3.703295, 12.73),
    "32APSK 4/5": (3.951571, 13.64),
    "32APSK 5/6": (4.119540, 14.28),
    "32APSK 8/9": (4.397854, 15.69),
    "32APSK 9/10": (4.453027, 16.05),
}
"""Spectral efficiency and ideal Es/N0 in dB: normal FECFRAMEs without pilots. In the order of Table 12."""

_TABLES_5 = {
    "normal": {
        "1/4": 16_008, "1/3": 21_408, "2/5": 25_728, "1/2": 32_208, "3/5": 38_688, "2/3": 43_040,
        "3/4": 48_408, "4/5": 51_648, "5/6": 53_840, "8/9": 57_472, "9/10": 58_192,
    },
    "short": {
        "1/4": 3_072, "1/3": 5_232, "2/5": 6_312, "1/2": 7_032, "3/5": 9_552, "2/3": 10_632,
        "3/4": 11_712, "4/5": 12_432, "5/6": 13_152, "8/9": 14_232,
    },
}  # fmt: skip
"""K_bch in bits, Table 5a for normal FECFRAMEs and Table 5b for short ones, which have no rate of 9/10."""

_TABLE_11 = {
    "normal": {"QPSK": 360, "8PSK": 240, "16APSK": 180, "32APSK": 144},
    "short": {"QPSK": 90, "8PSK": 60, "16APSK": 45, "32APSK": 36},
}
"""Slots of 90 symbols of a FECFRAME."""

_BBHEADER_BITS = 80
_SYMBOLS_PER_S = 30_000_000
_PACKET_BYTES = 1500
_GSE_TOLERANCE = 0.002
"""Where packets are cut differs from frame to frame; the formula has the mean."""


def run() -> Result:
    """Compare all that a MODCOD comes to."""
    return Result(versions={"EN 302 307-1": "V1.4.1"}, cases=list(_cases()))


def _cases() -> Iterator[Case]:
    for fecframe in ("normal", "short"):
        for pilots in ("off", "on"):
            ours = {
                row["name"]: ModcodDescription(**row)
                for row in _core.modcods(fecframe=fecframe, pilots=pilots)
            }
            yield _names(ours, fecframe, pilots)
            for name, modcod in ours.items():
                yield from _modcod(modcod, name, fecframe, pilots)


def _names(ours: dict[str, ModcodDescription], fecframe: str, pilots: str) -> Case:
    """Compare which MODCODs there are, and their order: Table 12 numbers them from 1."""
    numbered = enumerate(_TABLE_13, start=1)
    expected = {name: number for number, name in numbered if _rate(name) in _TABLES_5[fecframe]}
    found = {name: modcod.number for name, modcod in ours.items()}
    fault = None if found == expected else f"expected {expected}, found {found}"
    return Case.judged("Table 12: numbers of MODCODs", f"{fecframe}, pilots {pilots}", fault)


def _modcod(ours: ModcodDescription, name: str, fecframe: str, pilots: str) -> Iterator[Case]:
    what = f"{name}, {fecframe}, pilots {pilots}"
    k_bch, symbols = _TABLES_5[fecframe][_rate(name)], _symbols(name, fecframe, pilots)
    yield _equal("Tables 5a and 5b: K_bch", what, k_bch, ours.bits + _BBHEADER_BITS)
    yield _equal("Table 11 and clause 5.5: symbols of a PLFRAME", what, symbols, ours.symbols)
    if (fecframe, pilots) == ("normal", "off"):
        efficiency, es_n0_db = _TABLE_13[name]
        yield _equal("Table 13: spectral efficiency", what, efficiency, round(ours.spectral_efficiency, 6))
        yield _equal("Table 13: ideal Es/N0", what, es_n0_db, ours.threshold_db)
    net_bps = _SYMBOLS_PER_S * (k_bch - _BBHEADER_BITS) / symbols
    found_bps = _SYMBOLS_PER_S * ours.spectral_efficiency
    yield _equal("Net rate of the data field, bit/s", what, round(net_bps), round(found_bps))
    ip_bps, found_ip_bps = _ip_bps(k_bch, symbols), _nominal_bps(name, fecframe, pilots)
    fault = f"expected {ip_bps:.0f}, found {found_ip_bps}"
    is_near = abs(found_ip_bps / ip_bps - 1) < _GSE_TOLERANCE
    yield Case.judged("Net rate of IP packets in GSE, bit/s", what, None if is_near else fault)


def _symbols(name: str, fecframe: str, pilots: str) -> int:
    """Count a PLFRAME: a header of one slot, and 36 pilots after every 16 slots but the last (clause 5.5)."""
    slots = _TABLE_11[fecframe][name.partition(" ")[0]]
    return 90 * (slots + 1) + (36 * ((slots - 1) // 16) if pilots == "on" else 0)


def _ip_bps(k_bch: int, symbols: int) -> float:
    """Return the rate of packets without labels, one after the other (TS 102 606-1 clause 4.2.1).

    Each has a header of 4 bytes. A frame ends within a packet, which costs 3 more of a later header; and each
    packet that is cut has 7 more: Frag ID, Total Length, CRC-32.
    """
    data_field_bytes = (k_bch - _BBHEADER_BITS) / 8
    cut = min(data_field_bytes / (_PACKET_BYTES + 4), 1.0)
    payload_bytes = (data_field_bytes - 3 - 7 * cut) * _PACKET_BYTES / (_PACKET_BYTES + 4)
    return _SYMBOLS_PER_S / symbols * payload_bytes * 8


def _nominal_bps(name: str, fecframe: str, pilots: str) -> int:
    """Return the rate that a link with such a carrier has, as Bentpipe says it of links."""
    link = spec_of({"link": "geo-alshagri", "ping": {}}).link
    carrier = link.forward.capacity
    assert isinstance(carrier, Dvbs2CapacitySpec)
    changed = {
        "symbols_per_s": _SYMBOLS_PER_S,
        "fecframe": fecframe,
        "pilots": pilots,
        "encapsulation": {"kind": "gse", "label_bytes": 0},
        "modulation": {"kind": "constant", "modcod": name},
    }
    document = link.model_dump(by_alias=True, exclude_unset=True)
    document["mtu_bytes"] = _PACKET_BYTES
    document["forward"]["capacity"].update(changed)
    return describe_link(LinkSpec.model_validate(document)).forward.nominal_bps


def _equal(group: str, name: str, expected: float, found: float) -> Case:
    return Case.judged(group, name, None if expected == found else f"expected {expected}, found {found}")


def _rate(name: str) -> str:
    return name.partition(" ")[2]


CHECK = Check(
    name="dvbs2",
    title="DVB-S2: rates of every MODCOD, frame and pilot setting",
    about="""\
28 MODCODs on normal and 24 on short frames, with and without pilots, must equal ETSI EN 302 307-1 V1.4.1. The
rate of 1500-byte IP packets in GSE (ETSI TS 102 606-1) may differ by 0.2 % by where frames cut packets.""",
    run=run,
)
