//! When the transmitter may send the next packet. Model page: docs/models/capacity.md.

use bentpipe_run::CapacitySpec;
use bentpipe_units::{Bytes, Rate, Time};

/// The transmitter of one direction: sends one packet after the other, in the order given.
pub(crate) enum Capacity {
    Constant(Constant),
}

impl Capacity {
    pub(crate) fn new(spec: &CapacitySpec) -> Self {
        match *spec {
            CapacitySpec::Constant { rate_bps } => Self::Constant(Constant::new(rate_bps)),
        }
    }

    /// When the last transmission ends, or ended.
    pub(crate) fn free_at(&self) -> Time {
        match self {
            Self::Constant(constant) => constant.free_at,
        }
    }

    /// Sends a packet that came at `ready`, after everything sent so far; returns when its last bit is out.
    pub(crate) fn transmit(&mut self, ready: Time, size: Bytes) -> Time {
        match self {
            Self::Constant(constant) => constant.transmit(ready, size),
        }
    }

    /// When the transmitter will have sent `backlog` after the transmission in progress.
    pub(crate) fn clear_at(&self, backlog: Bytes) -> Time {
        match self {
            Self::Constant(constant) => constant.end_of(constant.busy_bytes + backlog),
        }
    }
}

/// A constant rate of IP bytes.
pub(crate) struct Constant {
    rate: Rate,
    /// Start of the present busy period, in which the transmitter never pauses.
    busy_from: Time,
    /// Bytes given to the transmitter since then.
    busy_bytes: Bytes,
    free_at: Time,
}

impl Constant {
    fn new(rate: Rate) -> Self {
        Self { rate, busy_from: Time::ZERO, busy_bytes: Bytes::ZERO, free_at: Time::ZERO }
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

    /// t0 + ceil(8 * sum of bytes / rate): rounded once for the whole busy period, so that nothing adds up.
    fn end_of(&self, total: Bytes) -> Time {
        self.busy_from.saturating_add(self.rate.time_for(total))
    }
}
