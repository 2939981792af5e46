//! What holds a small segment back: Nagle's rule (RFC 9293 section 3.7.4) in Minshall's variant, `TCP_CORK` and `MSG_MORE`
//! (`tcp_nagle_test`).

use crate::config::Nagle;

/// What the application said of small segments (`tp->nonagle`), and the last one that left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Small {
    nagle: Nagle,
    /// `TCP_CORK`.
    is_corked: bool,
    /// Whether the last write said that more follows (`MSG_MORE`), until what it lets out has left.
    more_follows: bool,
    /// Whether what has been written leaves whatever holds it (`TCP_NAGLE_PUSH`).
    is_pushed: bool,
    /// End of the last segment sent that was not full (`snd_sml`).
    last_end: u64,
}

/// A segment that is not full.
#[derive(Clone, Copy, Debug)]
pub(super) struct SmallSegment {
    /// First position that is not acknowledged.
    pub una: u64,
    /// Whether nothing that was written follows it.
    pub is_last: bool,
    pub is_fin: bool,
}

impl Small {
    pub const fn new(first: u64, nagle: Nagle) -> Self {
        Self { nagle, is_corked: false, more_follows: false, is_pushed: false, last_end: first }
    }

    /// `TCP_NODELAY`: setting it lets out what waits.
    pub fn set_nagle(&mut self, nagle: Nagle) {
        self.nagle = nagle;
        self.is_pushed |= nagle == Nagle::Off;
    }

    /// `TCP_CORK`.
    pub fn set_cork(&mut self, is_corked: bool) {
        self.is_corked = is_corked;
        self.is_pushed |= !is_corked && self.nagle == Nagle::Off;
    }

    /// The application writes (`tcp_skb_entail`).
    pub const fn on_write(&mut self, more_follows: bool) {
        self.is_pushed = false;
        self.more_follows = more_follows;
    }

    /// What the last write let out has left.
    pub const fn on_run_ended(&mut self) {
        self.more_follows = false;
    }

    pub const fn on_sent(&mut self, end: u64) {
        self.last_end = end;
    }

    /// Whether it waits until it is full, whatever is acknowledged.
    pub const fn is_held(&self) -> bool {
        (self.is_corked || self.more_follows) && !self.is_pushed
    }

    /// Whether a segment that is not full waits.
    pub fn must_wait(&self, segment: SmallSegment) -> bool {
        let unacknowledged = self.nagle == Nagle::On && self.last_end > segment.una;
        let is_free = self.is_pushed || segment.is_fin || !segment.is_last;
        !is_free && (self.is_held() || unacknowledged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: SmallSegment = SmallSegment { una: 1, is_last: true, is_fin: false };

    #[test]
    fn a_small_segment_waits_for_the_acknowledgement_of_one_before() {
        // tcp_nagle_check, tcp_minshall_check.
        let mut small = Small::new(1, Nagle::On);
        assert!(!small.must_wait(LAST));
        small.on_sent(101);
        assert!(small.must_wait(LAST));
        assert!(!small.must_wait(SmallSegment { una: 101, ..LAST }));
        assert!(!small.must_wait(SmallSegment { is_fin: true, ..LAST }));
        assert!(!small.must_wait(SmallSegment { is_last: false, ..LAST }));
        small.set_nagle(Nagle::Off);
        assert!(!small.must_wait(LAST));
    }

    #[test]
    fn a_cork_holds_what_nothing_before_holds_until_it_is_drawn() {
        // tcp_nagle_check: nonagle & TCP_NAGLE_CORK; __tcp_sock_set_cork.
        let mut small = Small::new(1, Nagle::On);
        small.set_cork(true);
        assert!(small.must_wait(LAST) && small.is_held());
        small.set_cork(false);
        assert!(!small.must_wait(LAST));
    }

    #[test]
    fn what_was_written_leaves_when_delay_is_forbidden_though_there_is_a_cork() {
        // __tcp_sock_set_nodelay: TCP_NAGLE_OFF | TCP_NAGLE_PUSH, of which tcp_skb_entail takes the latter back.
        let mut small = Small::new(1, Nagle::On);
        small.set_cork(true);
        small.set_nagle(Nagle::Off);
        assert!(!small.must_wait(LAST));
        small.on_write(false);
        assert!(small.must_wait(LAST));
        small.set_cork(false);
        assert!(!small.must_wait(LAST));
    }

    #[test]
    fn more_that_follows_holds_what_is_written_until_the_next_event() {
        // tcp_push: nonagle = TCP_NAGLE_CORK for this push alone.
        let mut small = Small::new(1, Nagle::Off);
        small.on_write(true);
        assert!(small.must_wait(LAST));
        small.on_run_ended();
        assert!(!small.must_wait(LAST));
    }
}
