"""Links that chance chooses: pipes, presets, carriers, paths that change; queues, losses, delay variation."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from bentpipe.scenario.written.toml import TomlTable
from tools.agreement_random.draw import Draw, duration_text, rate_text, size_text

Direction: TypeAlias = TomlTable
"""A table `forward` or `return` of a link."""

LEAST_RTT_S, MOST_RTT_S = 0.02, 0.8
LEAST_BPS, MOST_BPS = 1e6, 200e6
LEAST_UP_BPS = 128e3
MOST_ASYMMETRY = 32
"""Down over up; beyond 40 to 80 acknowledgements of TCP fill the return direction."""

FLAT = (
    "lan",
    "geo-alshagri-flat",
    "geo-hylas2-flat",
    "geo-snep-flat",
    "geo-viasat2-flat",
    "geo-viasat2-pipe",
)
SATELLITE = ("geo-alshagri", "geo-hylas2", "geo-snep", "geo-viasat2")
ON_DEMAND = ("geo-alshagri", "geo-hylas2", "geo-snep")
"""Those with timeslots on the return link."""
CHANGING = (
    "leo-starlink",
    "leo-starlink-inactive",
    "leo-starlink-isl",
    "leo-oneweb",
    "meo-o3b",
    "geo-vehicle",
)
RECORDING = "data/agreement/starlink-path.csv"
"""40 s of a path, from the folder of the project."""
MIXES = ("cra", "rbdc", "vbdc", "avbdc", "mixed")
MODCODS = ("QPSK 1/2", "QPSK 3/4", "8PSK 2/3", "8PSK 3/4", "16APSK 3/4", "16APSK 5/6")
"""Quasi-error-free at the 17 dB of a clear sky that nothing is said of."""
WAVEFORMS = (3, 5, 8, 10, 12, 14, 18, 22)
SLOT_SYMBOLS = 540
"""About those of a short burst with its guard: so many slots make a superframe of a wanted length."""
CLASS = "EF"
"""What packets are marked with that go before others, where a link has a class for them."""


def drawn_link(draw: Draw) -> TomlTable:
    """Return a link as a scenario may write it; it may be refused all the same."""
    return draw.weighted(_KINDS)(draw)


def _pipe(draw: Draw) -> TomlTable:
    down_bps = draw.log_between(LEAST_BPS, MOST_BPS)
    up_bps = max(LEAST_UP_BPS, down_bps / draw.log_between(1, MOST_ASYMMETRY))
    link: TomlTable = {
        "forward": {"rate": rate_text(down_bps), "queue": _queue(draw)},
        "return": {"rate": rate_text(up_bps), "queue": _queue(draw)},
    }
    if draw.happens(0.1):
        for name in ("forward", "return"):
            _direction(link, name)["delay"] = draw.duration(LEAST_RTT_S / 2, MOST_RTT_S / 2)
    else:
        link["rtt"] = draw.duration(LEAST_RTT_S, MOST_RTT_S)
    if draw.happens(0.08):
        link["mtu"] = draw.one_of("1280 B", "1400 B", "9000 B")
    return _impaired(draw, link)


def _flat_preset(draw: Draw) -> TomlTable:
    link: TomlTable = {"base": draw.one_of(*FLAT)}
    return _impaired(draw, link) if draw.happens(0.5) else link


def _satellite_preset(draw: Draw) -> TomlTable:
    base = draw.one_of(*SATELLITE)
    link: TomlTable = {"base": base}
    if base in ON_DEMAND and draw.happens(0.7):
        _direction(link, "return")["dama"] = draw.one_of(*MIXES)
    return _weathered(draw, _shared(draw, link, has_slots=base in ON_DEMAND))


def _own_carriers(draw: Draw) -> TomlTable:
    kinds = draw.one_of("dvbs2", "rcs2", "both", "both")
    link: TomlTable = {"rtt": draw.duration(0.45, 0.65)}
    if kinds == "rcs2":
        link["forward"] = {"rate": draw.rate(LEAST_BPS, 50e6), "queue": _queue(draw)}
    else:
        link["forward"] = _dvbs2(draw)
    if kinds == "dvbs2":
        link["return"] = {"rate": draw.rate(LEAST_UP_BPS, 10e6), "queue": _queue(draw)}
        return _weathered(draw, link)
    link["return"] = _rcs2(draw)
    return link if kinds == "rcs2" else _weathered(draw, _shared(draw, link, has_slots=True))


def _dvbs2(draw: Draw) -> Direction:
    carrier: TomlTable = {
        "symbol_rate": f"{draw.log_between(0.8, 40):.3g} Msym/s",
        "fecframe": draw.one_of("normal", "short"),
        "pilots": draw.one_of("on", "off"),
        "encapsulation": draw.one_of("gse", "gse", "mpe", "ule"),
    }
    forward: TomlTable = {"dvbs2": carrier, "queue": _queue(draw)}
    if draw.happens(0.2):
        carrier["idle"] = "silence"
    if draw.happens(0.15):
        carrier["scheduling_period"] = draw.duration(0.002, 0.02)
    if draw.happens(0.15):
        carrier["closing_timeout"] = draw.duration(0.001, 0.01)
    if draw.happens(0.5):
        carrier["modcod"] = draw.one_of(*MODCODS)
    else:
        forward["acm"] = {"margin": draw.one_of("0 dB", "0.5 dB", "1 dB", "2 dB")}
        forward["clear_sky"] = {"up": "20 dB", "down": f"{draw.between(7, 20):.1f} dB"}
    return forward


def _rcs2(draw: Draw) -> Direction:
    symbol_rate, superframe_s = draw.log_between(0.2e6, 4e6), draw.log_between(0.02, 0.35)
    slots = max(4, int(symbol_rate * superframe_s / SLOT_SYMBOLS))
    return {
        "rcs2": {
            "symbol_rate": f"{symbol_rate / 1e3:.0f} ksym/s",
            "traffic_slots": slots,
            "request_slots": draw.one_of(1, 1, 2),
            "waveform": draw.one_of(*WAVEFORMS),
            "protection": draw.one_of("sequence", "crc"),
            "placement": draw.one_of("spread", "contiguous"),
        },
        "dama": draw.one_of(*MIXES),
        "queue": _queue(draw),
    }


def _shared(draw: Draw, link: TomlTable, *, has_slots: bool) -> TomlTable:
    """Return the link with others on its carriers, or with a class of packets that go first, or as it was."""
    forward, back = _direction(link, "forward"), _direction(link, "return")
    if draw.happens(0.2):
        forward["classes"] = [{"name": "urgent", "dscp": [CLASS], "queue": "100 packets"}]
        if has_slots:
            back["classes"] = [{"name": "urgent", "dscp": [CLASS], "mix": draw.one_of(*MIXES)}]
    if draw.happens(0.15):
        forward["background"] = [{"count": draw.count(1, 3), "load": draw.rate(0.1e6, 1e6)}]
    if has_slots and draw.happens(0.2):
        others: TomlTable = {"count": draw.count(1, 4), "mix": draw.one_of(*MIXES)}
        others["load"] = draw.rate(20e3, 100e3)
        if draw.happens(0.5):
            others |= {"on": draw.duration(0.2, 2), "off": draw.duration(0.2, 2)}
        back["background"] = [others]
    return _without_empty(link)


def _weathered(draw: Draw, link: TomlTable) -> TomlTable:
    """Return the link with a fade or rain on the way down to the terminal, or as it was."""
    forward = _direction(link, "forward")
    weather = draw.weighted({"clear": 7, "steady": 1, "fade": 1.5, "rain": 0.5})
    if weather == "steady":
        forward["attenuation"] = {"down": f"{draw.between(0.5, 6):.1f} dB"}
    elif weather == "fade":
        fade = {"depth": f"{draw.between(2, 12):.1f} dB", "start": draw.duration(0.5, 4)}
        fade |= {name: draw.duration(0.5, 6) for name in ("rise", "lasting", "fall")}
        forward["attenuation"] = {"down": fade}
    elif weather == "rain":
        forward["attenuation"] = {"down": {"rain": _rain(draw)}}
    return _without_empty(link)


def _rain(draw: Draw) -> TomlTable:
    return {
        "latitude": "57.15 deg",
        "longitude": "-2.1 deg",
        "frequency": draw.one_of("12 GHz", "19.7 GHz"),
        "elevation": "21 deg",
        "duration": "1 min",
        "hours": 240,
        "seed": draw.count(1, 1000),
    }


def _constellation(draw: Draw) -> TomlTable:
    base = draw.one_of(*CHANGING)
    link: TomlTable = {"base": base}
    if base.startswith("leo-starlink") and draw.happens(0.3):
        link["epochs"] = {"silence": {"state": draw.one_of("hold", "lose", "none")}}
    if draw.happens(0.4):
        # The path alone: without what is drawn for each packet.
        for name in ("forward", "return"):
            _direction(link, name).update({"jitter": "0 ms", "loss": 0})
    return link


def _recording(draw: Draw) -> TomlTable:
    return {
        "trace": {"file": RECORDING, "offset": f"{draw.between(0, 20):.1f} s"},
        "forward": {"queue": _queue(draw)},
        "return": {"queue": _queue(draw)},
    }


def _own_epochs(draw: Draw) -> TomlTable:
    rtt_s = draw.log_between(LEAST_RTT_S, 0.2)
    silence: TomlTable = {"state": draw.one_of("hold", "lose"), "median": "80 ms", "p90": "160 ms"}
    variation: TomlTable = {"between": draw.fraction(0.05, 0.3), "within": draw.fraction(0.02, 0.1)}
    return {
        "rtt": duration_text(rtt_s),
        "epochs": {
            "period": draw.duration(3, 15),
            "silence": silence,
            "steps": [[0, "0 ms"], [1, duration_text(rtt_s / 4)]],
        },
        "forward": {"rate": draw.rate(5e6, 100e6), "queue": _queue(draw), "rate_variation": variation},
        "return": {"rate": draw.rate(2e6, 20e6), "queue": _queue(draw)},
    }


def _own_schedule(draw: Draw) -> TomlTable:
    link = _pipe(draw)
    table = _direction(link, draw.one_of("forward", "forward", "return"))
    at_s = draw.log_between(0.3, 4)
    change = draw.one_of("outage", "silence", "rate", "delay", "loss")
    row: TomlTable = {"at": duration_text(at_s)}
    match change:
        case "outage" | "silence":
            row["state"] = change
        case "rate":
            row["rate"] = draw.rate(LEAST_BPS, 30e6)
        case "delay":
            row["delay"] = draw.duration(0.02, 0.4)
        case _:
            row["loss"] = draw.fraction(0.01, 0.2)
    until = duration_text(at_s + draw.log_between(0.05, 2))
    table["schedule"] = [{"at": "0 s"}, row, {"at": until}]
    return link


def _geostationary(draw: Draw) -> TomlTable:
    site = {"latitude": f"{draw.between(-50, 60):.1f} deg", "longitude": f"{draw.between(0, 40):.1f} deg"}
    return {
        "geometry": {
            "geostationary": "19.2 deg",
            "site": site,
            "gateways": [{"latitude": "49.7 deg", "longitude": "6.3 deg"}],
            "least_elevation": "10 deg",
        },
        "forward": {"rate": draw.rate(2e6, 100e6), "queue": _queue(draw), "delay": "1 ms"},
        "return": {"rate": draw.rate(0.5e6, 20e6), "queue": _queue(draw), "delay": "1 ms"},
    }


def _queue(draw: Draw) -> object:
    """Return a queue of any kind, most often one that drops what finds no room."""
    bdp = f"{draw.log_between(0.25, 4):.2f} BDP"
    kind = draw.weighted({"bdp": 10, "packets": 2, "time": 1, "codel": 1.5, "red": 1.5})
    match kind:
        case "packets":
            return f"{draw.count(20, 3000)} packets"
        case "time":
            return draw.duration(0.02, 0.6)
        case "codel":
            target_s = draw.log_between(0.005, 0.05)
            interval = duration_text(target_s * draw.log_between(5, 20))
            return {"limit": bdp, "target": duration_text(target_s), "interval": interval}
        case "red":
            limit_bytes = draw.log_between(60e3, 4e6)
            start = size_text(limit_bytes * draw.between(0.2, 0.7))
            return {"limit": size_text(limit_bytes), "start": start, "p": draw.fraction(0.01, 0.2)}
        case _:
            return bdp


def _impaired(draw: Draw, link: TomlTable) -> TomlTable:
    """Return the link with losses and delay variation in one direction, in both, or in none."""
    for name in draw.weighted({(): 6, ("forward",): 2, ("return",): 1, ("forward", "return"): 1}):
        _direction(link, name)["loss"] = _loss(draw)
    for name in draw.weighted({(): 8, ("forward",): 1, ("return",): 1, ("forward", "return"): 1}):
        _direction(link, name)["jitter"] = _jitter(draw)
    return link


def _loss(draw: Draw) -> object:
    kind = draw.weighted({"p": 4, "bursts": 2, "ber": 2, "outages": 1})
    match kind:
        case "p":
            return draw.fraction(1e-5, 2e-2)
        case "bursts":
            # Bursts of two to twenty packets, of which most or all are lost.
            return {
                "p": draw.fraction(1e-5, 2e-3),
                "r": draw.fraction(0.05, 0.5),
                "h": draw.one_of(0, 0, 0.2),
                "k": 1,
            }
        case "ber":
            return {"ber": draw.fraction(1e-9, 1e-6)}
        case _:
            return {"every": draw.duration(2, 20), "lasting": [[3, "100 ms"], [1, "400 ms"]]}


def _jitter(draw: Draw) -> object:
    if draw.happens(0.7):
        return draw.duration(0.0005, 0.01)
    most_s = draw.log_between(0.005, 0.06)
    quantiles = [[0, "0 ms"], [0.5, duration_text(most_s / 6)], [1, duration_text(most_s)]]
    return {"hold": draw.duration(0.01, 0.5), "quantiles": quantiles}


def _direction(link: TomlTable, name: str) -> Direction:
    """Return the table of a direction, which is made where there is none."""
    table = link.setdefault(name, {})
    assert isinstance(table, dict)
    return table


def _without_empty(link: TomlTable) -> TomlTable:
    return {key: value for key, value in link.items() if value != {}}


_KINDS: Mapping[Callable[[Draw], TomlTable], float] = {
    _pipe: 40,
    _flat_preset: 8,
    _satellite_preset: 17,
    _own_carriers: 10,
    _constellation: 11,
    _recording: 2,
    _own_epochs: 4,
    _own_schedule: 6,
    _geostationary: 2,
}
"""With weights in percent: pipes have most settings of their own."""
