//! What one acknowledgement said (the flags of `tcp_ack`).

use bentpipe_units::{Duration, Time};

use crate::segment::timestamp_before;
use crate::send::ack::Ack;
use crate::send::recovery::scoreboard::{History, SegmentState, Sent};
use crate::send::rtt::RttReading;
use crate::wheel::TimerWheel;

/// What one acknowledgement said (the flags of `tcp_ack`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckOutcome {
    pub now: Time,
    /// Whose clock timestamps are read from.
    wheel: TimerWheel,
    pub echo: Option<u32>,
    /// SEG.ACK.
    pub position: u64,
    pub before: Before,
    pub una_advanced: bool,
    pub data_acked: bool,
    pub data_sacked: bool,
    pub is_duplicate: bool,
    /// A segment sent before the episode and only once was delivered (`FLAG_ORIG_SACK_ACKED`).
    pub original_delivered: bool,
    pub duplicate_reported: bool,
    /// The DSACK is of the tail loss probe.
    pub probe_was_duplicate: bool,
    /// Whether the peer may have waited before it acknowledged (`FLAG_ACK_MAYBE_DELAYED`).
    pub is_maybe_delayed: bool,
    /// The lowest segment that was overtaken.
    pub reordered_from: Option<u64>,
    pub newly_delivered: u64,
    /// Whether the retransmission timer starts anew (`FLAG_SET_XMIT_TIMER`).
    pub restart_timer: bool,
    /// Departures of originals acknowledged cumulatively.
    acked_at: Span,
    /// Departures of originals acknowledged selectively.
    sacked_at: Span,
    retransmission_acked: bool,
}

/// What was so before an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    pub una: u64,
    pub in_flight: u64,
    pub lost: u64,
    pub forward_end: u64,
    pub was_empty: bool,
}

/// The first departure and the last.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    first: Option<Time>,
    last: Option<Time>,
}

impl Span {
    fn note(&mut self, at: Time) {
        self.first.get_or_insert(at);
        self.last = Some(at);
    }
}

impl AckOutcome {
    pub fn new(ack: &Ack<'_>, before: Before, wheel: TimerWheel) -> Self {
        Self {
            now: ack.now,
            wheel,
            echo: ack.echo,
            position: ack.position,
            before,
            una_advanced: ack.position > before.una,
            data_acked: false,
            data_sacked: false,
            is_duplicate: false,
            original_delivered: false,
            duplicate_reported: false,
            probe_was_duplicate: false,
            is_maybe_delayed: false,
            reordered_from: None,
            newly_delivered: 0,
            restart_timer: false,
            acked_at: Span::default(),
            sacked_at: Span::default(),
            retransmission_acked: false,
        }
    }

    /// A segment is delivered beyond a hole. What was acknowledged beyond it before ends at `forward_end`.
    pub fn on_sacked(&mut self, sent: &Sent, forward_end: u64, recovery_point: u64) {
        self.data_sacked = true;
        self.newly_delivered += 1;
        if sent.history == History::SentOnce {
            // A hole below what was acknowledged, filled by an original: reordering.
            if sent.start < forward_end {
                self.note_overtaken(sent.start);
            }
            self.original_delivered |= sent.end <= recovery_point;
            self.sacked_at.note(sent.sent_at);
        }
    }

    /// A segment is acknowledged cumulatively.
    pub fn on_acked(&mut self, sent: &Sent, recovery_point: u64) {
        self.data_acked = true;
        self.newly_delivered += u64::from(sent.state != SegmentState::Sacked);
        if sent.history == History::Retransmitted {
            self.retransmission_acked = true;
        } else if sent.state != SegmentState::Sacked {
            self.acked_at.note(sent.sent_at);
            self.note_overtaken(sent.start);
            self.original_delivered |= sent.end <= recovery_point;
        }
    }

    /// Of what was acknowledged, so many segments are news, as duplicates had told of the others; which were sent once
    /// cannot be known where one was retransmitted (`tcp_clean_rtx_queue`).
    pub fn on_acked_beside_duplicates(&mut self, fresh: u64) {
        self.newly_delivered = fresh;
        self.original_delivered &= !self.retransmission_acked;
    }

    /// So many segments arrived twice, each by a retransmission.
    pub fn on_duplicate_reported(&mut self, segments: u64) {
        self.duplicate_reported = true;
        self.newly_delivered += segments;
    }

    /// Whether what was acknowledged selectively left before `at`.
    pub fn is_sacked_before(&self, at: Time) -> bool {
        self.age(self.sacked_at.first).is_some_and(|sacked| sacked > self.now.since(at))
    }

    pub fn note_overtaken(&mut self, start: u64) {
        self.reordered_from = Some(self.reordered_from.map_or(start, |from| from.min(start)));
    }

    fn age(&self, at: Option<Time>) -> Option<Duration> {
        at.map(|at| self.now.since(at))
    }

    /// The acknowledgement echoes a time before the retransmission (`tcp_skb_spurious_retrans`).
    pub fn is_of_the_original(&self, sent: &Sent) -> bool {
        sent.history == History::Retransmitted
            && self.echo.is_some_and(|echo| timestamp_before(echo, self.wheel.timestamp(sent.sent_at)))
    }

