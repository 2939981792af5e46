"""A setting in words: short for a table, and as a part of a sentence."""

from collections.abc import Callable, Mapping, Sequence

from bentpipe.advise.factors import CC, HTTP, Setting, Value
from bentpipe.figures.style import control_label, look
from bentpipe.scenario.factors import label

_KNOWN: Mapping[tuple[str, Value], str] = {
    ("slow_start", "loss"): "slow start without HyStart",
    ("slow_start", "hystart++"): "HyStart++",
    ("tcp.slow_start_after_idle", False): "no slow start after idle",
    ("tls.resumption", "ticket"): "session tickets",
    ("tls.resumption", "early-data"): "0-RTT",
    ("tcp.fast_open", True): "TCP Fast Open",
    ("pep.kind", "split"): "split TCP",
    ("pep.kind", "tunnel"): "a tunnel past the proxy",
    ("pep.kind", "proxy"): "an HTTP proxy",
    ("pep.kind", "masque"): "a proxy for UDP",
    ("pep.kind", "quic-split"): "split QUIC",
    ("pep.standing", True): "standing connections",
}
_COUNTED: Mapping[str, Callable[[Value], str]] = {
    "tcp.initial_window": "initial window {}".format,
    "connections": "{} connections".format,
}


def short(setting: Setting) -> str:
    """Return a setting for a table: "HTTP/3, BBR, initial window 32"."""
    return ", ".join([*_protocol(setting), *_others(setting)]) or "as fixed"


def spoken(setting: Setting) -> str:
    """Return a setting for a sentence: "HTTP/3 with BBR, initial window 32 and 0-RTT"."""
    protocol, others = _protocol(setting), _others(setting)
    if not protocol:
        return listed(others) or "as fixed"
    first, *further = [*protocol, *others]
    return f"{first} with {listed(further)}" if further else first


def _protocol(setting: Setting) -> list[str]:
    names = []
    if HTTP in setting:
        names.append(look(str(setting[HTTP])).label)
    if CC in setting:
        names.append(control_label(str(setting[CC])))
    return names


def _others(setting: Setting) -> list[str]:
    return [_word(key, value) for key, value in setting.items() if key not in (HTTP, CC)]


def _word(key: str, value: Value) -> str:
    if (key, value) in _KNOWN:
        return _KNOWN[key, value]
    return _COUNTED[key](value) if key in _COUNTED else f"{key} {label(value)}"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
