//! What was in flight when a packet left, and what was lost since.

use std::collections::VecDeque;

use bentpipe_units::Bytes;

use crate::acked_or_lost::AckedOrLost;
use crate::{AckSample, SentSample};

/// The packets in flight (draft: `P.tx_in_flight`, `P.lost`).
#[derive(Clone, Debug, Default)]
pub(super) struct Departures {
    count: AckedOrLost,
    lost: Bytes,
    packets: VecDeque<Departure>,
}

#[derive(Clone, Copy, Debug)]
struct Departure {
    /// Bytes sent up to its end.
    end: u64,
    in_flight: Bytes,
    lost: Bytes,
}

/// The flight of the newest packet that an acknowledgement is about (draft: `RS.tx_in_flight`, `RS.lost`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    /// In flight when the packet left, itself included.
    pub in_flight: Bytes,
    /// Lost since.
    pub lost: Bytes,
}

impl Departures {
    pub fn on_sent(&mut self, sent: &SentSample) {
        self.count.on_sent(sent.bytes);
        let in_flight = sent.prior_in_flight + sent.bytes;
        self.packets.push_back(Departure { end: self.count.sent(), in_flight, lost: self.lost });
    }

    /// None when no packet met its fate.
    pub fn on_ack(&mut self, ack: &AckSample) -> Option<Flight> {
        self.lost += ack.lost;
        self.count.on_ack(ack);
        let gone = self.packets.partition_point(|packet| packet.end <= self.count.acked_or_lost());
        let newest = self.packets.drain(..gone).next_back()?;
        Some(Flight { in_flight: newest.in_flight, lost: self.lost - newest.lost })
    }
}
