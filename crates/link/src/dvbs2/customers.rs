//! Other customers of a forward carrier: packets in a queue of each, sent in turns with the packets that are measured.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use bentpipe_units::{Bytes, Duration, Time};

use super::Backlog;
use super::round_robin::RoundRobin;
use crate::checks::check_limit;
use crate::load::Source;
use crate::random::Seed;
use crate::{LoadSpec, SpecError};

/// Another customer of a forward carrier.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct CustomerSpec {
    /// Bytes of packets that may wait.
    pub limit_bytes: Bytes,
    /// Its packets.
    pub load: LoadSpec,
}

/// Those who share the carrier with the packets that are measured.
pub(super) struct Customers {
    others: Vec<Customer>,
    /// Of each that sends more: when its next packet comes.
    arrivals: BinaryHeap<Reverse<(Time, usize)>>,
    turns: RoundRobin,
    /// What waits of all others.
    packets: u64,
    bytes: Bytes,
    /// Packets that are measured, of which a frame has a part and nothing was told.
    pub(super) measured_in_frames: usize,
}

/// Who sends next.
pub(super) enum Turn {
    /// The packets that are measured.
    Measured,
    /// Another customer, with this packet.
    Other {
        /// When it came.
        since: Time,
        /// Its length.
        bytes: u32,
    },
}

struct Customer {
    source: Source,
    waiting: VecDeque<(Time, u32)>,
    bytes: Bytes,
    limit: Bytes,
}

/// The queue of the packets that are measured; those of others follow.
const MEASURED: usize = 0;

/// Whether there can be such customers of a carrier.
pub(super) fn check(customers: &[CustomerSpec], mtu: Bytes) -> Result<(), SpecError> {
    for (number, CustomerSpec { limit_bytes, load }) in customers.iter().enumerate() {
        let field = format!("background[{number}]");
        load.check().map_err(|error| error.within(&field))?;
        let longest = load.longest();
        if longest > mtu {
            let expected = format!("packets of at most {} bytes, the link's MTU", mtu.get());
            return Err(SpecError::new(field, expected, longest.get()));
        }
        check_limit("limit_bytes", *limit_bytes, longest).map_err(|error| error.within(&field))?;
    }
    Ok(())
}

impl Customers {
    /// None where nobody else is.
    pub(super) fn new(specs: &[CustomerSpec], mtu: Bytes, seed: Seed, start: Time) -> Option<Box<Self>> {
        if specs.is_empty() {
            return None;
        }
        let other = |(number, spec): (usize, &CustomerSpec)| Customer {
            source: Source::new(&spec.load, seed.stream(&format!("background.{number}")), start),
            waiting: VecDeque::new(),
            bytes: Bytes::ZERO,
            limit: spec.limit_bytes,
        };
        let mut others: Vec<_> = (1..).zip(specs).map(other).collect();
        let first =
            |(index, other): (usize, &mut Customer)| Some(Reverse((other.source.next_arrival()?, index)));
        Some(Box::new(Self {
            arrivals: others.iter_mut().enumerate().filter_map(first).collect(),
            turns: RoundRobin::new(others.len() + 1, mtu),
            others,
            packets: 0,
            bytes: Bytes::ZERO,
            measured_in_frames: 0,
        }))
    }

    /// When the next packet of another comes.
    pub(super) fn next_arrival(&self) -> Option<Time> {
        self.arrivals.peek().map(|Reverse((at, _))| *at)
    }

    /// Lets it come; where there is no room for it, it is lost as anybody's packet.
    pub(super) fn arrive(&mut self) {
        let Some(Reverse((at, index))) = self.arrivals.pop() else { return };
        let other = &mut self.others[index];
        if let Some(arrival) = other.source.before(at.saturating_add(Duration::from_nanos(1))) {
            let size = Bytes::new(u64::from(arrival.bytes));
            if other.bytes + size <= other.limit {
                other.waiting.push_back((at, arrival.bytes));
                other.bytes += size;
                self.packets += 1;
                self.bytes += size;
                self.turns.activate(index + 1);
            }
        }
        if let Some(next) = other.source.next_arrival().filter(|next| *next < Time::MAX) {
            self.arrivals.push(Reverse((next, index)));
        }
    }

    /// A packet that is measured waits with those of others.
    pub(super) fn measured_waits(&mut self) {
        self.turns.activate(MEASURED);
    }

    /// Who sends next; `measured` is the length of the first packet that is measured.
    pub(super) fn turn(&mut self, measured: Option<u64>) -> Option<Turn> {
        let others = &self.others;
        let first = |queue| match queue {
            MEASURED => measured,
            other => others[other - 1].waiting.front().map(|(_, bytes)| u64::from(*bytes)),
        };
        let queue = self.turns.turn(first)?;
        if queue == MEASURED {
            return Some(Turn::Measured);
        }
        let other = &mut self.others[queue - 1];
        let (since, bytes) = other.waiting.pop_front()?;
        let size = Bytes::new(u64::from(bytes));
        other.bytes -= size;
        self.packets -= 1;
        self.bytes -= size;
        self.turns.sent(u64::from(bytes), !other.waiting.is_empty());
        Some(Turn::Other { since, bytes })
    }

    /// In its turn a packet that is measured was sent, and more of them wait or not.
    pub(super) fn measured_sent(&mut self, bytes: Bytes, has_more: bool) {
        self.turns.sent(bytes.get(), has_more);
    }

    /// What waits of all others.
    pub(super) fn backlog(&self) -> Backlog {
        let oldest =
            self.others.iter().filter_map(|other| other.waiting.front()).map(|(since, _)| *since).min();
        Backlog { packets: self.packets, bytes: self.bytes, oldest }
    }

    /// Bytes of others that are sent before so many that are measured, an estimate: as many of each.
    pub(super) fn before(&self, measured: Bytes) -> Bytes {
        self.others.iter().map(|other| other.bytes.min(measured)).sum()
    }
}
