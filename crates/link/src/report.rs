//! What a link counted and saw, from its mark on.

use std::collections::BTreeMap;

use crate::{Direction, Table};
use bentpipe_units::{Bytes, Duration, Time};

/// The link's view, from its mark (start of the measurement) on.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct LinkReport {
    /// When counting began.
    pub marked: Time,
    /// Gateway to terminal.
    pub forward: DirectionReport,
    /// Terminal to gateway.
    #[cfg_attr(feature = "serde", serde(rename = "return"))]
    pub return_: DirectionReport,
    /// Counters at 100 ms: `time_s` (on the run's clock) and, for each direction, `forward_sent_bytes`,
    /// `forward_delivered_bytes`, `forward_queue_bytes`, `forward_drops`, ...
    pub series: Table,
    /// What the satellite's parts did, by name: `acm`, `dama`, `classes`, `delays`, `path`; each has `time_s` as `series` has.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "BTreeMap::is_empty"))]
    pub probes: BTreeMap<String, Table>,
    /// How late packets were released (emulate only).
    pub lateness: Option<LatenessReport>,
    /// The first packets to the client, for the first-flight size.
    pub first_packets: Vec<PacketSighting>,
}

impl LinkReport {
    /// The counters of a direction.
    pub const fn direction(&self, way: Direction) -> &DirectionReport {
        match way {
            Direction::Forward => &self.forward,
            Direction::Return => &self.return_,
        }
    }
}

/// Counters of one direction.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct DirectionReport {
    /// Packets and bytes offered to the link.
    pub offered_packets: u64,
    /// Bytes offered to the link.
    pub offered_bytes: Bytes,
    /// Packets delivered.
    pub delivered_packets: u64,
    /// Bytes delivered.
    pub delivered_bytes: Bytes,
    /// Packets lost, by cause.
    pub drops: DropCounts,
    /// Time-weighted mean of the waiting bytes.
    pub queue_mean_bytes: f64,
    /// Most bytes that waited at one time.
    pub queue_max_bytes: Bytes,
    /// The classes of a queue that marks packets: `l4s` and `classic`, or `all`; none where it only drops.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub queue_classes: Vec<QueueClassReport>,
}

/// One class of a queue that marks packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct QueueClassReport {
    /// Its name.
    pub name: String,
    /// Packets that left the queue for the transmitter.
    pub packets: u64,
    /// Packets of them that the queue marked (RFC 3168: CE); those that came with a mark are not among them.
    pub marked_packets: u64,
    /// Packets that were dropped in place of a mark.
    pub dropped_packets: u64,
    /// Median of the wait, to the next 10 us; none where no packet left.
    #[cfg_attr(feature = "serde", serde(rename = "wait_p50_ns"))]
    pub wait_p50: Option<Duration>,
    /// 99th percentile of the wait.
    #[cfg_attr(feature = "serde", serde(rename = "wait_p99_ns"))]
    pub wait_p99: Option<Duration>,
    /// Longest wait.
    #[cfg_attr(feature = "serde", serde(rename = "wait_max_ns"))]
    pub wait_max: Option<Duration>,
}

/// Lost packets of one direction by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct DropCounts {
    /// The queue was full.
    pub queue: u64,
    /// The channel lost it.
    pub channel: u64,
    /// Larger than the link's MTU.
    pub oversize: u64,
}

impl DropCounts {
    /// All causes together.
    pub const fn total(self) -> u64 {
        self.queue + self.channel + self.oversize
    }
}

/// Release lateness (actual minus due) of the emulator's link process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct LatenessReport {
    /// Median.
    pub p50: Duration,
    /// 99th percentile.
    pub p99: Duration,
    /// 99.9th percentile.
    pub p999: Duration,
    /// Largest.
    pub max: Duration,
    /// Packets released, and those read right after a stall.
    pub count: u64,
    /// Packets that the receiving host's device refused, and what the sending host's handed over that is none.
    pub refused: u64,
    /// What bare timers on the same cores were late by meanwhile.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub timer: Option<TimerReport>,
}

/// How late timers were that wait for nothing but the machine, one on each core that the link may run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct TimerReport {
    /// 99.9th percentile of all wake-ups.
    pub p999: Duration,
    /// Largest.
    pub max: Duration,
    /// How much of the lateness of the link's latest packet a timer was late too, or the link overslept.
    pub beside_latest: Duration,
}

/// One delivered packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct PacketSighting {
    /// When it left the link.
    pub at: Time,
    /// IP length.
    pub bytes: Bytes,
}
