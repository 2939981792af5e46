//! A transmitter of constant rate. Model page: docs/models/capacity.md.

use bentpipe_units::{Bytes, Rate, Time};

use crate::pipe::transmitter::Transmitter;

/// Sends one packet after the other, in the order given, at a constant rate of IP bytes.
pub(crate) struct ConstantRate {
    rate: Rate,
    /// Start of the present busy period, in which the transmitter never pauses.
    busy_from: Time,
    /// Bytes given to the transmitter since then.
    busy_bytes: Bytes,
    free_at: Time,
}

impl ConstantRate {
    pub(crate) fn new(rate: Rate) -> Self {
        Self { rate, busy_from: Time::ZERO, busy_bytes: Bytes::ZERO, free_at: Time::ZERO }
    }

    /// t0 + ceil(8 * sum of bytes / rate): rounded once for the whole busy period, so that nothing adds up.
    fn end_of(&self, total: Bytes) -> Time {
        self.busy_from.saturating_add(self.rate.time_for(total))
    }
}

impl Transmitter for ConstantRate {
    fn free_at(&self) -> Time {
        self.free_at
    }

    fn transmit(&mut self, ready: Time, size: Bytes) -> Time {
        // `free_at` is rounded up: a packet that comes at that very instant finds the transmitter idle.
        if ready >= self.free_at {
            self.busy_from = ready;
            self.busy_bytes = Bytes::ZERO;
        }
        self.busy_bytes += size;
        self.free_at = self.end_of(self.busy_bytes);
        self.free_at
    }

    fn clear_at(&self, backlog: Bytes) -> Time {
        self.end_of(self.busy_bytes + backlog)
    }
}
