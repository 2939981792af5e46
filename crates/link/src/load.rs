//! Packets of those who share a carrier: a Poisson process, always or in periods, or a trace.

use std::iter::Peekable;

use bentpipe_units::{Bytes, Duration, Rate, Time};

use crate::SpecError;
use crate::random::Stream;

/// Packets of another terminal or customer.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
pub enum LoadSpec {
    /// A Poisson process.
    Poisson {
        /// Mean rate.
        rate_bps: Rate,
        /// Length of each packet.
        packet_bytes: Bytes,
    },
    /// A Poisson process in periods of random length (exponential), with silence between them.
    OnOff {
        /// Mean rate in a period.
        rate_bps: Rate,
        /// Length of each packet.
        packet_bytes: Bytes,
        /// Mean length of a period.
        on_ns: Duration,
        /// Mean length of a silence.
        off_ns: Duration,
    },
    /// Packets as they once came.
    Trace {
        /// In order of time.
        packets: Vec<TracePacketSpec>,
        /// After so long all starts again; more than up to the last packet.
        period_ns: Option<Duration>,
    },
}

/// A packet of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct TracePacketSpec {
    /// Since the start of the link.
    pub at_ns: Duration,
    /// Its length.
    pub bytes: Bytes,
}

/// Mean time from one packet to the next, at least: a million packets per second.
const SHORTEST_GAP: Duration = Duration::from_micros(1);
/// Mean length of a period or a silence, at least: so many of them take no time to skip.
const SHORTEST_PERIOD: Duration = Duration::from_millis(1);

/// Why a load is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The packets of a trace are not in order of time, or do not all come before it starts again.
    TraceOutOfOrder,
    /// It has a packet without bytes.
    EmptyPacket,
    /// It has more than a million packets per second.
    TooManyPackets,
    /// Its periods are shorter than a millisecond on average.
    PeriodsTooShort,
}

/// The packets of a load, one after the other.
pub(crate) struct Source(Peekable<Kind>);

/// A packet of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) at: Time,
    pub(crate) bytes: u32,
}

enum Kind {
    Poisson { stream: Stream, bytes: u32, mean_gap_ns: f64, last: Time },
    OnOff { stream: Stream, bytes: u32, mean_gap_ns: f64, periods: Periods, last: Time },
    Trace { packets: Vec<TracePacketSpec>, period: Option<Duration>, next: usize, started: Time },
}

/// Periods and silences of a load.
struct Periods {
    mean_on_ns: f64,
    mean_off_ns: f64,
    /// When the present period ends, or that after the present silence.
    ends: Time,
}

impl LoadError {
    /// The same of a field of a spec.
    pub(crate) fn within(self, field: &str) -> SpecError {
        let (expected, found) = match self {
            Self::EmptyPacket => ("packets of at least one byte", "an empty one"),
            Self::TooManyPackets => ("loads of at most a million packets per second", "more"),
            Self::PeriodsTooShort => ("periods and silences of at least a millisecond", "shorter ones"),
            Self::TraceOutOfOrder => ("traces in order of time that end before they start again", "another"),
        };
        SpecError::new(field, expected, found)
    }
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::EmptyPacket => "a packet has at least one byte",
            Self::TooManyPackets => "a load has at most a million packets per second",
            Self::PeriodsTooShort => "periods and silences last for at least a millisecond",
            Self::TraceOutOfOrder => "a trace is in order of time and ends before it starts again",
        })
    }
}

impl std::error::Error for LoadError {}

impl LoadSpec {
    /// # Errors
    /// When its packets have no bytes, come out of order, or are too many for the time to go on.
    pub(crate) fn check(&self) -> Result<(), LoadError> {
        if let Self::OnOff { on_ns, off_ns, .. } = self
            && *on_ns.min(off_ns) < SHORTEST_PERIOD
        {
            return Err(LoadError::PeriodsTooShort);
        }
        let (has_empty, is_in_order, gap) = match self {
            Self::Poisson { rate_bps, packet_bytes } | Self::OnOff { rate_bps, packet_bytes, .. } => {
                (*packet_bytes == Bytes::ZERO, true, Some(rate_bps.time_for(*packet_bytes)))
            }
            Self::Trace { packets, period_ns } => {
                let instants = || packets.iter().map(|packet| packet.at_ns);
                let ends = period_ns.is_none_or(|period| instants().all(|since| since < period));
                let gap = period_ns
                    .map(|period| Duration::from_nanos(period.as_nanos() / packets.len().max(1) as u64));
                let has_empty = packets.iter().any(|packet| packet.bytes == Bytes::ZERO);
                (has_empty, instants().is_sorted() && ends, gap)
            }
        };
        if has_empty {
            return Err(LoadError::EmptyPacket);
        }
        if !is_in_order {
            return Err(LoadError::TraceOutOfOrder);
        }
        if gap.is_some_and(|gap| gap < SHORTEST_GAP) { Err(LoadError::TooManyPackets) } else { Ok(()) }
    }