    /// `tcp_ack_update_rtt`: of segments sent once (Karn), else by timestamps (RFC 7323 section 4.1).
    pub fn rtt(&self) -> RttReading {
        let acked = self.age(self.acked_at.first).filter(|_| !self.retransmission_acked);
        let by_echo = self.echo.filter(|_| self.data_acked).map(|echo| {
            // The clock ticks once a millisecond; zero counts as one tick.
            let ticks = self.wheel.timestamp(self.now).wrapping_sub(echo).max(1);
            Duration::from_millis(u64::from(ticks))
        });
        let by_echo = by_echo.filter(|echo| *echo <= self.now.since(Time::ZERO) + Duration::from_millis(1));
        // What was acknowledged selectively left later (`tcp_clean_rtx_queue`).
        let newest_acked = self.age(self.acked_at.last).filter(|_| acked.is_some());
        RttReading {
            sample: acked.or(self.age(self.sacked_at.first)).or(by_echo),
            newest: self.age(self.sacked_at.last).or(newest_acked).or(by_echo),
            is_maybe_delayed: self.is_maybe_delayed && acked.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use bentpipe_cc::rate::RateEstimator;
    use bentpipe_units::Bytes;

    use super::*;
    use crate::send::recovery::scoreboard::Make;

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    fn ms(ms: u64) -> Option<Duration> {
        Some(Duration::from_millis(ms))
    }

    /// A segment of 1000 bytes at `start` that left once, at that time.
    fn sent(start: u64, at_ms: u64) -> Sent {
        Sent {
            start,
            end: start + 1_000,
            make: Make::ALONE,
            sent_at: at(at_ms),
            rate: RateEstimator::new(Time::ZERO).on_sent(Time::ZERO, Bytes::ZERO),
            state: SegmentState::Unknown,
            retransmission_in_flight: false,
            history: History::SentOnce,
            transmission: 0,
            burst: 0,
        }
    }

    fn again(sent: Sent) -> Sent {
        Sent { history: History::Retransmitted, ..sent }
    }

    fn sacked(sent: Sent) -> Sent {
        Sent { state: SegmentState::Sacked, ..sent }
    }

    /// An acknowledgement at 1000 ms that echoes this, where 1 was acknowledged before.
    fn outcome(echo: Option<u32>) -> AckOutcome {
        let ack = Ack {
            now: at(1_000),
            seq: 1,
            position: 5_001,
            window: 65_535,
            sack: &[],
            echo,
            carries_data: false,
            echoes_mark: false,
        };
        AckOutcome::new(
            &ack,
            Before { una: 1, in_flight: 5, lost: 0, forward_end: 1, was_empty: false },
            TimerWheel::default(),
        )
    }

    #[test]
    fn a_round_trip_is_that_of_the_first_segment_and_the_newest_that_of_the_last() {
        // tcp_clean_rtx_queue: first_ackt, last_ackt; tcp_ack_update_rtt takes them before the timestamps.
        let mut ack = outcome(Some(700));
        ack.on_acked(&sent(1, 800), 0);
        ack.on_acked(&sent(1_001, 850), 0);
        ack.on_acked(&sent(2_001, 900), 0);
        let reading = ack.rtt();
        assert_eq!((reading.sample, reading.newest), (ms(200), ms(100)));
        // What is acknowledged selectively left later, and is the newest.
        ack.on_sacked(&sent(4_001, 950), 1, 0);
        let reading = ack.rtt();
        assert_eq!((reading.sample, reading.newest), (ms(200), ms(50)));
    }

    #[test]
    fn a_retransmission_among_what_is_acknowledged_leaves_the_timestamps_to_tell() {
        // Karn's algorithm, RFC 6298 section 3; tcp_ack_update_rtt, of RFC 7323 section 4.1.
        let read = |echo, segments: &[Sent]| {
            let mut ack = outcome(echo);
            segments.iter().for_each(|sent| ack.on_acked(sent, 0));
            (ack.rtt().sample, ack.rtt().newest)
        };
        assert_eq!(read(Some(700), &[again(sent(1, 800)), sent(1_001, 850)]), (ms(300), ms(300)));
        assert_eq!(read(None, &[again(sent(1, 800)), sent(1_001, 850)]), (None, None));
        // tcp_rtt_tsopt_us: a tick at least, and nothing of a time to come.
        assert_eq!(read(Some(1_000), &[again(sent(1, 800))]), (ms(1), ms(1)));
        assert_eq!(read(Some(1_001), &[again(sent(1, 800))]), (None, None));
        assert_eq!(read(Some(0), &[again(sent(1, 800))]), (ms(1_000), ms(1_000)));
        // Nothing of data: nothing is measured (FLAG_ACKED).
        assert_eq!(read(Some(700), &[]), (None, None));
    }

    #[test]
    fn what_was_told_of_selectively_before_measures_no_round_trip_when_it_is_acknowledged() {
        // tcp_clean_rtx_queue: !(sacked & TCPCB_SACKED_ACKED).
        let mut ack = outcome(None);
        ack.on_acked(&sacked(sent(1, 800)), 0);
        assert_eq!((ack.rtt().sample, ack.newly_delivered, ack.data_acked), (None, 0, true));
        ack.on_acked(&sent(1_001, 850), 0);
        assert_eq!((ack.rtt().sample, ack.newly_delivered), (ms(150), 1));
    }

    #[test]
    fn a_late_acknowledgement_is_one_only_where_it_measured_a_segment_sent_once() {
        let mut ack = outcome(Some(700));
        ack.is_maybe_delayed = true;
        assert!(!ack.rtt().is_maybe_delayed);
        ack.on_acked(&sent(1, 800), 0);
        assert!(ack.rtt().is_maybe_delayed);
    }

    #[test]
    fn what_was_sacked_restarts_the_timer_where_it_left_before_the_head_did() {
        // tcp_clean_rtx_queue: sack_rtt_us > tcp_stamp_us_delta(tp->tcp_mstamp, tcp_skb_timestamp_us(skb)).
        let mut ack = outcome(None);
        assert!(!ack.is_sacked_before(at(900)));
        ack.on_sacked(&again(sent(1_001, 100)), 1, 0);
        assert!(!ack.is_sacked_before(at(900)), "a retransmission tells no time");
        ack.on_sacked(&sent(2_001, 500), 1, 0);
        ack.on_sacked(&sent(3_001, 600), 1, 0);
        assert_eq!([499, 500, 501].map(|head| ack.is_sacked_before(at(head))), [false, false, true]);
    }

    #[test]
    fn an_original_below_what_was_told_of_before_was_overtaken() {
        // tcp_sacktag_one: before(start_seq, tcp_highest_sack_seq(tp)) and not retransmitted; the lowest counts
        // (state->reord). tcp_clean_rtx_queue: an original that was not told of.
        let from = |tell: &dyn Fn(&mut AckOutcome)| {
            let mut ack = outcome(None);
            tell(&mut ack);
            ack.reordered_from
        };
        assert_eq!(from(&|ack| ack.on_sacked(&sent(2_001, 0), 3_001, 0)), Some(2_001));
        assert_eq!(from(&|ack| ack.on_sacked(&sent(3_001, 0), 3_001, 0)), None);
        assert_eq!(from(&|ack| ack.on_sacked(&again(sent(2_001, 0)), 3_001, 0)), None);
        assert_eq!(from(&|ack| ack.on_acked(&sent(1, 0), 0)), Some(1));
        assert_eq!(from(&|ack| ack.on_acked(&sacked(sent(1, 0)), 0)), None);
        assert_eq!(from(&|ack| ack.on_acked(&again(sent(1, 0)), 0)), None);
        let lower = |ack: &mut AckOutcome| [2_001, 1_001, 3_001].map(|start| ack.note_overtaken(start)).len();
        assert_eq!(from(&|ack| assert_eq!(lower(ack), 3)), Some(1_001));
    }

    #[test]
    fn an_original_of_before_the_episode_shows_that_a_timeout_was_spurious() {
        // FLAG_ORIG_SACK_ACKED: !after(end_seq, tp->high_seq), of what was sent once.
        let delivered = |tell: &dyn Fn(&mut AckOutcome)| {
            let mut ack = outcome(None);
            tell(&mut ack);
            ack.original_delivered
        };
        assert!(delivered(&|ack| ack.on_sacked(&sent(1_001, 0), 1, 2_001)));
        assert!(!delivered(&|ack| ack.on_sacked(&sent(1_001, 0), 1, 2_000)));
        assert!(!delivered(&|ack| ack.on_sacked(&again(sent(1_001, 0)), 1, 2_001)));
        assert!(delivered(&|ack| ack.on_acked(&sent(1_001, 0), 2_001)));
        assert!(!delivered(&|ack| ack.on_acked(&sent(1_001, 0), 2_000)));
        assert!(!delivered(&|ack| ack.on_acked(&sacked(sent(1_001, 0)), 2_001)));
    }

    #[test]
    fn an_echo_older_than_the_retransmission_is_of_the_original() {
        // tcp_skb_spurious_retrans: before(rcv_tsecr, tcp_skb_timestamp_ts(skb)).
        let is_original = |echo, sent: Sent| outcome(echo).is_of_the_original(&sent);
        assert!(is_original(Some(799), again(sent(1, 800))));
        assert!(!is_original(Some(800), again(sent(1, 800))));
        assert!(!is_original(Some(799), sent(1, 800)));
        assert!(!is_original(None, again(sent(1, 800))));
    }

    #[test]
    fn duplicates_that_are_reported_count_as_delivered() {
        // tcp_dsack_seen: tp->delivered.
        let mut ack = outcome(None);
        ack.on_duplicate_reported(2);
        ack.on_sacked(&sent(1_001, 0), 1, 0);
        assert_eq!((ack.newly_delivered, ack.duplicate_reported, ack.data_sacked), (3, true, true));
    }
}
