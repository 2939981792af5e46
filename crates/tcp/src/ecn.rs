//! Explicit congestion notification of one connection (RFC 3168 section 6.1; `tcp_ecn` in net/ipv4/tcp_ecn.h): agreed on
//! with the SYNs, echoed by ECE until the sender answers with CWR.

use bentpipe_units::Switch;

use crate::segment::{CE, ECT_0, Flags, Segment};

/// What an end knows of ECN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EcnState {
    setting: Switch,
    /// Whether both ends take part.
    is_agreed: bool,
    /// Whether a mark has come that the peer has not yet answered (`TCP_ECN_DEMAND_CWR`).
    must_echo: bool,
    /// Whether the peer is still to be told of a reduction (`TCP_ECN_QUEUE_CWR`).
    must_confirm: bool,
}

/// What data that arrived says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    None,
    /// The first mark since the sender's last answer, which it is to hear of at once.
    First,
    /// The sender has answered.
    Answered,
}

impl EcnState {
    pub const fn new(setting: Switch) -> Self {
        Self { setting, is_agreed: false, must_echo: false, must_confirm: false }
    }

    /// Whether both ends take part.
    pub const fn is_agreed(self) -> bool {
        self.is_agreed
    }

    // ---- the handshake (section 6.1.1) -----------------------------------------------------------------------

    /// What a SYN has beside its flag. One that is repeated asks no more: some path may have dropped it for that
    /// (section 6.1.1.1; `tcp_ecn_clear_syn`).
    pub fn of_syn(self, is_first: bool) -> Flags {
        if is_first && self.setting.is_on() { Flags::ECE.with(Flags::CWR) } else { Flags::NONE }
    }

    /// What its answer has.
    pub const fn of_syn_ack(self) -> Flags {
        if self.is_agreed { Flags::ECE } else { Flags::NONE }
    }

    /// The peer's SYN, at a server.
    pub fn on_syn(&mut self, syn: &Segment) {
        let asks = syn.flags.contains(Flags::ECE.with(Flags::CWR));
        self.is_agreed = self.setting.is_on() && asks;
    }

    /// The answer to our SYN.
    pub fn on_syn_ack(&mut self, answer: &Segment) {
        let agrees = answer.flags.contains(Flags::ECE) && !answer.flags.contains(Flags::CWR);
        self.is_agreed = self.setting.is_on() && agrees;
    }

    // ---- the receiver (section 6.1.3) ------------------------------------------------------------------------

    /// Data has arrived (`tcp_ecn_accept_cwr`, `tcp_data_ecn_check`).
    pub fn on_data(&mut self, segment: &Segment) -> Mark {
        if !self.is_agreed || segment.payload.is_empty() {
            return Mark::None;
        }
        let is_answer = segment.flags.contains(Flags::CWR);
        let was_echoing = std::mem::take(&mut self.must_echo) && !is_answer;
        self.must_echo = was_echoing || segment.ecn == CE;
        match (is_answer, self.must_echo && !was_echoing) {
            (_, true) => Mark::First,
            (true, false) => Mark::Answered,
            (false, false) => Mark::None,
        }
    }

    /// What every segment has that acknowledges.
    pub const fn of_acknowledgement(self) -> Flags {
        if self.must_echo { Flags::ECE } else { Flags::NONE }
    }

    // ---- the sender (section 6.1.2) --------------------------------------------------------------------------

    /// Whether an acknowledgement echoes a mark.
    pub fn is_echo(self, segment: &Segment) -> bool {
        self.is_agreed && segment.flags.contains(Flags::ECE) && !segment.flags.contains(Flags::SYN)
    }

    /// The window was reduced, for whatever reason.
    pub const fn on_reduction(&mut self) {
        self.must_confirm = self.is_agreed;
    }

    /// Marks new data as ECN-capable, and the first of it after a reduction as the answer. What is retransmitted is never
    /// ECN-capable (section 6.1.5).
    pub fn mark_new_data(&mut self, segment: &mut Segment) {
        if !self.is_agreed || segment.payload.is_empty() {
            return;
        }
        segment.ecn = ECT_0;
        if std::mem::take(&mut self.must_confirm) {
            segment.flags = segment.flags.with(Flags::CWR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Data that was marked, with these flags besides.
    fn marked(flags: Flags, payload: u64) -> Segment {
        Segment { flags: Flags::ACK.with(flags), ecn: CE, ..Segment::with_payload(payload) }
    }

    #[test]
    fn a_mark_is_echoed_where_both_ends_agreed_and_it_is_on_data() {
        // RFC 3168 sections 6.1.1 and 6.1.4: a pure acknowledgement is not ECN-capable, so that nobody marks it.
        let echo = |is_agreed, payload| {
            let mut state = EcnState { is_agreed, ..EcnState::new(Switch::On) };
            let mark = state.on_data(&marked(Flags::NONE, payload));
            (mark, state.of_acknowledgement())
        };
        assert_eq!(echo(true, 100), (Mark::First, Flags::ECE));
        assert_eq!(echo(true, 0), (Mark::None, Flags::NONE));
        assert_eq!(echo(false, 100), (Mark::None, Flags::NONE));
    }

    #[test]
    fn an_answer_that_is_marked_itself_is_a_first_mark_again() {
        // RFC 3168 section 6.1.3: the receiver stops at CWR, and starts anew at the next mark.
        let mut state = EcnState { is_agreed: true, ..EcnState::new(Switch::On) };
        let marks = [Flags::NONE, Flags::NONE, Flags::CWR].map(|flags| state.on_data(&marked(flags, 100)));
        assert_eq!(marks, [Mark::First, Mark::None, Mark::First]);
        let answer = Segment { ecn: ECT_0, ..marked(Flags::CWR, 100) };
        assert_eq!((state.on_data(&answer), state.of_acknowledgement()), (Mark::Answered, Flags::NONE));
    }
}
