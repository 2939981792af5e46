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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reduction_is_needless_when_each_retransmission_is_reported_as_a_duplicate() {
        // tcp_init_undo: undo_retrans = retrans_out, and -1 without any; tcp_retransmit_skb counts each, tcp_check_dsack and
        // tcp_sacktag_one take off those that are reported beyond the marker.
        let mut undo = Undo::NOTHING;
        undo.start(1_001, 1);
        assert!(!undo.all_unnecessary());
        undo.on_retransmission(5);
        undo.on_dsack(2_001, 1);
        assert!(!undo.all_unnecessary());
        undo.on_dsack(1_001, 1);
        assert!(!undo.all_unnecessary(), "it lies before the episode");
        undo.on_dsack(3_001, 1);
        assert!(undo.all_unnecessary());
    }

    #[test]
    fn the_first_retransmission_of_an_episode_counts_as_one() {
        // tcp_retransmit_skb: undo_retrans = 0 where it was negative, and then one more.
        let mut undo = Undo::NOTHING;
        undo.start(1, 0);
        undo.on_dsack(1_001, 1);
        assert!(!undo.all_unnecessary(), "nothing was retransmitted");
        undo.on_retransmission(5);
        assert!(!undo.all_unnecessary());
        undo.on_dsack(1_001, 1);
        assert!(undo.all_unnecessary());
    }

    #[test]
    fn an_echo_from_before_the_first_retransmission_shows_that_the_original_came() {
        // RFC 3522 section 3.2, step 4; tcp_packet_delayed, tcp_may_undo.
        let mut undo = Undo::NOTHING;
        undo.start(1, 0);
        assert!(undo.original_arrived(None) && undo.is_due(None), "there was no retransmission");
        undo.on_retransmission(500);
        undo.on_retransmission(600);
        assert_eq!([499, 500, 501].map(|echo| undo.original_arrived(Some(echo))), [true, false, false]);
        assert!(!undo.original_arrived(None));
        assert_eq!([499, 500].map(|echo| undo.is_due(Some(echo))), [true, false]);
        undo.marker = None;
        assert!(!undo.is_due(Some(499)), "there is nothing to take back");
    }
}