    /// Length of the longest packet.
    pub(crate) fn longest(&self) -> Bytes {
        match self {
            Self::Poisson { packet_bytes, .. } | Self::OnOff { packet_bytes, .. } => *packet_bytes,
            Self::Trace { packets, .. } => {
                packets.iter().map(|packet| packet.bytes).max().unwrap_or(Bytes::ZERO)
            }
        }
    }
}

impl Source {
    /// A load that draws from a stream of its own.
    pub(crate) fn new(load: &LoadSpec, mut stream: Stream, start: Time) -> Self {
        let kind = match load {
            LoadSpec::Poisson { rate_bps, packet_bytes } => Kind::Poisson {
                stream,
                bytes: len(*packet_bytes),
                mean_gap_ns: mean_gap_ns(*rate_bps, *packet_bytes),
                last: start,
            },
            LoadSpec::OnOff { rate_bps, packet_bytes, on_ns, off_ns } => {
                let (mean_on_ns, mean_off_ns) = (on_ns.as_nanos() as f64, off_ns.as_nanos() as f64);
                // It has always been so: the chance that it is on, and what is left of a period is as long as one.
                let is_on = stream.uniform() < mean_on_ns / (mean_on_ns + mean_off_ns);
                let last = if is_on { start } else { later(start, &mut stream, mean_off_ns) };
                let ends = later(last, &mut stream, mean_on_ns);
                Kind::OnOff {
                    stream,
                    bytes: len(*packet_bytes),
                    mean_gap_ns: mean_gap_ns(*rate_bps, *packet_bytes),
                    periods: Periods { mean_on_ns, mean_off_ns, ends },
                    last,
                }
            }
            LoadSpec::Trace { packets, period_ns } => {
                Kind::Trace { packets: packets.clone(), period: *period_ns, next: 0, started: start }
            }
        };
        Self(kind.peekable())
    }

    /// When the next packet comes.
    pub(crate) fn next_arrival(&mut self) -> Option<Time> {
        self.0.peek().map(|arrival| arrival.at)
    }

    /// The next packet that comes before `end`.
    pub(crate) fn before(&mut self, end: Time) -> Option<Arrival> {
        self.0.next_if(|arrival| arrival.at < end)
    }
}

impl Iterator for Kind {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        match self {
            Self::Poisson { stream, bytes, mean_gap_ns, last } => {
                let gap = exponential(stream, *mean_gap_ns);
                // Without a load the gap is infinite or no number at all.
                if !gap.is_finite() {
                    return None;
                }
                *last = last.saturating_add(Duration::from_nanos(gap as u64));
                Some(Arrival { at: *last, bytes: *bytes })
            }
            Self::OnOff { stream, bytes, mean_gap_ns, periods, last } => {
                while *last < Time::MAX && mean_gap_ns.is_finite() {
                    // Whatever came before: a Poisson process remembers nothing.
                    let at = later(*last, stream, *mean_gap_ns);
                    if at < periods.ends {
                        *last = at;
                        return Some(Arrival { at, bytes: *bytes });
                    }
                    *last = later(periods.ends, stream, periods.mean_off_ns);
                    periods.ends = later(*last, stream, periods.mean_on_ns);
                }
                None
            }
            Self::Trace { packets, period, next, started } => {
                if *next == packets.len() {
                    *started = started.saturating_add((*period)?);
                    *next = 0;
                }
                let TracePacketSpec { at_ns, bytes } = packets.get(*next)?;
                *next += 1;
                Some(Arrival { at: started.saturating_add(*at_ns), bytes: len(*bytes) })
            }
        }
    }
}

fn mean_gap_ns(rate: Rate, packet: Bytes) -> f64 {
    packet.get() as f64 / rate.as_bytes_per_sec() * 1e9
}

/// An instant that is later by an exponential time.
fn later(at: Time, stream: &mut Stream, mean_ns: f64) -> Time {
    at.saturating_add(Duration::from_nanos(exponential(stream, mean_ns) as u64))
}

fn exponential(stream: &mut Stream, mean: f64) -> f64 {
    -libm::log(1.0 - stream.uniform()) * mean
}

