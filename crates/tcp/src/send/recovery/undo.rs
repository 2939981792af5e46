//! Whether a reduction was warranted: Eifel (RFC 3522, 4015), DSACK (RFC 3708).

use crate::segment::timestamp_before;

/// What is needed to take a reduction back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Undo {
    /// First unacknowledged position when the episode started; `None` when there is nothing to take back.
    pub marker: Option<u64>,
    /// Retransmissions of the episode that no DSACK has shown to be unnecessary; `None` before the first.
    retransmissions: Option<u64>,
    /// Timestamp of the episode's first retransmission (RFC 3522).
    pub first_retransmission: Option<u32>,
}

impl Undo {
    pub const NOTHING: Self = Self { marker: None, retransmissions: None, first_retransmission: None };

    /// `tcp_init_undo`: duplicates of what is `out_again`, the probe included, may be reported later.
    pub fn start(&mut self, una: u64, out_again: u64) {
        self.marker = Some(una);
        self.retransmissions = (out_again > 0).then_some(out_again);
    }

    pub fn on_retransmission(&mut self, timestamp: u32) {
        self.first_retransmission.get_or_insert(timestamp);
        if self.marker.is_some() {
            self.retransmissions = Some(self.retransmissions.unwrap_or(0) + 1);
        }
    }

    /// A DSACK up to `end` shows that so many retransmissions were unnecessary.
    pub fn on_dsack(&mut self, end: u64, segments: u64) {
        if let (Some(marker), Some(count)) = (self.marker, self.retransmissions.as_mut())
            && end > marker
        {
            *count = count.saturating_sub(segments);
        }
    }

    /// Every retransmission arrived twice.
    pub fn all_unnecessary(&self) -> bool {
        self.marker.is_some() && self.retransmissions == Some(0)
    }

    /// RFC 3522: the acknowledgement echoes a timestamp from before the first retransmission, or there was none
    /// (`tcp_packet_delayed`).
    pub fn original_arrived(&self, echo: Option<u32>) -> bool {
        match self.first_retransmission {
            None => true,
            Some(first) => echo.is_some_and(|echo| timestamp_before(echo, first)),
        }
    }

    /// `tcp_may_undo`.
    pub fn is_due(&self, echo: Option<u32>) -> bool {
        self.marker.is_some() && (self.all_unnecessary() || self.original_arrived(echo))
    }
}
