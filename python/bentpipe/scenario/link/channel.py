"""The channel of one direction: what it loses and how its delay varies, from what is written."""

from collections.abc import Sequence

from bentpipe.model.draft.channel import JitterSpec, LossSpec, OutageSpec, QuantileSpec
from bentpipe.scenario.written.link_schema import JitterTable, LossTable
from bentpipe.scenario.written.location import Location, quoted, quoted_items
from bentpipe.scenario.written.quantity import count, duration_ns, fraction, offset_ns

SHORTEST_PERIOD_NS = 1_000_000
"""What the link accepts: an outage is drawn for every period, whether anything is sent in it or not."""
LARGEST_WEIGHTS = 1_000_000
"""Of all durations together."""
KIND = 'a weight and a duration such as [23, "200 ms"]'


def loss_spec(table: LossTable, where: Location) -> LossSpec:
    """Return what the channel loses; which keys are written decides on the model.

    Raises
    ------
    InputError
        For keys that do not belong together, and for values that are no probability or duration.
    """

    def probability(key: str, value: float | str | None) -> float:
        return fraction(value or 0, where.at(key))

    match table.written():
        case ("ber",):
            ber = probability("ber", table.ber)
            return {"kind": "bit-error", "ber": ber} if ber > 0 else {"kind": "none"}
        case ("p",):
            p = probability("p", table.p)
            return {"kind": "bernoulli", "p": p} if p > 0 else {"kind": "none"}
        case ("p", "r", "h", "k"):
            return {
                "kind": "gilbert-elliott",
                "p": probability("p", table.p),
                "r": probability("r", table.r),
                "h": probability("h", table.h),
                "k": probability("k", table.k),
            }
        case ("every", "lasting"):
            return {
                "kind": "outages",
                "period_ns": duration_ns(table.every or "", where.at("every"), least_ns=SHORTEST_PERIOD_NS),
                "durations": _durations(table.lasting or [], where.at("lasting")),
            }
        case found:
            expected = "the keys p, or p, r, h and k, or ber, or every and lasting"
            raise where.error(expected=expected, found=", ".join(found) or "an empty table")


def _durations(written: Sequence[Sequence[int | str]], where: Location) -> list[OutageSpec]:
    """Return how long outages last and how often."""
    kinds: list[OutageSpec] = []
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


SHORTEST_HOLD_NS = 1_000_000
"""What the link accepts: a value is drawn for every hold, whether anything is sent in it or not."""
MOST_QUANTILES = 1000
POINT = 'a probability and an offset such as [0.5, "0 ms"]'


def jitter_spec(table: JitterTable, where: Location, *, delay_ns: int) -> JitterSpec:
    """Return how a delay varies; which keys are written decides on the model.

    Raises
    ------
    InputError
        For keys that do not belong together, and for quantiles that are not those of a delay.
    """
    match table.written():
        case ("sd",):
            sd_ns = duration_ns(table.sd or "", where)
            return {"kind": "normal", "sd_ns": sd_ns} if sd_ns > 0 else {"kind": "none"}
        case ("quantiles", "hold"):
            return {
                "kind": "empirical",
                "quantiles": quantiles(table.quantiles or [], where.at("quantiles"), delay_ns=delay_ns),
                "hold_ns": duration_ns(table.hold or "", where.at("hold"), least_ns=SHORTEST_HOLD_NS),
            }
        case found:
            expected = "the key sd, or quantiles and hold"
            raise where.error(expected=expected, found=", ".join(found) or "an empty table")


def quantiles(
    written: Sequence[Sequence[float | str]], where: Location, *, delay_ns: int
) -> list[QuantileSpec]:
    """Return a quantile function, which starts at probability 0, ends at 1 and never falls."""
    if not 2 <= len(written) <= MOST_QUANTILES:
        expected = f"from 2 to {MOST_QUANTILES} points, each {POINT}"
        raise where.error(expected=expected, found=str(len(written)))
    points: list[QuantileSpec] = []
    for number, pair in enumerate(written, start=1):
        place = where.at(str(number))
        if len(pair) != 2 or not isinstance(pair[1], str):
            raise place.error(expected=POINT, found=quoted(list(pair)))
        point: QuantileSpec = {
            "p": fraction(pair[0], place.at("1")),
            "offset_ns": offset_ns(pair[1], place.at("2")),
        }
        if points and (point["p"] < points[-1]["p"] or point["offset_ns"] < points[-1]["offset_ns"]):
            raise place.error(expected="no less than the point before it", found=quoted_items(pair))
        if point["offset_ns"] < -delay_ns:
            raise place.at("2").error(
                expected="an offset that leaves a delay above zero", found=quoted(pair[1])
            )
        points.append(point)
    for name, point, p in (("1", points[0], 0), (str(len(points)), points[-1], 1)):
        if point["p"] != p:
            raise where.at(f"{name}.1").error(expected=f"the probability {p}", found=quoted(point["p"]))
    return points
