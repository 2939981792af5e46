"""The unit of a column or a metric, which its name has in it."""

NAMED = {"s": "s", "ns": "ns", "bps": "bit/s", "bytes": "B", "percent": "%", "deg": "deg", "db": "dB"}
"""Units by the words of names, as UCUM and SI write them."""
RATIOS = ("utilisation", "ack_utilisation", "ping_loss_fraction")
"""Metrics that are a part of a whole."""
FRACTIONS = (*RATIOS, "jain_index")
"""Metrics between 0 and 1."""
IDENTITIES = (
    "client_port",
    "connection",
    "attempt",
    "flow",
    "frame",
    "repetition",
    "seed",
    "status",
    "sequence",
)
"""Numbers that count nothing: they name something."""


def unit_of(name: str) -> str | None:
    """Return the unit of a column of numbers, `1` of a count or a share; None of one that names something."""
    words = name.split("_")
    if name in IDENTITIES:
        return None
    if words[-1] in NAMED:
        return NAMED[words[-1]]
    return next((NAMED[word] for word in words if word == "bytes"), "1")
