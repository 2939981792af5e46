//! What the endpoint sent and no line of a script expects.

use std::fmt;

use bentpipe_units::Duration;

use super::Interpreter;
use crate::backend::Backend;
use crate::packet::Packet;

/// A segment of the endpoint that no line expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexpected {
    /// When, counted as absolute times of the script are.
    pub at: Duration,
    /// What, in the script's numbers.
    pub packet: Packet,
}

impl fmt::Display for Unexpected {
    /// As a script would expect it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} > {}", self.at.as_secs_f64(), self.packet)
    }
}

impl<B: Backend> Interpreter<'_, B> {
    /// What has left by now and was not looked at, cut where segmentation offload will.
    pub(super) fn unexpected(&mut self) -> Vec<Unexpected> {
        let now = self.backend.now();
        let mut found = Vec::new();
        while let Some(whole) = self.next_packet(now) {
            let next = match whole.segment_bytes {
                Some(size) => self.cut_off(whole, size),
                None => whole,
            };
            let flow = self.flows.of(&next.packet);
            flow.count_timestamps_from(&next.packet);
            found.push(Unexpected { at: next.at.since(self.start), packet: flow.to_script(&next.packet) });
        }
        found
    }
}
