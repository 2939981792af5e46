//! Packets of background terminals: a Poisson process, or a trace.

use std::iter::Peekable;

use bentpipe_units::{Bytes, Duration, Rate, Time};

use super::ConfigError;
use crate::Direction;
use crate::random::Stream;

/// Packets of a background terminal.
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
    /// Packets as they once came.
    Trace {
        /// In order of time.
        packets: Vec<TracePacketSpec>,
        /// After so long all begins again; more than up to the last packet.
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

/// The packets of a load, one after the other.
pub(super) struct Source(Peekable<Kind>);

/// A packet of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrival {
    pub(super) at: Time,
    pub(super) bytes: u32,
}

enum Kind {
    Poisson { stream: Stream, bytes: u32, mean_gap_ns: f64, last: Time },
    Trace { packets: Vec<TracePacketSpec>, period: Option<Duration>, next: usize, started: Time },
}

impl LoadSpec {
    /// # Errors
    /// When its packets have no bytes, come out of order, or are too many for the time to go on.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let (has_empty, is_in_order, gap) = match self {
            Self::Poisson { rate_bps, packet_bytes } => {
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
            return Err(ConfigError::EmptyPacket);
        }
        if !is_in_order {
            return Err(ConfigError::TraceOutOfOrder);
        }
        if gap.is_some_and(|gap| gap < SHORTEST_GAP) { Err(ConfigError::TooManyPackets) } else { Ok(()) }
    }

    /// Length of the longest packet.
    pub(crate) fn longest(&self) -> Bytes {
        match self {
            Self::Poisson { packet_bytes, .. } => *packet_bytes,
            Self::Trace { packets, .. } => {
                packets.iter().map(|packet| packet.bytes).max().unwrap_or(Bytes::ZERO)
            }
        }
    }
}

impl Source {
    /// The load of the background terminal with this number.
    pub(super) fn new(load: &LoadSpec, number: u32, seed: u64, start: Time) -> Self {
        let kind = match load {
            LoadSpec::Poisson { rate_bps, packet_bytes } => Kind::Poisson {
                stream: Stream::new(seed, Direction::Return, &format!("background.{number}")),
                bytes: len(*packet_bytes),
                mean_gap_ns: packet_bytes.get() as f64 / rate_bps.as_bytes_per_sec() * 1e9,
                last: start,
            },
            LoadSpec::Trace { packets, period_ns } => {
                Kind::Trace { packets: packets.clone(), period: *period_ns, next: 0, started: start }
            }
        };
        Self(kind.peekable())
    }

    /// The next packet that comes before `end`.
    pub(super) fn before(&mut self, end: Time) -> Option<Arrival> {
        self.0.next_if(|arrival| arrival.at < end)
    }
}

impl Iterator for Kind {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        match self {
            Self::Poisson { stream, bytes, mean_gap_ns, last } => {
                let gap = -libm::log(1.0 - stream.uniform()) * *mean_gap_ns;
                // Without a load the gap is infinite or no number at all.
                if !gap.is_finite() {
                    return None;
                }
                *last = last.saturating_add(Duration::from_nanos(gap as u64));
                Some(Arrival { at: *last, bytes: *bytes })
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

fn len(bytes: Bytes) -> u32 {
    u32::try_from(bytes.get()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(load: &LoadSpec, end_ms: u64) -> Vec<(u64, u32)> {
        let start = Time::from_nanos(500);
        let mut source = Source::new(load, 1, 1, start);
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
}
