"""How many runs a machine emulates at once, so that they measure the link and not each other."""

from bentpipe.model.record import RunRecord
from bentpipe.scenario.link.description import nominal_bps
from tools.agreement.grid import Company
from tools.agreement_random.quantities import lasted_s

MOST_BPS = 150_000_000
"""Rate of a link up to which a run may have company."""
SHORT_RTT_NS, LONG_RTT_NS = 50_000_000, 300_000_000
"""Below the one milliseconds count; from the other on they are a small part."""
SHORT_RTT_PACKETS_PER_S, PACKETS_PER_S = 1_000, 4_000
"""That worlds side by side carry in sum. By trial on two cores: of eight worlds about a quarter is late even
so, and is repeated beside fewer."""


def company_of(record: RunRecord) -> Company:
    """Return the company that a run bears, by its link and by what it has sent in virtual time."""
    directions = record.spec.link.forward, record.spec.link.return_
    if max(nominal_bps(direction.capacity) for direction in directions) > MOST_BPS:
        return Company.ALONE
    rtt_ns = sum(direction.delay_ns for direction in directions)
    if rtt_ns < SHORT_RTT_NS:
        return _largest(Company.ONE_A_CORE, packets_per_s(record), SHORT_RTT_PACKETS_PER_S)
    most = Company.FEW_A_CORE if rtt_ns < LONG_RTT_NS else Company.SOME_A_CORE
    return _largest(most, packets_per_s(record), PACKETS_PER_S)


def packets_per_s(record: RunRecord) -> float:
    """Return how many packets a run sends per second, both ways."""
    packets = record.metrics.wire_packets_down + record.metrics.wire_packets_up
    return packets / lasted_s(record) if lasted_s(record) else 0.0


def _largest(most: Company, rate: float, bound: float) -> Company:
    """Return the largest company up to one whose worlds carry no more than a bound; else none at all."""
    fitting = [each for each in Company if each.value <= most.value and each.value * rate <= bound]
    return max(fitting, key=lambda each: each.value, default=Company.ALONE)
