"""One download: whole, in its phases, and second by second."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from bentpipe.stats.counter import BIN_S, Counter, Span

START_UP_BYTES = 50e6
"""claypool2020, section IV.E: the first 30 s are "approximately long enough to download 50 MBytes"."""
FIRST_S = 30.0
"""claypool2020, section IV.E and the text on Table VIII."""

PERCENTILES = (10, 50, 90)
"""claypool2020, section 4."""


class Phase(Enum):
    """The parts of a download that claypool2020 looks at."""

    OVERALL = "overall"
    STEADY = "steady state"
    """The last half of the bytes."""
    START_UP = "start-up"
    """The first 50 MB; a download of no more has none."""
    FIRST_30_S = "first 30 s"
    """Of a download that takes longer."""

    @property
    def slug(self) -> str:
        """Its name in identifiers."""
        return self.name.lower().replace("_", "-")


@dataclass(frozen=True, kw_only=True)
class Flow:
    """A finished download as its series tell it; instants count from the start of the workload.

    `received` counts bytes at the receiver, `sent` full packets that entered the link, `resent` packets
    retransmitted. `rtt_s` is the sender's smoothed round trip every 100 ms: no record keeps that of each ACK.
    In means each counts by the bytes that came in its interval, as acknowledgements do.
    """

    end_s: float
    received: Counter
    sent: Counter
    resent: Counter
    rtt_time_s: NDArray[np.float64]
    rtt_s: NDArray[np.float64]

    def span(self, phase: Phase) -> Span | None:
        """When the phase was."""
        match phase:
            case Phase.OVERALL:
                return Span(from_s=0.0, to_s=self.end_s)
            case Phase.STEADY:
                half_s = self.received.time_of(self.received.total[-1] / 2)
                return None if half_s is None else Span(from_s=half_s, to_s=self.end_s)
            case Phase.START_UP:
                if self.received.total[-1] <= START_UP_BYTES:
                    return None
                start_s = self.received.time_of(START_UP_BYTES)
                return None if start_s is None else Span(from_s=0.0, to_s=start_s)
            case Phase.FIRST_30_S:
                return Span(from_s=0.0, to_s=FIRST_S) if self.end_s >= FIRST_S else None

    def seconds(self, span: Span) -> "Seconds":
        """Each whole second of a span."""
        edges = span.whole_seconds()
        return Seconds(
            end_s=edges[1:],
            throughput_bps=8 * np.diff(self.received.at(edges)),
            rtt_s=self._rtt_means_s(edges),
            resent_percent=_percent(np.diff(self.resent.at(edges)), np.diff(self.sent.at(edges))),
        )

    def means(self, span: Span) -> "Means":
        """The means over a span and the percentiles of its whole seconds."""
        throughput_bps = 8 * self.received.within(span) / span.length_s
        # Below a second there is none but the span itself.
        of_seconds = self.seconds(span).throughput_bps if span.length_s >= 1 else throughput_bps
        resent, sent = (np.asarray([counter.within(span)]) for counter in (self.resent, self.sent))
        return Means(
            throughput_bps=throughput_bps,
            throughput_percentiles_bps=tuple(np.percentile(of_seconds, PERCENTILES).tolist()),
            rtt_s=float(self._rtt_means_s(np.asarray([span.from_s, span.to_s]))[0]),
            resent_percent=float(_percent(resent, sent)[0]),
        )

    def round_trips(self, span: Span) -> "RoundTrips":
        """The round trips sampled in a span, each with the bytes that came in its interval."""
        is_within = (self.rtt_time_s > span.from_s) & (self.rtt_time_s <= span.to_s)
        return RoundTrips(rtt_s=self.rtt_s[is_within], weight=self._bytes_of_samples()[is_within])

    def _rtt_means_s(self, edges_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean of the round trips sampled after one instant and up to the next; NaN for none.

        Acknowledgements come in proportion to bytes, so that a mean over acknowledgements is one over bytes.
        Where nothing came the samples count alike.
        """
        places = np.searchsorted(self.rtt_time_s, edges_s, side="right")
        amounts = self._bytes_of_samples()
        sums, weights = (_sums(each, places) for each in (self.rtt_s * amounts, amounts))
        plain, counts = _sums(self.rtt_s, places), np.diff(places)
        means: NDArray[np.float64] = np.full(len(counts), np.nan)
        np.divide(plain, counts, out=means, where=counts > 0)
        return np.divide(sums, weights, out=means, where=weights > 0)

    def _bytes_of_samples(self) -> NDArray[np.float64]:
        """What came in the interval that ends with each sample of the round trip."""
        return self.received.at(self.rtt_time_s) - self.received.at(self.rtt_time_s - BIN_S)


@dataclass(frozen=True, kw_only=True)
class RoundTrips:
    """Samples of the round trip, each with its weight in a distribution over acknowledgements."""

    rtt_s: NDArray[np.float64]
    weight: NDArray[np.float64]

    def share_from(self, rtt_s: float) -> float:
        """The share of the weight at or above a round trip; NaN of nothing."""
        whole = float(self.weight.sum())
        return float(self.weight[self.rtt_s >= rtt_s].sum()) / whole if whole else float("nan")

    def quantile_s(self, share: float) -> float:
        """The round trip at or below which a share of the weight lies; NaN of nothing."""
        whole = float(self.weight.sum())
        if not whole:
            return float("nan")
        order = np.argsort(self.rtt_s)
        place = int(np.searchsorted(np.cumsum(self.weight[order]), share * whole))
        return float(self.rtt_s[order][min(place, len(order) - 1)])


@dataclass(frozen=True, kw_only=True)
class Seconds:
    """A flow in each whole second of a span; a second without a round trip sample has NaN."""

    end_s: NDArray[np.float64]
    throughput_bps: NDArray[np.float64]
    rtt_s: NDArray[np.float64]
    resent_percent: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Means:
    """A flow over a span: means over time, and `PERCENTILES` of the throughput of its seconds."""

    throughput_bps: float
    throughput_percentiles_bps: tuple[float, ...]
    rtt_s: float
    resent_percent: float


def flow_of_series(
    *,
    progress: Mapping[str, NDArray[np.float64]],
    sender: Mapping[str, NDArray[np.float64]],
    link: Mapping[str, NDArray[np.float64]],
    end_s: float,
    mtu_bytes: int,
) -> Flow:
    """Join the series of a run with a single download; `end_s` is when its last byte arrived.

    Packets are reckoned as full ones, which a download's are but for its handshake and its last.
    """
    # The last bin is dated by its end, which may lie after the last byte.
    until_s = np.minimum(progress["time_s"], end_s)
    is_sampled = ~np.isnan(sender["srtt_s"])
    packets = np.asarray(link["forward_sent_bytes"], dtype=float) / mtu_bytes
    return Flow(
        end_s=end_s,
        received=Counter.of_bins(end_s=until_s, amount=progress["received_bytes"], bin_s=BIN_S),
        sent=Counter.of_bins(end_s=link["time_s"], amount=packets, bin_s=BIN_S),
        resent=Counter(time_s=sender["time_s"], total=sender["retransmitted_packets"]),
        rtt_time_s=sender["time_s"][is_sampled],
        rtt_s=sender["srtt_s"][is_sampled],
    )


def _sums(values: NDArray[np.float64], places: NDArray[np.intp]) -> NDArray[np.float64]:
    """The sums of the values between one place and the next."""
    return np.diff(np.concatenate([[0.0], np.cumsum(values)])[places])


def _percent(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Part of whole in percent; of nothing, nothing."""
    return np.divide(100 * part, whole, out=np.zeros(len(whole)), where=whole > 0)