fn len(bytes: Bytes) -> u32 {
    u32::try_from(bytes.get()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Direction;

    fn arrivals(load: &LoadSpec, end_ms: u64) -> Vec<(u64, u32)> {
        let start = Time::from_nanos(500);
        let mut source = Source::new(load, Stream::new(1, Direction::Return, "background.1"), start);
        let end = start + Duration::from_millis(end_ms);
        std::iter::from_fn(|| source.before(end))
            .map(|packet| (packet.at.since(start).as_nanos(), packet.bytes))
            .collect()
    }

    fn trace(packets: &[(u64, u64)], period_ms: Option<u64>) -> LoadSpec {
        let packet =
            |&(ms, bytes)| TracePacketSpec { at_ns: Duration::from_millis(ms), bytes: Bytes::new(bytes) };
        LoadSpec::Trace {
            packets: packets.iter().map(packet).collect(),
            period_ns: period_ms.map(Duration::from_millis),
        }
    }

    #[test]
    fn a_trace_is_played_once() {
        let load = trace(&[(0, 100), (3, 200), (3, 300)], None);
        assert_eq!(arrivals(&load, 1_000), [(0, 100), (3_000_000, 200), (3_000_000, 300)]);
    }

    #[test]
    fn a_trace_with_a_period_is_played_again_and_again() {
        let load = trace(&[(1, 100), (3, 200)], Some(10));
        assert_eq!(
            arrivals(&load, 23),
            [(1_000_000, 100), (3_000_000, 200), (11_000_000, 100), (13_000_000, 200), (21_000_000, 100)]
        );
    }

    #[test]
    fn an_empty_trace_is_no_load_and_neither_is_a_rate_of_zero() {
        assert_eq!(arrivals(&trace(&[], Some(10)), 1_000), []);
        let silent = LoadSpec::Poisson { rate_bps: Rate::ZERO, packet_bytes: Bytes::new(100) };
        assert_eq!(arrivals(&silent, 1_000_000), []);
    }

    #[test]
    fn a_poisson_process_has_its_mean_rate_and_as_much_variance() {
        // 1000 packets a second; counts of 20 000 spans of 10 ms.
        let load = LoadSpec::Poisson { rate_bps: Rate::from_bps(800_000), packet_bytes: Bytes::new(100) };
        let mut counts = vec![0.0f64; 20_000];
        for (ns, bytes) in arrivals(&load, 200_000) {
            assert_eq!(bytes, 100);
            counts[(ns / 10_000_000) as usize] += 1.0;
        }
        let n = counts.len() as f64;
        let mean = counts.iter().sum::<f64>() / n;
        let variance = counts.iter().map(|count| (count - mean) * (count - mean)).sum::<f64>() / n;
        // Standard errors of Poisson counts: sqrt(m / n) of the mean, sqrt((m + 2 m^2) / n) of the variance.
        assert!((mean - 10.0).abs() < 5.0 * (10.0 / n).sqrt(), "{mean}");
        assert!((variance - 10.0).abs() < 5.0 * (210.0 / n).sqrt(), "{variance}");
    }

    #[test]
    fn a_load_in_periods_is_on_for_its_share_of_the_time_and_silent_for_exponential_times() {
        // 1000 packets a second in periods of 100 ms, after silences of 300 ms on average.
        let load = LoadSpec::OnOff {
            rate_bps: Rate::from_bps(800_000),
            packet_bytes: Bytes::new(100),
            on_ns: Duration::from_millis(100),
            off_ns: Duration::from_millis(300),
        };
        let instants: Vec<u64> = arrivals(&load, 2_000_000).into_iter().map(|(ns, _)| ns).collect();
        // A quarter of 1000 packets a second for 2000 s. Some 5000 periods: 1.4 % of standard error for their sum.
        assert!((instants.len() as f64 / 500_000.0 - 1.0).abs() < 5.0 * 0.02, "{}", instants.len());
        // Gaps of 50 ms are silences: of 1 ms in a period they are as good as impossible (e^-50). A silence of 300 ms is
        // longer than so by the same 300 ms, less what is short of it: e^(-1/6) of them are.
        let silences: Vec<f64> = instants.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect();
        let long: Vec<f64> = silences.into_iter().filter(|gap| *gap > 50.0).collect();
        let mean = long.iter().sum::<f64>() / long.len() as f64;
        assert!((mean - 350.0).abs() < 5.0 * 300.0 / (long.len() as f64).sqrt(), "{mean}");
    }

    #[test]
    fn periods_of_no_length_are_none() {
        let load = |on_us| LoadSpec::OnOff {
            rate_bps: Rate::from_bps(800_000),
            packet_bytes: Bytes::new(100),
            on_ns: Duration::from_micros(on_us),
            off_ns: Duration::from_millis(1),
        };
        assert_eq!((load(999).check(), load(1_000).check()), (Err(LoadError::PeriodsTooShort), Ok(())));
    }

    #[test]
    fn a_load_has_a_million_packets_per_second_at_most() {
        let poisson = |rate_bps| LoadSpec::Poisson { rate_bps, packet_bytes: Bytes::new(100) }.check();
        assert_eq!(poisson(Rate::from_bps(800_000_000)), Ok(()));
        assert_eq!(poisson(Rate::from_bps(801_000_000)), Err(LoadError::TooManyPackets));
    }
}
