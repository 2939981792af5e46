"""The losses of one direction's channel, from what is written to the run specification."""

from collections.abc import Sequence
from typing import Any

from bentpipe.scenario.written.link_schema import LossTable
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import count, duration_ns, fraction

SHORTEST_PERIOD_NS = 1_000_000
"""What the link accepts: an outage is drawn for every period, whether anything is sent in it or not."""
LARGEST_WEIGHTS = 1_000_000
"""Of all durations together."""
KIND = 'a weight and a duration such as [23, "200 ms"]'


def loss_spec(table: LossTable, where: Location) -> dict[str, Any]:
    """Return what the channel loses; which keys are written decides on the model.

    Raises
    ------
    InputError
        For keys that do not belong together, and for values that are no probability or duration.
    """
    written = table.written()
    match written:
        case ("ber",) | ("p",):
            (key,) = written
            value = fraction(getattr(table, key), where.at(key))
            kind = {"ber": "bit-error", "p": "bernoulli"}[key]
            return {"kind": kind, key: value} if value > 0 else {"kind": "none"}
        case ("p", "r", "h", "k"):
            values = {key: fraction(getattr(table, key), where.at(key)) for key in written}
            return {"kind": "gilbert-elliott", **values}
        case ("every", "lasting"):
            return {
                "kind": "outages",
                "period_ns": duration_ns(table.every or "", where.at("every"), least_ns=SHORTEST_PERIOD_NS),
                "durations": _durations(table.lasting or [], where.at("lasting")),
            }
        case found:
            expected = "the keys p, or p, r, h and k, or ber, or every and lasting"
            raise where.error(expected=expected, found=", ".join(found) or "an empty table")


def _durations(written: Sequence[Sequence[int | str]], where: Location) -> list[dict[str, Any]]:
    """Return how long outages last and how often."""
    kinds = []
    for number, pair in enumerate(written, start=1):
        place = where.at(str(number))
        match pair:
            case [int(weight), str(text)]:
                weight = count(weight, place.at("1"), least=1, most=LARGEST_WEIGHTS)
                kinds.append({"weight": weight, "duration_ns": duration_ns(text, place.at("2"), least_ns=1)})
            case _:
                raise place.error(expected=KIND, found=quoted(list(pair)))
    total = sum(kind["weight"] for kind in kinds)
    if not 1 <= total <= LARGEST_WEIGHTS:
        expected = f"weights from 1 to {LARGEST_WEIGHTS} together, each {KIND}"
        raise where.error(expected=expected, found=quoted(total))
    return kinds
